import assert from "node:assert/strict";
import { test } from "node:test";
import type { Archive, Removal, RemovalStep } from "../../store/retention/shapes.ts";
import { startRowRemoval } from "./row-removal.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;

interface Rigged {
  readonly steps?: readonly (RemovalStep | Error | Promise<RemovalStep>)[];
  /** Those of the audit log. */
  readonly auditSteps?: readonly (RemovalStep | Error)[];
  readonly keptMs?: number | undefined;
  readonly archive?: Archive;
  /** By how much the time of day is set during each rest of an hour. */
  readonly setMs?: readonly number[];
}

const archive: Archive = { folder: "/archive", format: "csv" };

/** A store that does these steps, then nothing, and a clock that advances during rests. */
function rig({ steps = [], auditSteps = [], keptMs = 30 * dayMs, archive, setMs = [] }: Rigged) {
  let elapsedMs = 0;
  let offsetMs = 1_000 * dayMs;
  const asked: Removal[] = [];
  const askedOfAudit: Removal[] = [];
  const rests: number[] = [];
  const lines: [level: string, event: string, detail: unknown][] = [];
  const idle = Promise.withResolvers<void>();
  function doing(left: (RemovalStep | Error | Promise<RemovalStep>)[], removals: Removal[]) {
    return async (removal: Removal) => {
      removals.push(removal);
      elapsedMs += 40;
      const step = left.shift() ?? { removed: 0, isMore: false };
      if (step instanceof Error) throw step;
      return step;
    };
  }
  const settings = [...setMs];
  const note = (level: string) => (event: string, detail: unknown) => void lines.push([level, event, detail]);
  const stop = startRowRemoval({
    keptMs: { requests: keptMs, audit: 400 * dayMs },
    archive,
    processId: "one",
    clock: { wallMs: () => offsetMs + elapsedMs, elapsedMs: () => elapsedMs },
    log: { info: note("info"), warn: note("warn") } as never,
    store: {
      removeRequests: doing([...steps], asked),
      removeAudit: doing([...auditSteps], askedOfAudit),
    },
    async sleep(ms, signal) {
      // What a stop waits at most: only where a step goes on for ever.
      if (ms === 2_000 && !steps.some((step) => step instanceof Promise)) await new Promise(() => {});
      rests.push(ms);
      elapsedMs += ms;
      if (ms === hourMs) offsetMs += settings.shift() ?? 0;
      if (rests.filter((rest) => rest === hourMs).length === 3) idle.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    },
  });
  return { stop, idle: idle.promise, asked, askedOfAudit, rests, lines };
}

test("what is too old goes in steps with rests between them, and is told once", async () => {
  const file = { file: "a.csv.gz", day: "2026-08-01", bytes: 9, digest: "00" };
  const archived = { ...file, rows: 1_300 };
  const { stop, idle, asked, rests, lines } = rig({
    archive,
    steps: [
      { removed: 0, archived, isMore: true },
      { removed: 1_000, isMore: true },
      { removed: 300, isMore: true },
    ],
  });
  await idle;
  await stop();
  assert.deepEqual(rests.slice(0, 5), [600_000, 80, 80, 80, hourMs]);
  const beforeMs = 970 * dayMs + 600_000;
  assert.deepEqual(asked[0], { beforeMs, archive, processId: "one", rowsMax: 1_000 });
  assert.deepEqual(lines, [
    ["info", "requests_archived", { ...file, requests: 1_300 }],
    ["info", "requests_removed", { requests: 1_300, before: new Date(beforeMs).toISOString() }],
  ]);
});

test("a failure is told, and tried again an hour later", async () => {
  const { stop, idle, lines } = rig({ steps: [new Error("away"), { removed: 5, isMore: false }] });
  await idle;
  await stop();
  assert.deepEqual(
    lines.map(([level, event]) => [level, event]),
    [
      ["warn", "requests_not_removed"],
      ["info", "requests_removed"],
    ],
  );
});

test("when the clock was set, nothing is removed for an hour", async () => {
  const { stop, idle, asked, lines } = rig({ setMs: [4_000 * dayMs] });
  await idle;
  await stop();
  assert.deepEqual(
    asked.map(({ beforeMs }) => Math.floor(beforeMs / dayMs)),
    [970, 4_970],
  );
  assert.deepEqual(
    lines.map(([level, event]) => [level, event]),
    [["warn", "requests_not_removed"]],
  );
});

test("with an archive the audit log is archived and removed by its own time, and one failure stops neither", async () => {
  const file = { file: "b.csv.gz", day: "2026-01-01", bytes: 9, digest: "00" };
  const { stop, idle, askedOfAudit, lines } = rig({
    archive,
    steps: [new Error("full")],
    auditSteps: [
      { removed: 0, archived: { ...file, rows: 7 }, isMore: true },
      { removed: 7, isMore: true },
    ],
  });
  await idle;
  await stop();
  const beforeMs = 600 * dayMs + 600_040;
  assert.deepEqual(askedOfAudit[0], { beforeMs, archive, processId: "one", rowsMax: 1_000 });
  assert.deepEqual(lines, [
    ["warn", "requests_not_removed", { error: "full" }],
    ["info", "audit_archived", { ...file, lines: 7 }],
    ["info", "audit_pruned", { lines: 7, before: new Date(beforeMs).toISOString() }],
  ]);
});

test("without an archive the audit log is left to pruning", async () => {
  const { stop, idle, asked, askedOfAudit } = rig({});
  await idle;
  await stop();
  assert.ok(asked.length > 0);
  assert.deepEqual(askedOfAudit, []);
});

test("a stop does not wait for a step that goes on", async () => {
  const { promise: goesOn, resolve } = Promise.withResolvers<RemovalStep>();
  const { stop, asked } = rig({ archive, steps: [goesOn] });
  while (asked.length === 0) await new Promise((next) => setImmediate(next));
  await stop();
  resolve({ removed: 0, isMore: false });
});

test("without a time nothing is ever removed", async () => {
  const { stop, asked } = rig({ keptMs: null as never });
  await stop();
  assert.deepEqual(asked, []);
});
