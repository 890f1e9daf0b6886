/**
 * Opens the store at startup. Waits for a database server that does not answer yet, as when machines start
 * together; any other error ends the start.
 */

import type { Log } from "../lib/telemetry/log.ts";
import type { Clock } from "../lib/time/clock.ts";
import { StoreError } from "../store/error.ts";
import type { Store } from "../store/store.ts";

export interface OpenDatabaseOptions {
  readonly open: () => Promise<Store>;
  /** How long to wait for the server, in milliseconds. */
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
 * Resolves with the store, or undefined when the process is asked to stop first. Rejects with the store's
 * error when it cannot be opened in time.
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
