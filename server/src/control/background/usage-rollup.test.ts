import assert from "node:assert/strict";
import { test } from "node:test";
import { startUsageRollup } from "./usage-rollup.ts";

/** Most rows that are summed without a piece. */
const fewMax = 100;

/** A store with this many rows to sum, and a clock that advances with each batch and pause. */
function rig(rows: number, { perRowMs = 0.01, failures = 0, badAt = -1, copied = 0, fillFailures = 0 } = {}) {
  let nowMs = 0;
  let left = rows;
  let failuresLeft = failures;
  const pieces: number[] = [];
  /** Rows that were to be summed as few. */
  const fews: number[] = [];
  const rests: number[] = [];
  const warnings: string[] = [];
  const errors: string[] = [];
  const passed: number[] = [];
  /** Time, rows and spacing of each call that copied. */
  const fills: (readonly [number, number, number])[] = [];
  /** The times at which it asked whether there is something to copy. */
  const looks: number[] = [];
  let uncopied = copied;
  let fillFailuresLeft = fillFailures;
  /** The times at which it checked for rows. */
  const polls: number[] = [];
  let given = 0;
  let onEmpty = () => {};
  const isEmpty = new Promise<void>((resolve) => {
    onEmpty = resolve;
  });
  const stop = startUsageRollup({
    processId: "one",
    clock: { wallMs: () => nowMs, elapsedMs: () => nowMs },
    log: {
      warn: (event: string) => void warnings.push(event),
      error: (event: string) => void errors.push(event),
    } as never,
    store: {
      requestsGiven: () => given,
      async fillListsWithFew() {
        looks.push(nowMs);
        if (uncopied <= fewMax && fillFailuresLeft === 0) uncopied = 0;
        return uncopied > 0 || fillFailuresLeft > 0;
      },
      async fillAccountLists(rowsMax, everyMs) {
        fills.push([nowMs, rowsMax, everyMs]);
        if (fillFailuresLeft-- > 0) throw new Error("away");
        nowMs += Math.min(rowsMax, uncopied) * perRowMs;
        uncopied -= Math.min(rowsMax, uncopied);
        return uncopied > 0;
      },
      claimUsageRollup: async (processId) => {
        assert.equal(processId, "one");
        polls.push(nowMs);
        if (left === 0) onEmpty();
        return left > 0;
      },
      async rollUpFew() {
        if (left > fewMax) return false;
        fews.push(left);
        if (failuresLeft-- > 0) throw new Error("away");
        if (rows - left <= badAt && !passed.includes(badAt)) throw new Error("overflow");
        left = 0;
        return true;
      },
      async rollUpUsage(rowsMax) {
        if (failuresLeft-- > 0) throw new Error("away");
        const done = Math.min(rowsMax, left);
        const begin = rows - left;
        if (begin <= badAt && badAt < begin + done && !passed.includes(badAt)) throw new Error("overflow");
        left -= done;
        nowMs += done * perRowMs;
        pieces.push(rowsMax);
        return done;
      },
      async passUsageRow() {
        if (failuresLeft-- > 0) throw new Error("away");
        const isBad = rows - left === badAt;
        if (isBad) passed.push(badAt);
        left -= 1;
        return isBad ? "req_bad" : undefined;
      },
    },
    sleep: async (ms, signal) => {
      rests.push(ms);
      nowMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    },
  });
  /** This process records one more request. */
  const record = () => {
    given += 1;
    left += 1;
  };
  /** Waits for this many pauses. */
  const rest = async (count: number): Promise<void> => {
    for (const end = rests.length + count; rests.length < end; ) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { stop, isEmpty, record, rest, polls, pieces, fews, rests, warnings, errors, passed, fills, looks };
}

test("pieces grow to what fits their time, and it rests four times as long after each", async () => {
  const { stop, isEmpty, pieces, rests } = rig(100_000);
  await isEmpty;
  await stop();
  assert.deepEqual(pieces.slice(0, 8), [100, 200, 400, 800, 1_600, 3_200, 6_000, 6_000]);
  assert.deepEqual(rests.slice(0, 7), [4, 8, 16, 32, 64, 128, 240]);
});

test("a few requests are added up and copied without a piece", async () => {
  const { stop, isEmpty, pieces, fews, fills } = rig(100, { copied: 100 });
  await isEmpty;
  await stop();
  assert.deepEqual([fews, pieces, fills], [[100], [], []]);
});

test("a bad request among a few is found in pieces, and the others are added up", async () => {
  const { stop, isEmpty, passed, warnings, errors, fews } = rig(90, { badAt: 37 });
  await isEmpty;
  await stop();
  assert.deepEqual([passed, errors], [[37], ["usage_row_passed_over"]]);
  assert.ok(warnings.length <= 20, String(warnings.length));
  assert.equal(fews[0], 90);
});

test("where rows are slow, pieces stay small", async () => {
  const { stop, isEmpty, pieces } = rig(2_000, { perRowMs: 5 });
  await isEmpty;
  await stop();
  assert.deepEqual([...new Set(pieces)], [100]);
});

test("a failure is logged, smaller pieces are tried, and then it goes on after a while", async () => {
  const { stop, isEmpty, rests, warnings, pieces, passed } = rig(50, { failures: 5 });
  await isEmpty;
  await stop();
  // 100, 10, 1, the single row, and the single row again after the pause.
  assert.deepEqual(warnings, Array(4).fill("usage_not_added_up"));
  assert.deepEqual(rests.slice(0, 4), [250, 250, 30_000, 0]);
  assert.equal(pieces[0], 1);
  assert.deepEqual(passed, []);
});

test("a request that cannot be added up is passed over alone, and told", async () => {
  const { stop, isEmpty, warnings, errors, passed } = rig(5_000, { badAt: 1_234 });
  await isEmpty;
  await stop();
  assert.deepEqual(passed, [1_234]);
  assert.deepEqual(errors, ["usage_row_passed_over"]);
  assert.ok(warnings.length <= 20, String(warnings.length));
});

test("while this process records nothing the store is asked every half minute; after a request within six seconds, and once more", async (context) => {
  const { stop, record, rest, polls } = rig(0, { badAt: Number.NaN });
  context.after(stop);
  await rest(42);
  assert.deepEqual(polls.slice(0, 6), [0, 3_000, 33_000, 63_000, 93_000, 123_000]);
  record();
  await rest(6);
  await stop();
  const [first = 0, second = 0, third = 0] = polls.slice(6).map((ms) => ms - 123_000);
  assert.ok(first <= 6_000, `${first}`);
  assert.ok(second - first < 4_000 && third - second < 4_000, polls.join(" "));
});

test("requests are copied before others are added up, in growing pieces, and every fifteen seconds after that", async () => {
  const { stop, isEmpty, rest, rests, fills, looks, polls } = rig(0, { copied: 1_500 });
  await isEmpty;
  assert.deepEqual(rests.slice(0, 3), [4, 8, 16]);
  assert.deepEqual(
    fills.map(([, rows]) => rows),
    [100, 200, 400, 800],
  );
  assert.equal(polls.length, 1);
  await rest(45);
  await stop();
  const [first = 0, second = 0, third = 0] = looks;
  assert.ok(second - first >= 15_000 && third - second >= 15_000, looks.join(" "));
  assert.equal(fills.length, 4, "the second thread is not woken for nothing");
});

test("requests that cannot be copied are told, tried again later, and added up nevertheless", async () => {
  const { stop, isEmpty, warnings, passed, fills, pieces } = rig(5_000, { fillFailures: 1 });
  await isEmpty;
  await stop();
  assert.deepEqual(warnings, ["account_lists_not_filled"]);
  assert.deepEqual(passed, []);
  assert.equal(fills.length, 1);
  assert.equal(pieces[0], 100);
});

test("it stops while there is still something to do", async () => {
  const { stop, pieces } = rig(Number.POSITIVE_INFINITY);
  await new Promise((resolve) => setImmediate(resolve));
  await stop();
  const done = pieces.length;
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(pieces.length, done);
});
