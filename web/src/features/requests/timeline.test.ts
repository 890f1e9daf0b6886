/** Segments lie within the request, in order, and add up to what is known. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ticksOf, timelineOf } from "./timeline.ts";

const attempt = (number: number, outcome: string, durationMs: number) => ({ number, outcome, durationMs });

test("what no attempt took is Plaza's, and the answer is split at its first token", () => {
  const request = { durationMs: 1_000, firstTokenMs: 400, attemptList: [attempt(1, "answered", 900)] };
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
  const rows = timelineOf({ durationMs: 1_000, firstTokenMs: null, attemptList });
  assert.deepEqual(rows, [
    { attempt: 1, segments: [{ kind: "failed", fromMs: 0, toMs: 300 }] },
    { attempt: 2, segments: [{ kind: "waiting", fromMs: 300, toMs: 1_000 }] },
  ]);
});

test("a superseded attempt ran beside the winner until its first token", () => {
  const attemptList = [attempt(1, "superseded", 500), attempt(2, "answered", 600)];
  const [plaza, hedge, winner] = timelineOf({ durationMs: 1_000, firstTokenMs: 550, attemptList });
  assert.deepEqual(plaza?.segments, [{ kind: "plaza", fromMs: 0, toMs: 400 }]);
  assert.deepEqual(hedge?.segments, [{ kind: "failed", fromMs: 50, toMs: 550 }]);
  assert.equal(winner?.segments[0]?.fromMs, 400);
});

test("a request refused before any attempt is all Plaza's", () => {
  assert.deepEqual(timelineOf({ durationMs: 3, firstTokenMs: null, attemptList: [] }), [
    { attempt: null, segments: [{ kind: "plaza", fromMs: 0, toMs: 3 }] },
  ]);
});

const ms = fc.integer({ min: 0, max: 3_600_000 });

test("whatever was recorded, nothing lies outside the request or runs backwards", () => {
  const attempts = fc.array(
    fc.tuple(fc.constantFrom("answered", "cut", "timeout", "superseded", "new"), ms),
    {
      maxLength: 6,
    },
  );
  fc.assert(
    fc.property(ms, fc.option(ms), attempts, (durationMs, firstTokenMs, given) => {
      const attemptList = given.map(([outcome, tookMs], at) => attempt(at + 1, outcome, tookMs));
      const rows = timelineOf({ durationMs, firstTokenMs, attemptList });
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
