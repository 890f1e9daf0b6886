/**
 * Upstream failures, as one table: what the upstream does, and what the caller must get for a whole answer
 * and for a stream. Written from docs/wire/upstream-errors.md before the product ran.
 */
import { completion, openaiError, streamOf } from "./openai-shapes.ts";
import type { ScriptedAnswer } from "./scripted-upstream.ts";

/** An error response with its status, or an error event after content. */
export interface Outcome {
  readonly status: number;
  readonly code: string;
  readonly param?: string;
  /** The stream had begun: status 200, content, then an error event without an end marker. */
  readonly isInBand?: boolean;
  readonly shouldRetry?: boolean;
  /** Minimum and maximum, in whole seconds. */
  readonly retryAfter?: readonly [number, number];
}

export interface BadUpstream {
  readonly name: string;
  /** The model of the test's catalog, which selects the upstream. */
  readonly model: "counting" | "scripted" | "refused";
  /** A fault of the counting upstream, or further options of it. */
  readonly rig?: Readonly<Record<string, unknown>>;
  readonly answer?: ScriptedAnswer;
  /** The caller's result; absent = this kind of request is not part of the case. */
  readonly whole?: Outcome;
  readonly stream?: Outcome;
}

const failed: Outcome = { status: 502, code: "upstream_error" };
const refusedUs: Outcome = { status: 502, code: "upstream_error", shouldRetry: false };
const silent: Outcome = { status: 504, code: "upstream_timeout" };
const cut: Outcome = { status: 200, code: "upstream_error", isInBand: true };
const silentAfterContent: Outcome = { status: 200, code: "upstream_timeout", isInBand: true };

const fault = (name: string, whole?: Outcome, stream: Outcome | undefined = whole): BadUpstream => ({
  name,
  model: "counting",
  rig: { fault: name },
  ...(whole === undefined ? {} : { whole }),
  ...(stream === undefined ? {} : { stream }),
});

const limited = (from: number, to: number): Outcome => ({
  status: 429,
  code: "rate_limit_exceeded",
  shouldRetry: true,
  retryAfter: [from, to],
});

const odd = (
  name: string,
  body: unknown,
  outcome: Outcome,
  headers: Readonly<Record<string, string>> = {},
): BadUpstream => ({
  name,
  model: "scripted",
  answer: { body, headers },
  whole: outcome,
  stream: outcome,
});

const oddStream = (name: string, events: readonly unknown[], stream: Outcome): BadUpstream => ({
  name,
  model: "scripted",
  answer: { events },
  stream,
});

const role = { role: "assistant", content: "" };

