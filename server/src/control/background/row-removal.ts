/**
 * Removes requests that are older than the operator keeps them, and archives and removes old entries of the
 * audit log, in the background of every serving process; one process at a time does it. Steps are short and
 * followed by rests, so that settlements do not wait.
 */
import { setTimeout } from "node:timers/promises";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Archive, ArchivedFile, RemovalStep, RetentionStore } from "../../store/retention/shapes.ts";

/** The first look comes late: a clock that is wrong after a start should be set by then. */
const firstLookMs = 10 * 60_000;
const lookMs = 3_600_000;
/** Rows per transaction: some ten milliseconds. */
const rowsMax = 1_000;
/** The rest after a step, as a multiple of its duration, and its minimum. */
const restShare = 2;
const restMinMs = 20;
/** A step that writes a large day to a distant archive takes longer. */
const stopMsMax = 2_000;
/** By this much the time of day may move against the time that has passed; beyond it nothing is removed. */
const clockStepMs = 10 * 60_000;

export interface RowRemovalOptions {
  readonly store: Pick<RetentionStore, "removeRequests" | "removeAudit">;
  readonly clock: Clock;
  readonly log: Log;
  /** How long rows are kept, in milliseconds; undefined: for ever. */
  readonly keptMs: { readonly requests: number | undefined; readonly audit: number };
  /** Where rows are written first; undefined: they are not, and `pruning.ts` has the audit log. */
  readonly archive: Archive | undefined;
  /** A name that no other process has. */
  readonly processId: string;
  /** Rejects when the signal is aborted. Tests pass their own. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** One kind of row: how long it is kept, how a step removes it, and what is logged. */
interface Kind {
  readonly keptMs: number;
  readonly step: (beforeMs: number) => Promise<RemovalStep>;
  readonly logArchived: (archived: ArchivedFile) => void;
  readonly logRemoved: (rows: number, before: string) => void;
  readonly logFailed: (error: string) => void;
}

const sleepReally = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal, ref: false });

function kindsOf({ store, log, keptMs, archive, processId }: RowRemovalOptions): Kind[] {
  const kinds: Kind[] = [];
  if (keptMs.requests !== undefined) {
    kinds.push({
      keptMs: keptMs.requests,
      step: (beforeMs) => store.removeRequests({ beforeMs, archive, processId, rowsMax }),
      logArchived: ({ rows, ...file }) => log.info("requests_archived", { ...file, requests: rows }),
      logRemoved: (requests, before) => log.info("requests_removed", { requests, before }),
      logFailed: (error) => log.warn("requests_not_removed", { error }),
    });
  }
  if (archive !== undefined) {
    kinds.push({
      keptMs: keptMs.audit,
      step: (beforeMs) => store.removeAudit({ beforeMs, archive, processId, rowsMax }),
      logArchived: ({ rows, ...file }) => log.info("audit_archived", { ...file, lines: rows }),
      logRemoved: (lines, before) => log.info("audit_pruned", { lines, before }),
      logFailed: (error) => log.warn("audit_not_pruned", { error }),
    });
  }
  return kinds;
}

/**
 * Starts; the returned function stops it and resolves when nothing is running, or when a step goes on for
 * longer than a stop may wait. What such a step does not finish, the next process does.
 */
export function startRowRemoval(options: RowRemovalOptions): () => Promise<void> {
  const { clock, sleep = sleepReally } = options;
  const kinds = kindsOf(options);
  if (kinds.length === 0) return async () => {};
  const stopping = new AbortController();
  const { signal } = stopping;
  let timeOfDay = clock.wallMs() - clock.elapsedMs();

  /** True when the time of day was set since the last look, by more than clocks drift. */
  function wasClockSet(): boolean {
    const before = timeOfDay;
    timeOfDay = clock.wallMs() - clock.elapsedMs();
    return Math.abs(timeOfDay - before) > clockStepMs;
  }

  /** Removes everything of a kind that is too old. */
  async function removeAll({ keptMs, step, logArchived, logRemoved }: Kind): Promise<void> {
    const beforeMs = clock.wallMs() - keptMs;
    let rows = 0;
    for (let isMore = true; isMore && !signal.aborted; ) {
      const startedMs = clock.elapsedMs();
      const done = await step(beforeMs);
      rows += done.removed;
      isMore = done.isMore;
      if (done.archived !== undefined) logArchived(done.archived);
      const restMs = Math.max(restMinMs, (clock.elapsedMs() - startedMs) * restShare);
      if (isMore) await sleep(restMs, signal).catch(() => {});
    }
    if (rows > 0) logRemoved(rows, new Date(beforeMs).toISOString());
  }

  async function run(): Promise<void> {
    await sleep(firstLookMs, signal).catch(() => {});
    while (!signal.aborted) {
      const isClockSet = wasClockSet();
      for (const kind of kinds) {
        if (isClockSet) kind.logFailed("the clock was set: waiting for an hour");
        else {
          await removeAll(kind).catch((error: unknown) => {
            if (!signal.aborted) kind.logFailed(error instanceof Error ? error.message : String(error));
          });
        }
      }
      await sleep(lookMs, signal).catch(() => {});
    }
  }

  const running = run();
  return async () => {
    stopping.abort();
    const waiting = new AbortController();
    await Promise.race([running, sleep(stopMsMax, waiting.signal)]);
    waiting.abort();
  };
}
