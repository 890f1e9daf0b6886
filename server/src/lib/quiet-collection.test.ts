import assert from "node:assert/strict";
import { test } from "node:test";
import { collectAtRest, createQuietCollection } from "./quiet-collection.ts";
import { systemClock } from "./time/clock.ts";

test("garbage is collected when the last work has ended and the last collection is long ago", () => {
  let now = 0;
  let collections = 0;
  const quiet = createQuietCollection({ ...systemClock, elapsedMs: () => now }, () => collections++, {
    firstMs: 500,
    nextMs: 1_000,
  });
  const work = (): void => {
    quiet.begin();
    quiet.end();
  };
  work();
  now = 499;
  work();
  assert.equal(collections, 0, "too soon");
  now = 500;
  quiet.begin();
  quiet.begin();
  quiet.end();
  assert.equal(collections, 0, "something is under way");
  quiet.end();
  assert.equal(collections, 1);
  work();
  now = 1_499;
  work();
  assert.equal(collections, 1, "too soon again");
  now = 1_500;
  work();
  assert.equal(collections, 2);
});

test("a serving process collects once after each busy time, when it has rested", () => {
  let now = 0;
  let isResting = true;
  let collections = 0;
  let second = (_lateMs: number): void => {};
  const schedule = {
    every(_ms: number, work: (lateMs: number) => void) {
      second = work;
      return () => {};
    },
    overdueMs: () => 0,
  };
  const clock = { ...systemClock, elapsedMs: () => now };
  collectAtRest(
    clock,
    schedule,
    () => isResting,
    () => collections++,
  );
  const pass = (seconds: number): void => {
    for (let passed = 0; passed < seconds; passed++) {
      now += 1_000;
      second(0);
    }
  };
  pass(2);
  assert.equal(collections, 0, "too soon after the start");
  pass(1);
  assert.equal(collections, 1);
  pass(1_000);
  assert.equal(collections, 1, "nothing was done since");
  isResting = false;
  pass(1_000);
  assert.equal(collections, 1, "calls are served");
  isResting = true;
  pass(2);
  assert.equal(collections, 1, "it has not rested yet");
  pass(1);
  assert.equal(collections, 2);
  isResting = false;
  pass(1);
  isResting = true;
  pass(298);
  assert.equal(collections, 2, "too soon after the last one");
  pass(1);
  assert.equal(collections, 3);
});