export const badUpstreams: readonly BadUpstream[] = [
  // Refused connections, hanging and broken answers.
  { name: "connection refused", model: "refused", whole: failed, stream: failed },
  fault("hang_accept", silent),
  fault("hang_headers", silent),
  fault("reset_before_headers", failed),
  fault("reset_after_headers", failed),
  fault("reset_mid_event", failed, cut),
  fault("fin_mid_event", failed, cut),
  fault("garbage", failed),
  fault("bad_chunk_size", failed),
  {
    name: "silence after two tokens",
    model: "counting",
    rig: { tokens: 20, cutEvent: 3, how: "hang" },
    stream: silentAfterContent,
  },
  { name: "wrong_content_length", model: "counting", rig: { fault: "wrong_content_length" }, whole: failed },
  { name: "done_never", model: "counting", rig: { fault: "done_never" }, stream: cut },
  fault("error_in_band", failed, cut),
  // 5xx and other statuses.
  fault("status_500_body", failed),
  fault("status_502_empty", failed),
  fault("status_503", { status: 503, code: "no_available_upstream", shouldRetry: true, retryAfter: [1, 60] }),
  fault("status_401", refusedUs),
  fault("status_403", refusedUs),
  fault("status_402", { status: 503, code: "no_available_upstream", shouldRetry: false }),
  fault("status_404", refusedUs),
  fault("redirect_loopback", failed),
  fault("status_429_seconds", limited(7, 7)),
  // Counted from the answer's own Date, which node refreshes once a second.
  fault("status_429_date", limited(15, 21)),
  fault("status_429_plain", limited(1, 60)),
  fault("status_429_absurd", limited(1, 86_400)),
  // Client errors stay client errors.
  fault("status_400", { status: 400, code: "invalid_value", shouldRetry: false }),
  fault("status_400_context", {
    status: 400,
    code: "context_length_exceeded",
    param: "messages",
    shouldRetry: false,
  }),
  fault("status_400_filter", { status: 400, code: "content_filter", shouldRetry: false }),
  fault("status_413", { status: 413, code: "request_too_large", shouldRetry: false }),
  fault("status_422", { status: 400, code: "invalid_request", shouldRetry: false }),
  // HTML, invalid JSON, a JSON error with status 200.
  fault("html_200", failed),
  fault("double_gzip", failed),
  odd("HTML that says it is JSON", "<html><body>login</body></html>", failed),
  {
    name: "HTML with 503",
    model: "scripted",
    answer: { status: 503, body: "<html>busy</html>", headers: { "content-type": "text/html" } },
    whole: { status: 503, code: "no_available_upstream" },
    stream: { status: 503, code: "no_available_upstream" },
  },
  odd("an empty body", "", failed),
  odd("half a JSON text", JSON.stringify(completion({ message: { content: "hi" } })).slice(0, 80), failed),
  odd("a JSON array", [], failed),
  odd("JSON null", "null", failed),
  odd("an object without choices", { id: "x", object: "chat.completion" }, failed),
  odd("choices that are no list", { id: "x", choices: "none" }, failed),
  odd(
    "a server error with 200",
    openaiError("it broke", { type: "server_error", code: "server_error" }),
    failed,
  ),
  odd(
    "a rate limit with 200",
    openaiError("slow down", { type: "requests", code: "rate_limit_exceeded" }),
    limited(1, 60),
  ),
  odd(
    "a wrong key with 200",
    openaiError("Incorrect API key provided", { code: "invalid_api_key" }),
    refusedUs,
  ),
  odd("an error that is a bare text, with 200", { error: "model exploded" }, failed),
  {
    name: "a whole answer though a stream was asked for",
    model: "scripted",
    answer: { body: completion({ message: { content: "hi" } }) },
    stream: failed,
  },
  {
    name: "a stream though a whole answer was asked for",
    model: "scripted",
    answer: { events: streamOf([{ content: "hi" }]) },
    whole: failed,
  },
  {
    name: "503 with Retry-After",
    model: "scripted",
    answer: { status: 503, body: openaiError("busy"), headers: { "retry-after": "9" } },
    whole: { status: 503, code: "no_available_upstream", shouldRetry: true, retryAfter: [9, 9] },
    stream: { status: 503, code: "no_available_upstream", shouldRetry: true, retryAfter: [9, 9] },
  },
  // Invalid streams.
  oddStream("a stream of nothing", [], failed),
  oddStream("only the end marker", ["[DONE]"], failed),
  oddStream("only a role", [{ choices: [{ index: 0, delta: role, finish_reason: null }] }], failed),
  oddStream(
    "an end marker without a finish reason",
    [{ choices: [{ index: 0, delta: { content: "hi" }, finish_reason: null }] }, "[DONE]"],
    cut,
  ),
  oddStream(
    "an error as the first event",
    [openaiError("overloaded", { type: "server_error", code: "server_error" })],
    failed,
  ),
  oddStream(
    "an error object without wrapper as the first event",
    [{ object: "error", message: "bad", code: 500 }],
    failed,
  ),
  oddStream("text where JSON belongs, first", ["upstream is sorry"], failed),
  oddStream(
    "text where JSON belongs, later",
    [...streamOf([{ content: "hi" }]).slice(0, 2), "upstream is sorry", "[DONE]"],
    cut,
  ),
];
