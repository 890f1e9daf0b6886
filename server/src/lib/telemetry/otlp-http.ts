/** Sends batches to a collector over HTTP, with a time limit. The answer's body is ignored. */
import type { AnswerController, AnswerHandler, HttpClient } from "../net/http-client.ts";
import type { Sent } from "./otlp.ts";

export interface OtlpTarget {
  readonly client: Pick<HttpClient, "post">;
  /** Path and query that batches are posted to. */
  readonly path: string;
  /** Flat: name, value, name, value … */
  readonly headers: readonly string[];
  /** The media type of the bodies. */
  readonly contentType: "application/json" | "application/x-protobuf";
  readonly timeoutMs: number;
}

/** Statuses after which a batch may be sent again, from the protocol's specification. */
const laterStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

function judge(status: number): Sent {
  if (status >= 200 && status < 300) return "taken";
  return laterStatuses.has(status) ? "later" : "never";
}

/** The URL for traces: the address itself if it has a path, else `/v1/traces` below it. */
export function tracesUrl(endpoint: string): URL {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith("/v1/traces") ? path : `${path}/v1/traces`;
  return url;
}

/** Posts one batch; never rejects. */
export function sendOverHttp(target: OtlpTarget, body: Buffer): Promise<Sent> {
  const { promise, resolve } = Promise.withResolvers<Sent>();
  let controller: AnswerController | undefined;
  let status = 0;
  const timer = setTimeout(() => {
    resolve("later");
    controller?.abort(new Error("the collector took too long"));
  }, target.timeoutMs).unref();
  const end = (sent: Sent): void => {
    clearTimeout(timer);
    resolve(sent);
  };
  const handler: AnswerHandler = {
    onRequestStart(started) {
      controller = started;
    },
    onResponseStart(_controller, answered) {
      status = answered;
    },
    onResponseData() {},
    onResponseEnd: () => end(judge(status)),
    // An answer that breaks off after its head still counts.
    onResponseError: () => end(status === 0 ? "later" : judge(status)),
  };
  const headers = ["content-type", target.contentType, ...target.headers];
  target.client.post({ path: target.path, headers, body }, handler);
  return promise;
}
