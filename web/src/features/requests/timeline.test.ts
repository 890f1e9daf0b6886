/** Segments lie within the request, in order, and add up to what is known. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ticksOf, timelineOf } from "./timeline.ts";

/** As older versions recorded it. */
const attempt = (number: number, outcome: string, durationMs: number) => ({
  ...{ number, outcome, durationMs, startMs: null, firstTokenMs: null },
});

/** What older versions did not record of a request. */
const old = { isStream: true, queueMs: null };

test("what no attempt took is Plaza's, and the answer is split at its first token", () => {
  const request = {
    ...old,
    durationMs: 1_000,
    firstTokenMs: 400,
    attemptList: [attempt(1, "answered", 900)],
  };
  assert.deepEqual(timelineOf(request), [
    { attempt: null, segments: [{ kind: "plaza", fromMs: 0, toMs: 100 }] },
    {
      attempt: 1,
      segments: [
        { kind: "waiting", fromMs: 100, toMs: 400 },
        { kind: "generating", fromMs: 400, toMs: 1_000 },
      ],
    },
  ]);
});

test("failed attempts come before the one that answered; without Plaza's part there is no line for it", () => {
  const attemptList = [attempt(1, "timeout", 300), attempt(2, "answered", 700)];
  const rows = timelineOf({ ...old, durationMs: 1_000, firstTokenMs: null, attemptList });
  assert.deepEqual(rows, [
    { attempt: 1, segments: [{ kind: "failed", fromMs: 0, toMs: 300 }] },
    { attempt: 2, segments: [{ kind: "waiting", fromMs: 300, toMs: 1_000 }] },
  ]);
});

test("a superseded attempt ran beside the winner until its first token", () => {
  const attemptList = [attempt(1, "superseded", 500), attempt(2, "answered", 600)];
  const [plaza, hedge, winner] = timelineOf({ ...old, durationMs: 1_000, firstTokenMs: 550, attemptList });
  assert.deepEqual(plaza?.segments, [{ kind: "plaza", fromMs: 0, toMs: 400 }]);
  assert.deepEqual(hedge?.segments, [{ kind: "failed", fromMs: 50, toMs: 550 }]);
  assert.equal(winner?.segments[0]?.fromMs, 400);
});

test("a request refused before any attempt is all Plaza's", () => {
  assert.deepEqual(timelineOf({ ...old, durationMs: 3, firstTokenMs: null, attemptList: [] }), [
    { attempt: null, segments: [{ kind: "plaza", fromMs: 0, toMs: 3 }] },
  ]);
});

/** As it is recorded now. */
const begun = (number: number, outcome: string, startMs: number, durationMs: number) => ({
  ...{ number, outcome, startMs, durationMs, firstTokenMs: null, upstream: `up-${number}` },
});

test("what is recorded is drawn where it was: the queue, each attempt, the first token", () => {
  const attemptList = [
    begun(1, "failed", 40, 300),
    begun(2, "timeout", 350, 5_000),
    { ...begun(3, "answered", 5_360, 2_630), firstTokenMs: 1_000 },
  ];
  const request = { isStream: true, durationMs: 8_000, firstTokenMs: 6_360, queueMs: 40, attemptList };
  assert.deepEqual(timelineOf(request), [
    { attempt: null, segments: [{ kind: "queue", fromMs: 0, toMs: 40 }] },
    {
      ...{ attempt: 1, upstream: "up-1", failure: "failed" },
      segments: [{ kind: "failed", fromMs: 40, toMs: 340 }],
    },
    {
      ...{ attempt: 2, upstream: "up-2", failure: "timeout" },
      segments: [{ kind: "failed", fromMs: 350, toMs: 5_350 }],
    },
    {
      ...{ attempt: 3, upstream: "up-3" },
      segments: [
        { kind: "waiting", fromMs: 5_360, toMs: 6_360 },
        { kind: "generating", fromMs: 6_360, toMs: 7_990 },
      ],
    },
  ]);
});

test("attempts beside each other overlap, and a queue of 0 ms is a line, too", () => {
  const attemptList = [
    begun(1, "superseded", 0, 500),
    { ...begun(2, "answered", 300, 700), firstTokenMs: 200 },
  ];
  const request = { isStream: true, durationMs: 1_000, firstTokenMs: 500, queueMs: 0, attemptList };
  const rows = timelineOf(request);
  assert.deepEqual(rows[0]?.segments, [{ kind: "queue", fromMs: 0, toMs: 0 }]);
  assert.deepEqual(
    rows.slice(1).map(({ segments }) => [segments[0]?.fromMs, segments.at(-1)?.toMs]),
    [
      [0, 500],
      [300, 1_000],
    ],
  );
});

test("a whole answer has no first token; an interrupted one names how it ended", () => {
  const whole = { isStream: false, durationMs: 90, firstTokenMs: null, queueMs: 2 };
  assert.deepEqual(timelineOf({ ...whole, attemptList: [begun(1, "answered", 2, 88)] })[1]?.segments, [
    { kind: "whole", fromMs: 2, toMs: 90 },
  ]);
  const cut = { ...begun(1, "cut", 2, 88), firstTokenMs: 10 };
  const [, row] = timelineOf({ ...whole, isStream: true, firstTokenMs: 12, attemptList: [cut] });
  assert.equal(row?.failure, "cut");
  assert.deepEqual(
    row?.segments.map(({ kind }) => kind),
    ["waiting", "generating"],
  );
});

const ms = fc.integer({ min: 0, max: 3_600_000 });

test("whatever was recorded, nothing lies outside the request or runs backwards", () => {
  const outcomes = fc.constantFrom("answered", "cut", "timeout", "superseded", "new");
  const attempts = fc.array(fc.tuple(outcomes, ms, fc.option(ms), fc.option(ms)), { maxLength: 6 });
  fc.assert(
    fc.property(ms, fc.option(ms), fc.option(ms), attempts, (durationMs, firstTokenMs, queueMs, given) => {
      const attemptList = given.map(([outcome, tookMs, startMs, first], at) => ({
        ...{ ...attempt(at + 1, outcome, tookMs), startMs, firstTokenMs: first },
      }));
      const rows = timelineOf({ isStream: true, queueMs, durationMs, firstTokenMs, attemptList });
      assert.deepEqual(
        rows.flatMap((row) => (row.attempt === null ? [] : [row.attempt])),
        attemptList.map(({ number }) => number),
      );
      for (const { fromMs, toMs } of rows.flatMap(({ segments }) => segments))
        assert.ok(0 <= fromMs && fromMs <= toMs && toMs <= durationMs);
    }),
  );
});

test("a scale has round steps, begins at 0 and stays within the request", () => {
  assert.deepEqual(ticksOf(1_000), [0, 200, 400, 600, 800, 1_000]);
  assert.deepEqual(ticksOf(2_300), [0, 500, 1_000, 1_500, 2_000]);
  assert.deepEqual(ticksOf(0), [0]);
  fc.assert(
    fc.property(ms, (totalMs) => {
      const ticks = ticksOf(totalMs);
      assert.ok(ticks.length <= 6 && ticks[0] === 0 && (ticks.at(-1) ?? 0) <= totalMs);
      assert.ok(totalMs < 3 || ticks.length >= 3);
    }),
  );
});
