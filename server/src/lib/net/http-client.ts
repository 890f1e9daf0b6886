/**
 * Besides `safe-fetch.ts`, the only place that opens connections to other hosts: one undici Pool per origin,
 * used through `dispatch`, so that no promise, stream or copy is between an upstream's socket and the
 * handler. Redirects are never followed.
 *
 * The pool is imported by its file: undici's index also loads fetch, caches and WebSockets, an unneeded 15 MB
 * and 40 ms.
 */
import type { buildConnector, Dispatcher } from "undici";
import Pool from "undici/lib/dispatcher/pool.js";

/** The part of undici's controller that a handler uses; a script or a test can provide it too. */
export interface AnswerController {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** Receives an answer. The same calls in the same order as undici's dispatch handler. */
export interface AnswerHandler {
  onRequestStart(controller: AnswerController): void;
  onResponseStart(
    controller: AnswerController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void;
  /** `chunk` is valid until this returns: its memory may be read into again. Who keeps bytes copies them. */
  onResponseData(controller: AnswerController, chunk: Buffer): void;
  onResponseEnd(controller: AnswerController): void;
  onResponseError(controller: AnswerController, error: Error): void;
}

/** One HTTP POST. `headers` is a flat name, value list. */
export interface HttpCall {
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

export interface HttpClient {
  /** Starts the call. Every outcome, including an immediate failure, is reported to the handler. */
  post(call: HttpCall, handler: AnswerHandler): void;
  /** The same without a body. */
  get(call: Omit<HttpCall, "body">, handler: AnswerHandler): void;
  /** Closes idle connections; aborts calls in flight. */
  close(): Promise<void>;
}

/**
 * Opens a client for one origin. `connectMs`: limit for TCP and TLS; the handler does all other timing.
 * `upstream`: the id of the upstream it is for, which may have a proxy of its own.
 */
export type CreateHttpClient = (origin: string, connectMs: number, upstream: string) => HttpClient;

/** Opens a connection to an origin, through something between; must keep the time limit itself. */
export type Connect = buildConnector.connector;

/** On undici, directly. */
export const createHttpClient = (origin: string, connectMs: number): HttpClient =>
  createPool(origin, { timeout: connectMs });

/** On undici, through something between. */
export const createHttpClientThrough = (origin: string, connect: Connect): HttpClient =>
  createPool(origin, connect);

function createPool(origin: string, connect: Connect | { readonly timeout: number }): HttpClient {
  const pool = new Pool(origin, {
    connections: null,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect,
    keepAliveTimeout: 30_000,
    keepAliveMaxTimeout: 300_000,
    maxResponseSize: -1,
  });
  return {
    post(call, handler) {
      const options: Dispatcher.DispatchOptions = {
        path: call.path,
        method: "POST",
        headers: call.headers as string[],
        body: call.body,
      };
      pool.dispatch(options, handler);
    },
    get({ path, headers }, handler) {
      pool.dispatch({ path, method: "GET", headers: headers as string[] }, handler);
    },
    close: () => pool.destroy(),
  };
}
