/**
 * Besides `safe-fetch.ts` and the transport of our own, the only place that opens connections to other hosts:
 * one undici Pool per origin, used through `dispatch`, so that no promise, stream or copy is between an
 * upstream's socket and the handler. Redirects are never followed. undici is loaded with the first client, or
 * by `loadHttpClient`: the transport of our own does not need it, and a start would pay for it.
 */
import type { buildConnector, Dispatcher, Pool } from "undici";

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

/** Opens a pool for a client. */
type OpenPool = typeof import("./open-pool.ts").openPool;

let openPool: OpenPool | undefined;

/** Loads undici, so that clients call without waiting for it. */
export async function loadHttpClient(): Promise<OpenPool> {
  openPool ??= (await import("./open-pool.ts")).openPool;
  return openPool;
}

function clientOf(pool: Pool): HttpClient {
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

/** For the handler of a call that could not begin. */
const notBegun: AnswerController = { pause() {}, resume() {}, abort() {} };

/** A client whose calls wait until undici is loaded. */
function waitingClient(open: (openPool: OpenPool) => Pool): HttpClient {
  const client = loadHttpClient().then((loaded) => clientOf(open(loaded)));
  client.catch(() => {}); // Each call reports it.
  const start = (handler: AnswerHandler, call: (client: HttpClient) => void): void => {
    client.then(call).catch((error: Error) => handler.onResponseError(notBegun, error));
  };
  return {
    post: (call, handler) => start(handler, (ready) => ready.post(call, handler)),
    get: (call, handler) => start(handler, (ready) => ready.get(call, handler)),
    close: () => client.then((ready) => ready.close()),
  };
}

const createClient = (open: (openPool: OpenPool) => Pool): HttpClient =>
  openPool === undefined ? waitingClient(open) : clientOf(open(openPool));

/** On undici, directly. */
export const createHttpClient = (origin: string, connectMs: number): HttpClient =>
  createClient((pool) => pool(origin, { timeout: connectMs }));

/** On undici, through something between. */
export const createHttpClientThrough = (origin: string, connect: Connect): HttpClient =>
  createClient((pool) => pool(origin, connect));
