/**
 * Opens a store. The only file of `store/` the composition root and the command line need; it loads SQL
 * code only where that is going to run.
 */
import { type Clock, systemClock } from "../lib/time/clock.ts";
import { createStore, type StoreJournal } from "./create-store.ts";
import { openCore } from "./open-core.ts";
import type { Store } from "./store.ts";
import { startStoreThread } from "./thread/client.ts";
import type { CoreSettings, DatabaseTarget } from "./thread/messages.ts";
import { withSecondThread } from "./thread/second-thread.ts";

export interface OpenStoreOptions {
  /**
   * A SQLite file, made when absent, in a directory that exists (":memory:" only in-process);
   * or a PostgreSQL database that exists.
   */
  readonly database: DatabaseTarget;
  /** 32 bytes that seal the upstreams' credentials (`lib/secret.ts`). */
  readonly secretKey: Buffer;
  /**
   * The file it came from: it is looked up again when it is needed, so that keys
   * can be exchanged while servers run.
   */
  readonly secretKeyFile?: string | undefined;
  /** How long to wait for another process's transaction before a call fails with `locked`; 5 s by default. */
  readonly busyTimeoutMs?: number;
  /**
   * PostgreSQL only: how long the server may take for a statement before the call fails
   * with `unavailable`; 8 s by default.
   */
  readonly statementTimeoutMs?: number;
  /** PostgreSQL only: most connections of the serving thread; 8 by default. */
  readonly connectionsMax?: number;
  /** For a serving process: where settlements wait while the database is away. */
  readonly journal?: StoreJournal;
}

/**
 * Of a serving process. Half of it is what an answer waits longer in a busy one; every
 * commit costs as much as ten requests.
 */
const commitGapMs = 2;

/** Of the second thread: one for sums that are read and one for sums that are written. */
const secondConnectionsMax = 2;

function coreSettings(options: OpenStoreOptions): CoreSettings {
  const { database, secretKey, secretKeyFile } = options;
  const { busyTimeoutMs = 5_000, statementTimeoutMs = 8_000, connectionsMax = 8 } = options;
  return { database, secretKey, secretKeyFile, busyTimeoutMs, statementTimeoutMs, connectionsMax };
}

/**
 * The store for a server: all storage work happens in a thread of its own. Call `migrate` before
 * anything else, `close` at the end (the thread keeps the process alive). Rejects with
 * StoreError when the database cannot be opened.
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const settings = coreSettings(options);
  const second = { ...settings, connectionsMax: secondConnectionsMax };
  const core = withSecondThread(await startStoreThread(settings), () => startStoreThread(second));
  return createStore(core, options.journal, commitGapMs);
}

/**
 * The same store on the caller's own event loop, which it blocks while it
 * works: for the command line and tests.
 */
export async function openStoreInProcess(
  options: OpenStoreOptions & { readonly clock?: Clock },
): Promise<Store> {
  return createStore(await openCore(coreSettings(options), options.clock ?? systemClock), options.journal);
}
