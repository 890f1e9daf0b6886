/**
 * Opens the store of a process that starts. A database server that does not answer yet, as when machines
 * start together, is waited for; everything else that is wrong ends the start immediately.
 */

import type { Log } from "../lib/telemetry/log.ts";
import type { Clock } from "../lib/time/clock.ts";
import { StoreError } from "../store/error.ts";
import type { Store } from "../store/store.ts";

export interface OpenDatabaseOptions {
  readonly open: () => Promise<Store>;
  /** How long to wait for a server that does not answer. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** True when the process was asked to stop meanwhile. */
  readonly isStopping: () => boolean;
}

const retryMs = 1_000;
const logEveryMs = 10_000;

const isAway = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.code === "unavailable";

/**
 * Rejects with the store's error when it cannot be opened, or not in time; resolves with
 * undefined when the process stops first.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Store | undefined> {
  const { open, waitMs, clock, log, sleep, isStopping } = options;
  const startedMs = clock.elapsedMs();
  let loggedMs = Number.NEGATIVE_INFINITY;
  while (!isStopping()) {
    try {
      const store = await open();
      if (loggedMs >= 0) log.info("database_there", { waitedMs: Math.round(clock.elapsedMs() - startedMs) });
      return store;
    } catch (error) {
      const nowMs = clock.elapsedMs();
      const leftMs = startedMs + waitMs - nowMs;
      if (!isAway(error) || leftMs <= 0) throw error;
      if (nowMs - loggedMs >= logEveryMs) {
        log.warn("database_awaited", { error: error.message, givesUpInMs: Math.round(leftMs) });
        loggedMs = nowMs;
      }
      await sleep(Math.min(retryMs, leftMs));
    }
  }
  return undefined;
}
