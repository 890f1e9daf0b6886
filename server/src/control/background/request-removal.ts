/**
 * Removes requests that are older than the operator keeps them, in the background of every serving process;
 * one process at a time does it. Steps are short and followed by rests, so that settlements do not wait.
 */
import { setTimeout } from "node:timers/promises";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { RetentionStore } from "../../store/retention/shapes.ts";

/** The first look comes late: a clock that is wrong after a start should be set by then. */
const firstLookMs = 10 * 60_000;
const lookMs = 3_600_000;
/** Requests per transaction: some ten milliseconds. */
const rowsMax = 1_000;
/** The rest after a step, as a multiple of its duration, and its minimum. */
const restShare = 2;
const restMinMs = 20;
/** By this much the time of day may move against the time that has passed; beyond it nothing is removed. */
const clockStepMs = 10 * 60_000;

export interface RequestRemovalOptions {
  readonly store: Pick<RetentionStore, "removeRequests">;
  readonly clock: Clock;
  readonly log: Log;
  /** How long requests are kept, in milliseconds; undefined: for ever. */
  readonly keptMs: number | undefined;
  /** The folder where a day's requests are written first; undefined: they are not. */
  readonly archive: string | undefined;
  /** A name that no other process has. */
  readonly processId: string;
  /** Rejects when the signal is aborted. Tests pass their own. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const sleepReally = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal, ref: false });

/** Starts; the returned function stops it and resolves when nothing is running. */
export function startRequestRemoval(options: RequestRemovalOptions): () => Promise<void> {
  const { store, clock, log, keptMs, archive, processId, sleep = sleepReally } = options;
  if (keptMs === undefined) return async () => {};
  const stopping = new AbortController();
  const { signal } = stopping;
  let timeOfDay = clock.wallMs() - clock.elapsedMs();

  /** True when the time of day was set since the last look, by more than clocks drift. */
  function wasClockSet(): boolean {
    const before = timeOfDay;
    timeOfDay = clock.wallMs() - clock.elapsedMs();
    return Math.abs(timeOfDay - before) > clockStepMs;
  }

  /** Removes everything that is too old. */
  async function removeAll(beforeMs: number): Promise<void> {
    let requests = 0;
    for (let isMore = true; isMore && !signal.aborted; ) {
      const startedMs = clock.elapsedMs();
      const step = await store.removeRequests({ beforeMs, archive, processId, rowsMax });
      requests += step.removed;
      isMore = step.isMore;
      if (step.archived !== undefined) log.info("requests_archived", { ...step.archived });
      const restMs = Math.max(restMinMs, (clock.elapsedMs() - startedMs) * restShare);
      if (isMore) await sleep(restMs, signal).catch(() => {});
    }
    if (requests > 0) log.info("requests_removed", { requests, before: new Date(beforeMs).toISOString() });
  }

  async function run(keptFor: number): Promise<void> {
    await sleep(firstLookMs, signal).catch(() => {});
    while (!signal.aborted) {
      if (wasClockSet())
        log.warn("requests_not_removed", { error: "the clock was set: waiting for an hour" });
      else {
        await removeAll(clock.wallMs() - keptFor).catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          if (!signal.aborted) log.warn("requests_not_removed", { error: reason });
        });
      }
      await sleep(lookMs, signal).catch(() => {});
    }
  }

  const running = run(keptMs);
  return async () => {
    stopping.abort();
    await running;
  };
}
