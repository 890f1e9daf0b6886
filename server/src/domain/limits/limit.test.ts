/** The rules of a limit's bucket, compared with a model that only records each use with its time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  available,
  type Bucket,
  fullAtMs,
  lendSlice,
  limitMax,
  loseSlice,
  newBucket,
  partsPerUnit,
  refilled,
  type SliceAsk,
  waitMs,
} from "./limit.ts";

const ask = (over: Partial<SliceAsk> = {}): SliceAsk => ({
  subject: "key:k:rpm",
  isSlots: false,
  limit: 60,
  spent: 0,
  holds: 0,
  least: 1,
  need: 1,
  elapsedMs: null,
  ...over,
});

test("a full bucket gives one minute's worth at once and then one unit each 60/limit seconds", () => {
  let bucket = newBucket(ask(), 0);
  let granted = 0;
  for (let index = 0; index < 100; index += 1) {
    const done = lendSlice(bucket, 0, ask({ limit: 60, need: 1 }), 0);
    // Units lent ahead are not wanted in this test; they go back with the next request.
    const used = Math.min(1, done.grant.granted);
    granted += used;
    bucket = lendSlice(done.bucket, done.grant.slice, ask({ spent: used, need: 0 }), 0).bucket;
  }
  assert.equal(granted, 60);
  assert.equal(waitMs(1, bucket), 1_000);
  assert.equal(lendSlice(bucket, 0, ask(), 999).grant.granted, 0);
  assert.equal(lendSlice(bucket, 0, ask(), 1_000).grant.granted, 1);
  assert.equal(fullAtMs(bucket), 60_000);
});

test("numbers stay whole at the largest limit, with debt and after any time", () => {
  const large = ask({ limit: limitMax, need: 1, spent: limitMax });
  const { bucket } = lendSlice(newBucket(large, 0), 0, large, 0);
  assert.equal(bucket.used, limitMax * partsPerUnit);
  const again = lendSlice(bucket, 0, { ...large, need: 0 }, 1).bucket;
  assert.ok(Number.isSafeInteger(again.used));
  assert.equal(refilled(Number.MAX_SAFE_INTEGER, 1, 1), Number.MAX_SAFE_INTEGER - 1);
  assert.equal(refilled(5, limitMax, Number.MAX_SAFE_INTEGER), 0);
  assert.equal(waitMs(1, { limit: 0, used: 0, outstanding: 0 }), Number.POSITIVE_INFINITY);
});

test("a slice is a part of the limit, less as the bucket empties, and none for small limits", () => {
  const first = (limit: number, used: number) =>
    lendSlice({ ...newBucket(ask({ limit }), 0), used: used * partsPerUnit }, 0, ask({ limit }), 0).grant
      .granted;
  assert.equal(first(1_600, 0), 101);
  assert.equal(first(1_600, 1_500), 13);
  assert.equal(first(1_600, 1_599), 1);
  assert.equal(first(15, 0), 1);
});

test("a clock that goes back stops, one that leaps refills no more than the asker's own time", () => {
  const used = { ...newBucket(ask(), 100_000), used: 60 * partsPerUnit };
  const back = lendSlice(used, 0, ask({ elapsedMs: 5_000 }), 40_000);
  assert.deepEqual([back.grant.granted, back.bucket.atMs], [0, 40_000]);
  assert.equal(lendSlice(back.bucket, 0, ask({ elapsedMs: 1_000 }), 41_000).grant.granted, 1);
  const leapt = lendSlice(used, 0, ask({ elapsedMs: 3_000, need: 60 }), 3_700_000);
  assert.deepEqual([leapt.grant.granted, leapt.bucket.atMs], [3, 3_700_000]);
  // A delayed message is not a clock change: its missing time comes with the next message.
  const delayed = lendSlice(used, 0, ask({ elapsedMs: 900, need: 60 }), 101_000);
  assert.deepEqual([delayed.grant.granted, delayed.bucket.atMs], [0, 100_900]);
  assert.equal(lendSlice(delayed.bucket, 0, ask({ elapsedMs: 500 }), 101_000).grant.granted, 1);
});

test("a limit changed keeps what was used, but not beyond the new limit", () => {
  const used = { ...newBucket(ask({ limit: 600 }), 0), limit: 600, used: 100 * partsPerUnit };
  assert.equal(lendSlice(used, 0, ask({ limit: 5, need: 5 }), 0).bucket.used, 5 * partsPerUnit);
  assert.equal(waitMs(1, lendSlice(used, 0, ask({ limit: 5 }), 0).bucket), 12_000);
  assert.equal(lendSlice(used, 0, ask({ limit: 110, need: 50 }), 0).grant.granted, 10);
});

test("what a dead process had counts as used of a rate, and comes back as slots", () => {
  const rate: Bucket = { ...newBucket(ask(), 0), outstanding: 7 };
  const lost = loseSlice(rate, 7, 1_000);
  assert.deepEqual([lost.outstanding, lost.used], [0, 7 * partsPerUnit]);
  const slots = loseSlice({ ...rate, isSlots: true }, 5, 0);
  assert.deepEqual([slots.outstanding, slots.used], [2, 0]);
});

test("a process keeps no more of a rate than it was lent, whatever it says", () => {
  const { grant, bucket } = lendSlice(newBucket(ask(), 0), 0, ask({ holds: 9, need: 0 }), 0);
  assert.deepEqual([grant.slice, bucket.outstanding], [0, 0]);
});

test("slots in use count even if they were never lent", () => {
  const requested = ask({ isSlots: true, limit: 3, holds: 5, need: 1 });
  const { bucket, grant } = lendSlice(newBucket(requested, 0), 0, requested, 0);
  assert.deepEqual([grant, available(bucket)], [{ granted: 0, slice: 5, used: 0, outstanding: 5 }, 0]);
});

interface Process {
  slice: number;
  free: number;
  spent: number;
  lastMs: number | null;
}

/** Several processes with random takes, uses, returns and deaths. Every use is recorded with its time. */
function play(
  limit: number,
  steps: readonly [number, number, number, number][],
): { ms: number; units: number }[] {
  const uses: { ms: number; units: number }[] = [];
  const processes: Process[] = [0, 1, 2].map(() => ({ slice: 0, free: 0, spent: 0, lastMs: null }));
  let nowMs = 1_000;
  let bucket = newBucket(ask({ limit }), nowMs);
  for (const [who, what, waits, units] of steps) {
    nowMs += waits;
    const process = processes[who] as Process;
    if (what === 0) {
      bucket = loseSlice(bucket, process.slice, nowMs);
      processes[who] = { slice: 0, free: 0, spent: 0, lastMs: null };
    } else if (what <= 5) {
      const holds = what === 1 ? 0 : process.free;
      const elapsedMs = process.lastMs === null ? null : nowMs - process.lastMs;
      const need = what === 1 ? 0 : units;
      const requested = ask({
        limit,
        spent: process.spent,
        holds,
        need,
        least: Math.min(1, need),
        elapsedMs,
      });
      const done = lendSlice(bucket, process.slice, requested, nowMs);
      bucket = done.bucket;
      processes[who] = {
        slice: done.grant.slice,
        free: holds + done.grant.granted,
        spent: 0,
        lastMs: nowMs,
      };
    } else {
      const used = Math.min(process.free, units);
      process.free -= used;
      process.spent += used;
      if (used > 0) uses.push({ ms: nowMs, units: used });
    }
    const lent = processes.reduce((sum, { slice }) => sum + slice, 0);
    assert.equal(bucket.outstanding, lent);
    assert.ok(bucket.used + lent * partsPerUnit <= limit * partsPerUnit, "more used and lent than fits");
  }
  return uses;
}

