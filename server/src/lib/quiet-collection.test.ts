import assert from "node:assert/strict";
import { test } from "node:test";
import { collectAtRest, createQuietCollection, type QuietCollectionOptions } from "./quiet-collection.ts";
import { systemClock } from "./time/clock.ts";

/** A clock, a heap and a count of collections, all moved by the test. */
function lab() {
  const state = { nowMs: 0, usedBytes: 20, liveBytes: 10, collections: 0 };
  const options = {
    clock: { ...systemClock, elapsedMs: () => state.nowMs },
    usedBytes: () => state.usedBytes,
    async collect() {
      state.collections++;
      state.usedBytes = state.liveBytes;
    },
    ...{ firstMs: 500, nextMs: 1_000, idleMs: 100, grownBytes: 8 },
  };
  return { state, options };
}

/** A thread that is told what to do, and one piece of work for it. */
function thread(options: QuietCollectionOptions) {
  const quiet = createQuietCollection(options);
  const work = (): Promise<void> => {
    quiet.begin();
    quiet.end();
    // What is left after a collection is noted in a microtask.
    return Promise.resolve();
  };
  return { quiet, work };
}

test("a thread collects once after its start, when work ends that came after an idle time", async () => {
  const { state, options } = lab();
  const { quiet, work } = thread(options);
  state.nowMs = 499;
  await work();
  assert.equal(state.collections, 0, "the start may not be over");
  state.nowMs = 550;
  await work();
  assert.equal(state.collections, 0, "it worked a moment ago");
  state.nowMs = 650;
  quiet.begin();
  quiet.begin();
  quiet.end();
  assert.equal(state.collections, 0, "something is under way");
  quiet.end();
  assert.equal(state.collections, 1);
  await Promise.resolve();
  for (state.nowMs = 1_000; state.nowMs < 10_000; state.nowMs += 1_000) await work();
  assert.equal(state.collections, 1, "the heap has not grown");
  state.usedBytes = 17;
  state.nowMs = 11_000;
  await work();
  assert.equal(state.collections, 1, "it has grown by little");
  state.usedBytes = 18;
  state.nowMs = 11_999;
  await work();
  assert.equal(state.collections, 1, "too soon after the last look");
  state.nowMs = 12_100;
  state.liveBytes = 18;
  await work();
  assert.equal(state.collections, 2);
  state.nowMs = 14_000;
  await work();
  state.nowMs = 16_000;
  await work();
  assert.equal(state.collections, 2, "what is left is in use");
});

test("a thread that was busy from its start on collects only what comes later", async () => {
  const { state, options } = lab();
  const { work } = thread(options);
  for (state.nowMs = 50; state.nowMs < 20_000; state.nowMs += 50) await work();
  assert.equal(state.collections, 0, "it was never idle");
  state.nowMs += 1_000;
  await work();
  assert.equal(state.collections, 0, "compiled code is worth more than what the start left");
  state.usedBytes += 8;
  state.nowMs += 1_000;
  await work();
  assert.equal(state.collections, 1);
});

test("a serving process looks once after each busy time, when it has rested", async () => {
  const { state, options } = lab();
  let isResting = true;
  let second = (_lateMs: number): void => {};
  const schedule = {
    every(_ms: number, work: (lateMs: number) => void) {
      second = work;
      return () => {};
    },
  };
  collectAtRest({ ...options, nextMs: 300_000, schedule, isResting: () => isResting });
  const pass = async (seconds: number): Promise<void> => {
    for (let passed = 0; passed < seconds; passed++) {
      state.nowMs += 1_000;
      second(0);
      await Promise.resolve();
    }
  };
  const beBusy = async (seconds: number): Promise<void> => {
    isResting = false;
    await pass(seconds);
    isResting = true;
  };
  await pass(2);
  assert.equal(state.collections, 0, "too soon after the start");
  await pass(1);
  assert.equal(state.collections, 1);
  state.usedBytes += 100;
  await pass(1_000);
  assert.equal(state.collections, 1, "no call was served since");
  await beBusy(1_000);
  assert.equal(state.collections, 1, "calls are served");
  await pass(2);
  assert.equal(state.collections, 1, "it has not rested yet");
  await pass(1);
  assert.equal(state.collections, 2);
  await beBusy(1);
  await pass(1_000);
  assert.equal(state.collections, 2, "the heap has not grown");
  state.usedBytes += 100;
  await beBusy(1);
  await pass(3);
  assert.equal(state.collections, 3);
  state.usedBytes += 100;
  await beBusy(1);
  await pass(3);
  assert.equal(state.collections, 3, "too soon after the last look");
  await pass(300);
  assert.equal(state.collections, 4, "it still rests");
});
