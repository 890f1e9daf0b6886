/** Faults beyond the 38: further statuses with and without Retry-After, and further invalid answers. */

import { formats } from "./answer.ts";
import { bodyOf, errorBody } from "./fault-parts.ts";
import { type FaultRow, row, script, status } from "./fault-row.ts";
import type { UpstreamError } from "./formats/format.ts";
import { type Asked, type Script, step } from "./script.ts";

/** An error with a given harmless text, for tests of the text. */
function said(code: number, error: UpstreamError, headers: Record<string, string> = {}) {
  return script((_, asked) => ({
    status: code,
    headers: { "content-type": "application/json", ...headers },
    steps: [step(errorBody(asked, code, error))],
    ending: "end",
  }));
}

const throttledError = {
  message: "Slow down.",
  type: "rate_limit_error",
  code: "rate_limit_exceeded",
};

/** Changes a stream; a whole answer stays valid. */
function inStream(change: (sound: Script) => Script) {
  return script((sound, asked: Asked) => (asked.isStream ? change(sound) : sound));
}

/** Replaces the valid body, with the same content type. */
function body(of: (asked: Asked) => string) {
  return script((sound, asked) => ({ ...sound, steps: [step(of(asked))] }));
}

function withoutFinish(sound: Script): Script {
  return { ...sound, steps: sound.steps.filter(({ isFinish, isEnd }) => !isFinish || isEnd) };
}

function closedAfterFinish(sound: Script): Script {
  return {
    ...sound,
    steps: sound.steps.filter(
      ({ isFinish, isEnd, hasUsage, tokens }) => isFinish || (!isEnd && (!hasUsage || tokens > 0)),
    ),
  };
}

/** An HTTP chunk of 256 bytes, of which a few are sent, then FIN. */
function halfChunk(sound: Script) {
  const type = sound.headers["content-type"] ?? "application/json";
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n100\r\n`;
  return {
    raw: Buffer.concat([Buffer.from(head), bodyOf(sound).subarray(0, 20)]),
    ending: "fin" as const,
  };
}

export const moreFaults: readonly FaultRow[] = [
  row("status_408", "408", status(408, "invalid_request_error", null)),
  row("status_409", "409", status(409, "invalid_request_error", null)),
  row("status_500_wait", "500 with Retry-After", status(500, "server_error", null, { "retry-after": "3" })),
  row("status_503_wait", "503 with Retry-After", status(503, "server_error", null, { "retry-after": "5" })),
  row("status_504", "504", status(504, "server_error", null)),
  row("status_529", "529", status(529, "overloaded_error", null)),
  row("status_429_ms", "429 with retry-after-ms", said(429, throttledError, { "retry-after-ms": "2500" })),
  row("status_429_half", "429 with half a second", said(429, throttledError, { "retry-after": "0.5" })),
  row("status_429_past", "429 with a negative wait", said(429, throttledError, { "retry-after": "-3" })),
  row(
    "status_429_quota",
    "429 for want of money",
    said(429, { ...throttledError, type: "insufficient_quota", code: "insufficient_quota" }),
  ),
  row(
    "status_429_larger",
    "429 because this one request is larger than a minute's limit",
    said(429, { ...throttledError, message: "Request too large: Limit 1000, Requested 5000." }),
  ),
  row(
    "throttled_in_band",
    "an error instead of the first event, in a 200",
    body((asked) =>
      asked.isStream
        ? formats[asked.format].failure(429, throttledError).toString("utf8")
        : errorBody(asked, 429, throttledError),
    ),
  ),
  row(
    "empty_200",
    "200 with [DONE] and nothing else, or with no body",
    body(({ isStream }) => (isStream ? "data: [DONE]\n\n" : "")),
  ),
  row(
    "no_json",
    "text that is no JSON",
    body(({ isStream }) => (isStream ? 'data: {"id":\n\n' : '{"id":')),
  ),
  row("half_chunk", "half an HTTP chunk, then FIN", halfChunk),
  row("done_without_finish", "[DONE] without a finish reason", inStream(withoutFinish)),
  row("closed_after_finish", "a clean end after the finish reason", inStream(closedAfterFinish)),
];