test("in any time T at most limit × (1 + T/60 s) are used, whatever processes do", () => {
  const step = fc.tuple(
    fc.integer({ min: 0, max: 2 }),
    fc.integer({ min: 0, max: 12 }),
    fc.integer({ min: 0, max: 3_000 }),
    fc.integer({ min: 1, max: 30 }),
  );
  const sequences = fc.array(step, { minLength: 20, maxLength: 120 });
  const limits = fc.integer({ min: 1, max: 200 });
  fc.assert(
    fc.property(limits, sequences, (limit, steps) => {
      const uses = play(limit, steps);
      for (let from = 0; from < uses.length; from += 1) {
        let sum = 0;
        for (let to = from; to < uses.length; to += 1) {
          sum += (uses[to] as { units: number }).units;
          const passedMs = (uses[to] as { ms: number }).ms - (uses[from] as { ms: number }).ms;
          assert.ok(sum * 60_000 <= limit * (60_000 + passedMs), `${sum} in ${passedMs} ms of ${limit}`);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("after the wait that is named, and not a millisecond before, the units are there", () => {
  const used = fc.integer({ min: 0, max: 1_000 * partsPerUnit });
  const small = fc.integer({ min: 1, max: 1_000 });
  fc.assert(
    fc.property(small, used, small, (limit, parts, units) => {
      fc.pre(units <= limit);
      const bucket = { ...newBucket(ask({ limit }), 0), used: parts };
      const wait = waitMs(units, bucket);
      const there = (ms: number) => available({ ...bucket, used: refilled(parts, limit, ms) });
      assert.ok(there(wait) >= units);
      if (wait > 0) assert.ok(there(wait - 1) < units);
    }),
  );
});
