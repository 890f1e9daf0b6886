/**
 * Has the store add up requests behind the settlements, in the background of every serving process; one
 * of them at a time does it. It goes in pieces so short that nothing waits for one, and rests four
 * times as long after each as it took: an upgrade's years of requests as well as the last seconds'
 * never take more than a fifth of a core.
 */

import { setTimeout } from "node:timers/promises";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { RequestsStore } from "../../store/requests/shapes.ts";
import type { UsageStore } from "../../store/usage/usage.ts";

/**
 * Between two looks. Sums are exact without it; the longer, the more rows are added up anew for each of them.
 */
const lookMs = 3_000;
/**
 * Looks that are left out while this process has recorded nothing: each wakes the storage
 * thread. The next is for what others left.
 */
const pollsSkippedMax = 9;
/** What a piece may take, and how many requests it may have. */
const pieceMs = 25;
const pieceMin = 100;
const pieceMax = 20_000;
/** How many times as long as a piece took nothing is added up. */
const restShare = 4;
/** After a failure, and as long as a smaller piece may do better. */
const pauseMs = 30_000;
const shrinkPauseMs = 250;
const shrinkBy = 10;

export interface UsageRollupOptions {
  readonly store: Pick<UsageStore, "claimUsageRollup" | "rollUpUsage" | "passUsageRow"> &
    Pick<RequestsStore, "requestsGiven">;
  readonly clock: Clock;
  readonly log: Log;
  /** Any name no other process has. */
  readonly processId: string;
  /** Rejects when the signal is aborted. Tests pass their own. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const sleepReally = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal, ref: false });

/** Starts; what is returned stops it and resolves when nothing of it is under way. */
export function startUsageRollup(options: UsageRollupOptions): () => Promise<void> {
  const { store, clock, log, processId, sleep = sleepReally } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let piece = pieceMin;

  /** Everything there is at the moment. */
  async function addUp(): Promise<void> {
    for (let rows = piece; rows >= piece && !signal.aborted; ) {
      const startedMs = clock.elapsedMs();
      rows = await store.rollUpUsage(piece);
      const tookMs = Math.max(1, clock.elapsedMs() - startedMs);
      if (rows < piece) return;
      const fitting = Math.floor((piece * pieceMs) / tookMs);
      // Grows slowly, so that one lucky piece is not followed by one that takes too long.
      piece = Math.min(pieceMax, Math.max(pieceMin, Math.min(fitting, piece * 2)));
      rows = piece;
      await sleep(tookMs * restShare, signal);
    }
  }

  /**
   * Looks for the request that cannot be added up in smaller and smaller pieces, and passes over it
   * alone. Resolves with how long to wait.
   */
  async function shrinkAfter(error: unknown): Promise<number> {
    log.warn("usage_not_added_up", { rows: piece, error: textOf(error) });
    if (piece > 1) {
      piece = Math.max(1, Math.floor(piece / shrinkBy));
      return shrinkPauseMs;
    }
    try {
      const request = await store.passUsageRow();
      if (request !== undefined) log.error("usage_row_passed_over", { request, error: textOf(error) });
      return 0;
    } catch {
      return pauseMs;
    }
  }

  /** Rests until this process records something, nine looks long at most. */
  async function restWhileIdle(given: number): Promise<void> {
    for (let polls = 0; polls < pollsSkippedMax && store.requestsGiven() === given; polls += 1) {
      await sleep(lookMs, signal);
    }
  }

  async function run(): Promise<void> {
    let before = -1;
    while (!signal.aborted) {
      let restMs = lookMs;
      const given = store.requestsGiven();
      const isIdle = given === before;
      before = given;
      try {
        if (await store.claimUsageRollup(processId)) await addUp();
        // What was given just before a look may not have been written then:
        // after it there is always another one.
        else if (isIdle) await restWhileIdle(given);
      } catch (error) {
        if (signal.aborted) return;
        restMs = await shrinkAfter(error);
      }
      await sleep(restMs, signal).catch(() => {});
    }
  }

  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}
