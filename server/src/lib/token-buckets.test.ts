import assert from "node:assert/strict";
import { test } from "node:test";
import { TokenBuckets } from "./token-buckets.ts";

function createTestClock() {
  let nowMs = 1_000;
  return {
    wallMs: () => nowMs,
    elapsedMs: () => nowMs,
    add(ms: number) {
      nowMs += ms;
    },
  };
}

test("a bucket gives what it holds, then as much as its rate", () => {
  const clock = createTestClock();
  const buckets = new TokenBuckets({ clock, perMinute: 60, burst: 3 });
  assert.deepEqual(
    [1, 2, 3].map(() => buckets.take("a")),
    [0, 0, 0],
  );
  assert.equal(buckets.take("a"), 1_000);
  assert.equal(buckets.take("b"), 0, "another name has its own");
  clock.add(400);
  assert.equal(buckets.take("a"), 600, "who was refused has taken nothing");
  clock.add(600);
  assert.equal(buckets.waitOf("a"), 0);
  assert.equal(buckets.take("a"), 0);
  assert.equal(buckets.waitOf("a"), 1_000);
  clock.add(60_000);
  assert.deepEqual(
    [1, 2, 3, 4].map(() => buckets.take("a")),
    [0, 0, 0, 1_000],
    "never more than it holds",
  );
});

test("names are bounded: full ones are forgotten, then the one that was quiet longest", () => {
  const clock = createTestClock();
  const buckets = new TokenBuckets({ clock, perMinute: 60, burst: 2, namesMax: 3 });
  for (const name of ["a", "b", "c"]) buckets.take(name);
  buckets.take("a");
  assert.equal(buckets.take("a"), 1_000);
  buckets.take("d");
  assert.equal(buckets.size, 3);
  assert.equal(buckets.take("a"), 1_000, "who was used last is still known");
  clock.add(10_000);
  buckets.take("e");
  assert.equal(buckets.size, 1, "the others were full again");
});
