/**
 * Deletes old audit log entries and counts of refused calls in the background of every serving process: few
 * at a time, with pauses, so that neither settlements nor the disk are affected. Two processes may do it at
 * once.
 */

import { setTimeout } from "node:timers/promises";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { OperationStore } from "../../store/operation/operation.ts";
import type { RefusalStore } from "../../store/requests/refusal-shapes.ts";

/** Milliseconds before the first run, because a start has other work. */
const firstLookMs = 60_000;
const lookMs = 3_600_000;
/** Rows per transaction, a few milliseconds of work. */
const pieceMax = 500;
/** The pause after a piece, as a multiple of its duration, and its minimum. */
const restShare = 9;
const restMinMs = 50;

export interface PruningOptions {
  readonly store: Pick<OperationStore, "pruneAudit"> & Pick<RefusalStore, "pruneRefusals">;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * How long audit log entries and counts of refused calls are kept, in milliseconds. `audit` undefined: they
   * are archived first (`row-removal.ts`).
   */
  readonly keptMs: { readonly audit: number | undefined; readonly refusals: number };
  /** Rejects when the signal is aborted. Tests pass their own. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const sleepReally = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal, ref: false });

/** Starts; the returned function stops it and resolves when nothing is running. */
export function startPruning(options: PruningOptions): () => Promise<void> {
  const { store, clock, log, keptMs, sleep = sleepReally } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  /**
   * Deletes everything that is too old; resolves with the number of rows. `piece`: deletes up to `rowsMax`
   * rows and resolves with how many.
   */
  async function prune(piece: (rowsMax: number) => Promise<number>): Promise<number> {
    let rows = 0;
    while (!signal.aborted) {
      const startedMs = clock.elapsedMs();
      const gone = await piece(pieceMax);
      rows += gone;
      if (gone < pieceMax) break;
      const rested = sleep(Math.max(restMinMs, (clock.elapsedMs() - startedMs) * restShare), signal);
      await rested.catch(() => {});
    }
    return rows;
  }

  async function pruneAudit(): Promise<void> {
    if (keptMs.audit === undefined) return;
    const before = clock.wallMs() - keptMs.audit;
    const lines = await prune((rowsMax) => store.pruneAudit(before, rowsMax));
    if (lines > 0) log.info("audit_pruned", { lines, before: new Date(before).toISOString() });
  }

  async function pruneRefusals(): Promise<void> {
    const before = clock.wallMs() - keptMs.refusals;
    const counts = await prune((rowsMax) => store.pruneRefusals(before, rowsMax));
    if (counts > 0) log.info("refusals_pruned", { counts, before: new Date(before).toISOString() });
  }

  const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

  async function run(): Promise<void> {
    await sleep(firstLookMs, signal).catch(() => {});
    while (!signal.aborted) {
      await pruneAudit().catch((error: unknown) => {
        if (!signal.aborted) log.warn("audit_not_pruned", { error: reasonOf(error) });
      });
      await pruneRefusals().catch((error: unknown) => {
        if (!signal.aborted) log.warn("refusals_not_pruned", { error: reasonOf(error) });
      });
      await sleep(lookMs, signal).catch(() => {});
    }
  }

  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}
