/**
 * One limit in one process: available units, debt, when it asks the store again, and its share without the
 * store.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { partsPerUnit } from "../../domain/limits/limit.ts";
import { LocalBucket } from "./bucket.ts";

const rpm = (limit = 60) => new LocalBucket("key", "k", "rpm", limit);
const demand = (changes: Partial<Parameters<LocalBucket["ask"]>[0]> = {}) => ({
  least: 0,
  need: 0,
  isReturning: false,
  nowMs: 1_000,
  ...changes,
});

/** The store lends this many units. */
function lend(
  bucket: LocalBucket,
  granted: number,
  { used = 0, outstanding = granted, sentMs = 1_000 } = {},
): void {
  const ask = bucket.ask(demand({ need: granted, nowMs: sentMs }));
  const slice = bucket.free + bucket.held + granted;
  bucket.answer(ask, bucket.debt, { granted, slice, used: used * partsPerUnit, outstanding }, sentMs);
}

test("what is lent can be used, what was used is told once, and what is on its way is not told twice", () => {
  const bucket = rpm();
  lend(bucket, 10);
  bucket.take(1, 1_000);
  bucket.spend(1, 1);
  const ask = bucket.ask(demand());
  assert.deepEqual([ask.subject, ask.spent, ask.holds, ask.isSlots], ["key:k:rpm", 1, 9, false]);
  // One more unit is used while the store answers.
  bucket.take(1, 1_001);
  bucket.spend(1, 1);
  bucket.answer(ask, 0, { granted: 0, slice: 9, used: partsPerUnit, outstanding: 9 }, 1_000);
  assert.deepEqual([bucket.spent, bucket.free, bucket.isUneven], [1, 8, true]);
});

test("what goes back cannot be used meanwhile", () => {
  const bucket = rpm();
  lend(bucket, 10);
  bucket.take(2, 1_000);
  const ask = bucket.ask(demand({ isReturning: true }));
  assert.deepEqual([ask.holds, bucket.free, bucket.has(1)], [2, 0, false]);
});

test("a debt is paid by the answer it was told with, and no other", () => {
  const bucket = new LocalBucket("key", "k", "tpm", 100);
  lend(bucket, 10);
  bucket.take(10, 0);
  bucket.spend(10, 25);
  assert.deepEqual([bucket.debt, bucket.has(0)], [15, false]);
  const ask = bucket.ask(demand());
  bucket.spend(0, 5);
  bucket.answer(ask, 15, { granted: 0, slice: 0, used: 0, outstanding: 0 }, 1_000);
  assert.equal(bucket.debt, 5);
});

test("a lower limit holds at once: nothing lent under the old one, or on its way, is used", () => {
  const bucket = rpm(60);
  lend(bucket, 10);
  const ask = bucket.ask(demand({ need: 5 }));
  bucket.setLimit(3);
  assert.equal(bucket.has(1), false);
  bucket.answer(ask, 0, { granted: 5, slice: 15, used: 0, outstanding: 15 }, 1_000);
  assert.deepEqual([bucket.has(1), bucket.isUneven], [false, true]);
});

test("a fence takes what is free, and what is under way goes on", () => {
  const bucket = rpm();
  lend(bucket, 10);
  bucket.take(1, 0);
  bucket.fence();
  assert.deepEqual([bucket.free, bucket.held], [0, 1]);
});

test("a refusal stands for a moment, for as much or more, and until something comes back", () => {
  const bucket = rpm(60);
  lend(bucket, 0, { used: 60, outstanding: 0 });
  // At sixty per minute, one unit refills in a second.
  assert.equal(bucket.refuse(2, 1_000, 1_000), 2_000);
  assert.equal(bucket.refusedForMs(2, 1_100), 1_900);
  assert.equal(bucket.refusedForMs(3, 1_100), 1_900);
  assert.equal(bucket.refusedForMs(1, 1_100), 0, "a smaller one may find room");
  assert.equal(bucket.refusedForMs(2, 1_250), 0, "asked again after a quarter of a second");
  bucket.refuse(2, 2_000, 1_000);
  bucket.held = 2;
  bucket.giveBack(2);
  assert.equal(bucket.refusedForMs(3, 2_001), 0);
});

test("slots are refused for as long as is told, and asked for again almost at once", () => {
  const bucket = new LocalBucket("account", "a", "conc", 2);
  lend(bucket, 0, { outstanding: 2 });
  assert.equal(bucket.refuse(1, 1_000, 900), 900);
  assert.deepEqual([bucket.refusedForMs(1, 1_019), bucket.refusedForMs(1, 1_020)], [881, 0]);
});

test("what is left is what the store said, refilled since, less what others have, and never below nothing", () => {
  const bucket = rpm(60);
  lend(bucket, 10, { used: 20, outstanding: 25 });
  // 60 - 20 used - 15 lent to others.
  assert.equal(bucket.remaining(1_000), 25);
  assert.equal(bucket.remaining(6_000), 30);
  bucket.debt = 100;
  assert.equal(bucket.remaining(1_000), 0);
  assert.equal(rpm(60).remaining(0), 60);
});

/** Takes units from a share until there are none, again each second for so long; returns their number. */
function usedOfShare(bucket: LocalBucket, processes: number, seconds: number): number {
  let units = 0;
  for (let second = 0; second < seconds; second += 1) {
    while (bucket.takeShare(1, processes, second * 1_000, false) === 0) units += 1;
  }
  return units;
}

test("without the store a process lives on its share, which begins as full as the whole was", () => {
  const bucket = rpm(60);
  assert.equal(bucket.takeShare(1, 4, 0, true), 0);
  assert.equal(bucket.free, 0, "a trial takes nothing");
  assert.equal(usedOfShare(bucket, 4, 1), 15);
  assert.equal(bucket.free, 15);
  const empty = rpm(60);
  lend(empty, 0, { used: 60, outstanding: 0 });
  assert.ok(empty.takeShare(1, 4, 1_000, false) > 0);
  assert.equal(empty.takeShare(1, 4, 5_000, false), 0, "fifteen a minute: one in four seconds");
});

test("beside other processes a share is used once until the store answers; alone it refills", () => {
  const bucket = rpm(60);
  assert.equal(usedOfShare(bucket, 4, 300), 15);
  assert.equal(bucket.takeShare(1, 4, 300_000, true), 1_000);
  lend(bucket, 0, { used: 0, outstanding: 0 });
  assert.equal(usedOfShare(bucket, 4, 300), 15);
  assert.equal(usedOfShare(rpm(60), 1, 121), 60 + 120);
});

test("of slots a share is so many at once, at least one", () => {
  const bucket = new LocalBucket("key", "k", "conc", 2);
  assert.equal(bucket.takeShare(1, 8, 0, true), 0);
  assert.equal(bucket.free, 0, "a trial takes nothing");
  assert.equal(bucket.takeShare(1, 8, 0, false), 0);
  bucket.take(1, 0);
  assert.equal(bucket.takeShare(1, 8, 0, false), 1_000);
});

test("it may be forgotten once the store's own bucket has refilled, and nothing is under way", () => {
  const bucket = rpm(60);
  lend(bucket, 0, { used: 30, outstanding: 0 });
  assert.equal(bucket.isForgettable(30_000), false);
  assert.equal(bucket.isForgettable(31_000), true);
  bucket.held = 1;
  assert.equal(bucket.isForgettable(31_000), false);
});
