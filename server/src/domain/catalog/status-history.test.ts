import assert from "node:assert/strict";
import { test } from "node:test";
import { historyOf, stateOfHalfHour, stripSlots } from "./status-history.ts";

test("a half hour is as good as its answers, and one failed call is no outage", () => {
  const stateOf = (complete: number, unserved: number) => stateOfHalfHour({ complete, unserved }, 0.9);
  assert.equal(stateOfHalfHour(undefined, 0.9), "none");
  assert.equal(stateOf(0, 0), "none");
  assert.equal(stateOf(1, 0), "available");
  assert.equal(stateOf(90, 10), "available");
  assert.equal(stateOf(89, 11), "degraded");
  assert.equal(stateOf(0, 1), "degraded");
  assert.equal(stateOf(0, 2), "degraded");
  assert.equal(stateOf(0, 3), "down");
  assert.equal(stateOf(1, 300), "degraded");
});

test("a strip is the last day, oldest first, and its end is not better than the model is now", () => {
  const counts = new Map([
    [1_000, { complete: 9, unserved: 0 }],
    [999, { complete: 0, unserved: 5 }],
    [953, { complete: 1, unserved: 1 }],
    [952, { complete: 0, unserved: 100 }],
  ]);
  const slotOf = (slot: number) => counts.get(slot);
  const calm = historyOf(slotOf, 1_000, { successMin: 0.9, measured: undefined });
  assert.deepEqual(calm, { strip: `d${"-".repeat(45)}xa`, uptime: 0.625, counted: 16 });
  assert.equal(calm.strip.length, stripSlots);
  const endOf = (lastSlot: number, measured: "degraded" | "down" | undefined) =>
    historyOf(slotOf, lastSlot, { successMin: 0.9, measured }).strip.at(-1);
  assert.equal(endOf(1_000, "degraded"), "d");
  assert.equal(endOf(1_000, "down"), "x");
  assert.equal(endOf(999, "degraded"), "x");
  assert.equal(endOf(998, "down"), "x");
  assert.equal(endOf(998, undefined), "-");
});

test("uptime is rounded down, and unknown without requests", () => {
  const history = (complete: number, unserved: number) =>
    historyOf(() => ({ complete, unserved }), 5_000, { successMin: 0.9, measured: undefined });
  assert.equal(history(99_999, 1).uptime, 0.9999);
  assert.equal(history(0, 0).uptime, null);
});
