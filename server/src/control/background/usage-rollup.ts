/**
 * Sums requests in the background of every serving process, one process at a time, and copies them into the
 * lists of their accounts. Pieces are so short that nothing waits for them, and after each it rests four
 * times as long, so that even an upgrade with years of requests leaves the machine to the callers.
 */

import { setTimeout } from "node:timers/promises";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { RequestsStore } from "../../store/requests/shapes.ts";
import type { UsageStore } from "../../store/usage/usage.ts";

/**
 * Milliseconds between checks. Totals are exact without sums, but each query then has to add up more rows.
 */
const lookMs = 3_000;
/** Checks skipped while this process has recorded nothing, because each wakes the storage thread. */
const pollsSkippedMax = 9;
/** Intended duration of a piece in milliseconds, and limits for its number of requests. */
const pieceMs = 60;
const pieceMin = 100;
const pieceMax = 20_000;
/** The rest after a piece, as a multiple of its duration. */
const restShare = 4;
/** Milliseconds to wait after a failure, while a smaller piece may succeed. */
const pauseMs = 30_000;
const shrinkPauseMs = 250;
const shrinkBy = 10;
/**
 * How often requests are copied into the lists of their accounts. The more come together, the less each
 * costs; lists read the rest from the table.
 */
const fillEveryMs = 15_000;
/** Intended duration of a piece of lists, and its most rows. */
const fillMs = 60;
const fillMax = 20_000;

export interface UsageRollupOptions {
  readonly store: Pick<
    UsageStore,
    | "claimUsageRollup"
    | "rollUpFew"
    | "rollUpUsage"
    | "passUsageRow"
    | "fillListsWithFew"
    | "fillAccountLists"
  > &
    Pick<RequestsStore, "requestsGiven">;
  readonly clock: Clock;
  readonly log: Log;
  /** A name that no other process has. */
  readonly processId: string;
  /** Rejects when the signal is aborted. Tests pass their own. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const sleepReally = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal, ref: false });

/** Rows that fit the time. Grows slowly, so that a fast piece is not followed by one that takes too long. */
const nextPiece = (rows: number, tookMs: number, fittingMs: number, most: number): number =>
  Math.min(most, Math.max(pieceMin, Math.min(Math.floor((rows * fittingMs) / tookMs), rows * 2)));

/** Starts; the returned function stops it and resolves when nothing is running. */
export function startUsageRollup(options: UsageRollupOptions): () => Promise<void> {
  const { store, clock, log, processId, sleep = sleepReally } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let piece = pieceMin;
  let fillPiece = pieceMin;
  let filledMs = Number.NEGATIVE_INFINITY;

  /** Copies everything there is at the moment, every few seconds. */
  async function fillWhenDue(): Promise<void> {
    if (clock.elapsedMs() - filledMs < fillEveryMs) return;
    filledMs = clock.elapsedMs();
    try {
      if (!(await store.fillListsWithFew(fillEveryMs / 2))) return;
      while (!signal.aborted) {
        const startedMs = clock.elapsedMs();
        if (!(await store.fillAccountLists(fillPiece, fillEveryMs / 2))) return;
        const tookMs = Math.max(1, clock.elapsedMs() - startedMs);
        fillPiece = nextPiece(fillPiece, tookMs, fillMs, fillMax);
        await sleep(tookMs * restShare, signal);
      }
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn("account_lists_not_filled", { rows: fillPiece, error: textOf(error) });
      fillPiece = pieceMin;
    }
  }

  /** Sums everything there is at the moment; in pieces after a failure, to find the row behind it. */
  async function addUp(): Promise<void> {
    if (piece >= pieceMin && (await store.rollUpFew())) return;
    for (let rows = piece; rows >= piece && !signal.aborted; ) {
      const startedMs = clock.elapsedMs();
      rows = await store.rollUpUsage(piece);
      const tookMs = Math.max(1, clock.elapsedMs() - startedMs);
      if (rows < piece) return;
      piece = nextPiece(piece, tookMs, pieceMs, pieceMax);
      rows = piece;
      await sleep(tookMs * restShare, signal);
      await fillWhenDue();
    }
  }

  /**
   * Finds the request that cannot be summed with ever smaller pieces, and skips only that one. Resolves with
   * the milliseconds to wait.
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

  /** Rests until this process records something, for nine checks at most. */
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
        await fillWhenDue();
        if (await store.claimUsageRollup(processId)) await addUp();
        // What was recorded just before a check may not have been written yet, so there is always one more
        // check.
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
