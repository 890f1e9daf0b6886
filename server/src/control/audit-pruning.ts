/**
 * Has the store forget lines of the audit log that are older than they are kept, in the background of every serving process: a few at a
 * time, with rests, so that neither settlements nor the disk notice. Two processes at it do no harm: each line goes once.
 */
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Store } from "../store/store.ts";

/** Not at once: a start has other things to do. */
const firstLookMs = 60_000;
const lookMs = 3_600_000;
/** Lines of one transaction, a few milliseconds of work. */
const pieceMax = 500;
/** How many times as long as a piece took nothing is forgotten, and at least how long. */
const restShare = 9;
const restMinMs = 50;

export interface AuditPruningOptions {
  readonly store: Pick<Store, "pruneAudit">;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a line is kept. */
  readonly keptMs: number;
  /** Rejects when the signal is aborted. Tests pass their own. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const sleepReally = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal, ref: false });

/** Starts; what is returned stops it and resolves when nothing of it is under way. */
export function startAuditPruning(options: AuditPruningOptions): () => Promise<void> {
  const { store, clock, log, keptMs, sleep = sleepReally } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  /** Everything that is too old by now; resolves with how many lines. */
  async function prune(before: number): Promise<number> {
    let lines = 0;
    while (!signal.aborted) {
      const startedMs = clock.elapsedMs();
      const gone = await store.pruneAudit(before, pieceMax);
      lines += gone;
      if (gone < pieceMax) break;
      const rested = sleep(Math.max(restMinMs, (clock.elapsedMs() - startedMs) * restShare), signal);
      await rested.catch(() => {});
    }
    return lines;
  }

  async function run(): Promise<void> {
    await sleep(firstLookMs, signal).catch(() => {});
    while (!signal.aborted) {
      try {
        const before = clock.wallMs() - keptMs;
        const lines = await prune(before);
        if (lines > 0) log.info("audit_pruned", { lines, before: new Date(before).toISOString() });
      } catch (error) {
        if (signal.aborted) return;
        log.warn("audit_not_pruned", { error: error instanceof Error ? error.message : String(error) });
      }
      await sleep(lookMs, signal).catch(() => {});
    }
  }

  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}
