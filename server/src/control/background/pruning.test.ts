import assert from "node:assert/strict";
import { test } from "node:test";
import { startPruning } from "./pruning.ts";

const dayMs = 86_400_000;

/** A store with this many old entries and counts, and a clock that advances during pauses. */
function rig(old: number, { failures = 0, counts = 0 } = {}) {
  let nowMs = 1_000 * dayMs;
  let left = old;
  let failuresLeft = failures;
  let countsLeft = counts;
  const countsAsked: { before: number; rowsMax: number }[] = [];
  const asked: { before: number; linesMax: number }[] = [];
  const rests: number[] = [];
  const lines: [event: string, detail: unknown][] = [];
  const idle = Promise.withResolvers<void>();
  const note = (event: string, detail: unknown) => void lines.push([event, detail]);
  const stop = startPruning({
    keptMs: { audit: 400 * dayMs, refusals: 90 * dayMs },
    clock: { wallMs: () => nowMs, elapsedMs: () => nowMs },
    log: { info: note, warn: note } as never,
    store: {
      async pruneAudit(before, linesMax) {
        asked.push({ before, linesMax });
        if (failuresLeft-- > 0) throw new Error("away");
        const gone = Math.min(left, linesMax);
        left -= gone;
        nowMs += gone / 50;
        return gone;
      },
      async pruneRefusals(before, rowsMax) {
        countsAsked.push({ before, rowsMax });
        const gone = Math.min(countsLeft, rowsMax);
        countsLeft -= gone;
        return gone;
      },
    },
    async sleep(ms, signal) {
      rests.push(ms);
      nowMs += ms;
      if (rests.filter((rest) => rest === 3_600_000).length === 2) idle.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    },
  });
  return { stop, idle: idle.promise, asked, countsAsked, rests, lines };
}

test("what is too old goes in pieces with rests between them, and is told once", async () => {
  const { stop, idle, asked, rests, lines } = rig(1_234);
  await idle;
  await stop();
  assert.deepEqual(rests.slice(0, 5), [60_000, 90, 90, 3_600_000, 3_600_000]);
  assert.ok(asked.every(({ linesMax }) => linesMax === 500));
  const before = 600 * dayMs + 60_000;
  assert.deepEqual(
    asked.slice(0, 3).map((one) => one.before),
    [before, before, before],
  );
  assert.ok((asked[3]?.before ?? 0) > before + 3_600_000 - 1);
  assert.deepEqual(lines, [["audit_pruned", { lines: 1_234, before: new Date(before).toISOString() }]]);
});

test("counts of refused calls go after their own time, also where the audit log cannot be pruned", async () => {
  const { stop, idle, countsAsked, rests, lines } = rig(0, { counts: 700, failures: 1 });
  await idle;
  await stop();
  assert.deepEqual(rests, [60_000, 50, 3_600_000, 3_600_000]);
  const before = 910 * dayMs + 60_000;
  assert.deepEqual(countsAsked.slice(0, 2), [
    { before, rowsMax: 500 },
    { before, rowsMax: 500 },
  ]);
  assert.deepEqual(lines, [
    ["audit_not_pruned", { error: "away" }],
    ["refusals_pruned", { counts: 700, before: new Date(before).toISOString() }],
  ]);
});

test("a failure is logged, and the next hour tries again", async () => {
  const { stop, idle, asked, lines } = rig(3, { failures: 1 });
  await idle;
  await stop();
  assert.deepEqual(
    lines.map(([event]) => event),
    ["audit_not_pruned", "audit_pruned"],
  );
  assert.equal(asked.length, 2);
});

test("it stops before its first look, and in the middle of its work", async () => {
  const early = rig(1);
  await early.stop();
  assert.deepEqual(early.asked, []);
  const busy = rig(Number.POSITIVE_INFINITY);
  while (busy.asked.length < 3) await new Promise((resolve) => setImmediate(resolve));
  await busy.stop();
  const done = busy.asked.length;
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(busy.asked.length, done);
});
