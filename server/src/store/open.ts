/**
 * Opens a store. The only file of `store/` the composition root and the command line need; it loads SQL code only where
 * that is going to run.
 */
import { type Clock, systemClock } from "../lib/clock.ts";
import { createStore } from "./create-store.ts";
import type { Store } from "./store.ts";
import { startSqliteThread } from "./thread-client.ts";

export interface OpenStoreOptions {
  /** Path of the SQLite file; made when absent, in a directory that exists. ":memory:" only in-process. */
  readonly file: string;
  /** 32 bytes that seal the upstreams' credentials (`lib/secret.ts`). */
  readonly secretKey: Buffer;
  /** How long to wait for another process's transaction before a call fails with `locked`; 5 s by default. */
  readonly busyTimeoutMs?: number;
}

const defaultBusyTimeoutMs = 5_000;

/**
 * The store for a server: all storage work happens in a thread of its own. Call `migrate` before anything else, `close`
 * at the end (the thread keeps the process alive). Rejects with StoreError when the file cannot be opened.
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { file, secretKey, busyTimeoutMs = defaultBusyTimeoutMs } = options;
  return createStore(await startSqliteThread({ file, secretKey, busyTimeoutMs }));
}

/** The same store on the caller's own event loop, which it blocks while it works: for the command line and tests. */
export async function openStoreInProcess(
  options: OpenStoreOptions & { readonly clock?: Clock },
): Promise<Store> {
  const { file, secretKey, busyTimeoutMs = defaultBusyTimeoutMs, clock = systemClock } = options;
  const { openSqliteCore } = await import("./sqlite-core.ts");
  return createStore(await openSqliteCore({ file, secretKey, busyTimeoutMs, clock }));
}
