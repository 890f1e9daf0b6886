/**
 * Opens a store. The only file of `store/` that the composition root and the command line import; it loads
 * SQL code only where it runs.
 */
import { type Clock, systemClock } from "../lib/time/clock.ts";
import { createStore, type StoreJournal } from "./create-store.ts";
import { openCore } from "./open-core.ts";
import type { Store } from "./store.ts";
import { openInThread } from "./thread/client.ts";
import type { CoreSettings, DatabaseTarget } from "./thread/messages.ts";
import { withSecondThread } from "./thread/second-thread.ts";
import type { StorageThreads } from "./thread/start.ts";

export interface OpenStoreOptions {
  /**
   * A SQLite file, created when missing, in an existing directory (":memory:" only in-process); or an
   * existing PostgreSQL database.
   */
  readonly database: DatabaseTarget;
  /** The 32 bytes that seal upstreams' credentials (`lib/secret.ts`). */
  readonly secretKey: Buffer;
  /**
   * The file the key came from. It is read again when needed, so that keys can be exchanged while servers
   * run.
   */
  readonly secretKeyFile?: string | undefined;
  /**
   * Milliseconds to wait for another process's transaction before a call fails with `locked`; 5 s by default.
   */
  readonly busyTimeoutMs?: number;
  /**
   * PostgreSQL only: milliseconds a statement may take before the call fails with `unavailable`; 8 s by
   * default.
   */
  readonly statementTimeoutMs?: number;
  /** PostgreSQL only: most connections of the serving thread; 8 by default. */
  readonly connectionsMax?: number;
  /** Where storage threads come from; a new one for each store by default. */
  readonly threads?: StorageThreads | undefined;
  /** For a serving process: where settlements are kept while the database is unavailable. */
  readonly journal?: StoreJournal;
}

/**
 * For a serving process. In a busy one, answers wait half of it on average; every commit costs as much as
 * twenty requests.
 */
const commitGapMs = 4;

/** Connections of the second thread: one for reading sums and one for writing them. */
const secondConnectionsMax = 2;

function coreSettings(options: OpenStoreOptions): CoreSettings {
  const { database, secretKey, secretKeyFile } = options;
  const { busyTimeoutMs = 5_000, statementTimeoutMs = 8_000, connectionsMax = 8 } = options;
  return { database, secretKey, secretKeyFile, busyTimeoutMs, statementTimeoutMs, connectionsMax };
}

/**
 * The store for a server; all storage work runs in a separate thread. Call `migrate` first and `close` at the
 * end (the thread keeps the process alive). Rejects with StoreError when the database cannot be opened.
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const settings = coreSettings(options);
  const second = { ...settings, connectionsMax: secondConnectionsMax };
  const core = withSecondThread(await openInThread(settings, options.threads), () =>
    openInThread(second, options.threads),
  );
  return createStore(core, options.journal, commitGapMs);
}

/**
 * The same store on the caller's event loop, which it blocks while it works; for the command line and tests.
 */
export async function openStoreInProcess(
  options: OpenStoreOptions & { readonly clock?: Clock },
): Promise<Store> {
  return createStore(await openCore(coreSettings(options), options.clock ?? systemClock), options.journal);
}
