import assert from "node:assert/strict";
import { test } from "node:test";
import { startUsageRollup } from "./usage-rollup.ts";

/** A store with so many rows to add up, on a clock that pieces and rests move. */
function rig(rows: number, { perRowMs = 0.01, failures = 0 } = {}) {
  let nowMs = 0;
  let left = rows;
  let failuresLeft = failures;
  const pieces: number[] = [];
  const rests: number[] = [];
  const warnings: string[] = [];
  let onEmpty = () => {};
  const isEmpty = new Promise<void>((resolve) => {
    onEmpty = resolve;
  });
  const stop = startUsageRollup({
    processId: "one",
    clock: { wallMs: () => nowMs, elapsedMs: () => nowMs },
    log: { warn: (event: string) => void warnings.push(event) } as never,
    store: {
      claimUsageRollup: async (processId) => {
        assert.equal(processId, "one");
        if (left === 0) onEmpty();
        return left > 0;
      },
      async rollUpUsage(rowsMax) {
        if (failuresLeft-- > 0) throw new Error("away");
        const done = Math.min(rowsMax, left);
        left -= done;
        nowMs += done * perRowMs;
        pieces.push(rowsMax);
        return done;
      },
    },
    sleep: async (ms, signal) => {
      rests.push(ms);
      nowMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    },
  });
  return { stop, isEmpty, pieces, rests, warnings };
}

test("pieces grow to what fits their time, and it rests four times as long after each", async () => {
  const { stop, isEmpty, pieces, rests } = rig(100_000);
  await isEmpty;
  await stop();
  assert.deepEqual(pieces.slice(0, 8), [100, 200, 400, 800, 1_600, 2_500, 2_500, 2_500]);
  assert.deepEqual(rests.slice(0, 7), [4, 8, 16, 32, 64, 100, 100]);
});

test("where rows are slow, pieces stay small", async () => {
  const { stop, isEmpty, pieces } = rig(2_000, { perRowMs: 5 });
  await isEmpty;
  await stop();
  assert.deepEqual([...new Set(pieces)], [100]);
});

test("a failure is logged, and it goes on after a while", async () => {
  const { stop, isEmpty, rests, warnings, pieces } = rig(50, { failures: 2 });
  await isEmpty;
  await stop();
  assert.deepEqual(
    [warnings, rests.slice(0, 2)],
    [
      ["usage_not_added_up", "usage_not_added_up"],
      [30_000, 30_000],
    ],
  );
  assert.deepEqual(pieces, [100]);
});

test("it stops while there is still something to do", async () => {
  const { stop, pieces } = rig(Number.POSITIVE_INFINITY);
  await new Promise((resolve) => setImmediate(resolve));
  await stop();
  const done = pieces.length;
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(pieces.length, done);
});
