/**
 * Opens undici's pool of connections. Loaded late, by `http-client.ts`. The pool is imported by its file:
 * undici's index also loads fetch, caches and WebSockets, an unneeded 15 MB and 40 ms.
 */
import type { buildConnector, Pool as PoolOf } from "undici";
import Pool from "undici/lib/dispatcher/pool.js";

/** A pool of one origin, over connections of its own or those that `connect` opens. */
export const openPool = (
  origin: string,
  connect: buildConnector.connector | { readonly timeout: number },
): PoolOf =>
  new Pool(origin, {
    connections: null,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect,
    keepAliveTimeout: 30_000,
    keepAliveMaxTimeout: 300_000,
    maxResponseSize: -1,
  });
