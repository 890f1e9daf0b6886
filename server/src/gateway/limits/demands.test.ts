/** The combined demand of waiting requests, and which bucket has the longest wait. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Admission } from "./admission.ts";
import { LocalBucket } from "./bucket.ts";
import { demandsOf, type LimitWaiter, worstOf } from "./demands.ts";

const owner = { touched: () => {} };
const bucket = (id: string) => new LocalBucket("key", id, "tpm", 100);
const waiter = (buckets: readonly LocalBucket[], units: readonly number[]): LimitWaiter => ({
  admission: new Admission(owner, buckets, units),
  resolve: () => {},
  reject: () => {},
  isAsked: false,
  tries: 0,
});

test("needs are summed, and the least that helps anybody is the smallest of them", () => {
  const [one, two] = [bucket("1"), bucket("2")];
  const waiters = [waiter([one], [30]), waiter([one, two], [10, 5]), waiter([one], [20])];
  const demands = demandsOf(waiters, 500);
  assert.deepEqual(
    [demands.get(one), demands.get(two)],
    [
      { least: 10, need: 60 },
      { least: 5, need: 5 },
    ],
  );
  assert.ok(waiters.every(({ isAsked }) => isAsked));
});

test("a call asks about so many buckets and for so many that wait, the first come first; the rest is asked later", () => {
  const waiters = Array.from({ length: 5 }, (_, index) =>
    waiter([bucket(`${index}`), bucket(`x${index}`)], [1, 1]),
  );
  assert.equal(demandsOf(waiters, 5).size, 4);
  assert.deepEqual(
    waiters.map(({ isAsked }) => isAsked),
    [true, true, false, false, false],
  );
  const one = bucket("1");
  const many = Array.from({ length: 1_001 }, () => waiter([one], [1]));
  assert.deepEqual([demandsOf(many, 500).get(one)?.need, many[1_000]?.isAsked], [1_000, false]);
});

test("the longest wait is told, of equals the first, and none where nobody refuses", () => {
  const buckets = [bucket("1"), bucket("2"), bucket("3")];
  const { admission } = waiter(buckets, [1, 2, 3]);
  const worst = (...waits: number[]) => worstOf(admission, (one) => waits[buckets.indexOf(one)] as number);
  assert.equal(worst(0, 0, 0), undefined);
  assert.deepEqual(
    [worst(5, 9, 7)?.bucket, worst(5, 9, 7)?.units, worst(5, 9, 7)?.waitMs],
    [buckets[1], 2, 9],
  );
  assert.equal(worst(4, 4, 4)?.bucket, buckets[0]);
});
