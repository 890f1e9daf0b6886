import assert from "node:assert/strict";
import { test } from "node:test";
import { addFirstToken, averageFirstTokenMs } from "./first-token.ts";
import { createPace, expectedMs, isSlow, paceAtLeast, paceOver, paceSent, provenMs } from "./pace.ts";

test("three calls prove a time; fewer are only expected", () => {
  const pace = createPace();
  addFirstToken(pace.times, 100, 0);
  addFirstToken(pace.times, 100, 1);
  assert.deepEqual([expectedMs(pace, 1), provenMs(pace, 1)], [100, 0]);
  addFirstToken(pace.times, 100, 2);
  assert.equal(provenMs(pace, 2), 100);
});

test("calls that wait and wait count before one has begun, and not after they are over", () => {
  const pace = createPace();
  for (const at of [0, 100, 200]) paceSent(pace, at);
  assert.equal(provenMs(pace, 1_100), 1_000);
  paceOver(pace, 100);
  assert.equal(provenMs(pace, 1_100), 0, "two are too few");
  paceOver(pace, 0);
  paceOver(pace, 200);
  assert.deepEqual([pace.waiting, pace.sentSumMs], [0, 0]);
});

test("a call that was given up makes the average longer, never shorter, and is no measure by itself", () => {
  const pace = createPace();
  paceAtLeast(pace, 900, 0);
  assert.equal(expectedMs(pace, 0), 0);
  addFirstToken(pace.times, 100, 0);
  paceAtLeast(pace, 50, 0);
  assert.equal(averageFirstTokenMs(pace.times, 0), 100);
  paceAtLeast(pace, 1_100, 0);
  assert.equal(averageFirstTokenMs(pace.times, 0), 300);
});

test("slow is three times the best and a moment more", () => {
  assert.deepEqual(
    [
      [301, 100],
      [300, 100],
      [34, 10],
      [36, 10],
      [500, 0],
      [0, 100],
    ].map(([ms, best]) => isSlow(ms as number, best as number)),
    [true, false, false, true, false, false],
  );
});
