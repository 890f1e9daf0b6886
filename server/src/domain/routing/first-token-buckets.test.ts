import assert from "node:assert/strict";
import { test } from "node:test";
import { bucketOf, percentileOf } from "./first-token-buckets.ts";

const countsOf = (times: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const ms of times) counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + 1);
  return counts;
};

test("a single time is told within 2.5 %, and the half millisecond of rounding", () => {
  for (let ms = 0; ms < 2_000_000; ms = Math.ceil(ms * 1.003 + 1)) {
    const told = percentileOf(countsOf([ms]), 0.5) ?? Number.NaN;
    assert.ok(Math.abs(told - ms) <= ms * 0.025 + 0.5, `${ms}: ${told}`);
  }
});

test("percentiles are by nearest rank, and of nothing there is none", () => {
  const times = Array.from({ length: 100 }, (_, index) => (index < 94 ? 100 : 5_000));
  const within = (told: number | null, ms: number) =>
    assert.ok(Math.abs((told ?? 0) - ms) <= ms * 0.03, `${told}`);
  within(percentileOf(countsOf(times), 0.5), 100);
  within(percentileOf(countsOf(times), 0.94), 100);
  within(percentileOf(countsOf(times), 0.95), 5_000);
  assert.equal(percentileOf(new Map(), 0.5), null);
});
