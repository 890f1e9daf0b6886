/**
 * One GET to an upstream that is being connected, bounded in time and size. Does not follow redirects and
 * shows no upstream text.
 */
import type { AnswerController, AnswerHandler, HttpClient } from "../lib/net/http-client.ts";

/** A complete answer. */
export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Why there is no answer. `code`: the system's error code (`ECONNREFUSED`), if any. */
export class GetError extends Error {
  readonly reason: "unreachable" | "timeout" | "too_large";
  readonly code: string;

  constructor(reason: GetError["reason"], code = "") {
    super(reason);
    this.name = "GetError";
    this.reason = reason;
    this.code = code;
  }
}

export interface GetBounds {
  /** Maximum bytes of the body. */
  readonly bytesMax: number;
  /** Milliseconds until the last byte. */
  readonly totalMs: number;
}

const codeOf = (error: Error): string => {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : "";
};

/** Rejects only with a `GetError`. */
export function getWhole(
  client: Pick<HttpClient, "get">,
  call: { readonly path: string; readonly headers: readonly string[] },
  { bytesMax, totalMs }: GetBounds,
): Promise<Got> {
  const { promise, resolve, reject } = Promise.withResolvers<Got>();
  let controller: AnswerController | undefined;
  let status = 0;
  let headers: Got["headers"] = {};
  const parts: Buffer[] = [];
  let bytes = 0;
  const fail = (error: GetError): void => {
    clearTimeout(timer);
    reject(error);
    controller?.abort(error);
  };
  const timer = setTimeout(() => fail(new GetError("timeout")), totalMs);
  const handler: AnswerHandler = {
    onRequestStart(started) {
      controller = started;
    },
    onResponseStart(_controller, answered, given) {
      status = answered;
      headers = given;
    },
    onResponseData(_controller, chunk) {
      bytes += chunk.length;
      if (bytes > bytesMax) fail(new GetError("too_large"));
      else parts.push(Buffer.from(chunk));
    },
    onResponseEnd() {
      clearTimeout(timer);
      resolve({ status, headers, body: Buffer.concat(parts) });
    },
    onResponseError(_controller, error) {
      fail(new GetError("unreachable", codeOf(error)));
    },
  };
  client.get({ path: call.path, headers: call.headers }, handler);
  return promise;
}
