/**
 * What went wrong upstream, for OpenAI and every vendor that speaks its protocol
 * (docs/wire/upstream-errors.md sections 2 and 3). Evidence in order: structured code, status, text; text
 * only refines 400, 403 and 429. A text a caller could have put into an error (an echoed value) must never
 * make an upstream look broken.
 */
import { upstreamRequestCodes } from "@plaza/contract/errors.ts";
import type { FaultKind } from "../../domain/routing/fault.ts";
import { parseJson } from "../../lib/record.ts";
import type { Fault, UpstreamHeaders } from "../protocol.ts";
import { scrub } from "../scrub/scrub.ts";
import { upstreamWaitMs } from "../wait.ts";
import { type ErrorShape, readErrorBody, readErrorValue } from "./error-shape.ts";
import { kindOfCode, kindOfStatus, statusOfType } from "./fault-codes.ts";

const callerKinds: ReadonlySet<FaultKind> = new Set([
  "bad_request",
  "context_length",
  "content_filter",
  "too_large",
]);

/** Lower-case parts of texts that say the prompt does not fit. */
const overflowTexts = [
  "context length",
  "context window",
  "maximum context",
  "too many tokens",
  "prompt is too long",
  "input is too long",
  "input token count",
  "exceeds the maximum number of tokens",
  "reduce the length",
  "exceed_context_size",
  "range of input length should be",
  "exceeds maximum input length",
  "longer than the maximum model length",
  "requested input length",
];

const filterTexts = [
  "datainspectionfailed",
  "data_inspection_failed",
  "inappropriate content",
  "content management policy",
  "responsibleaipolicyviolation",
  "content_policy_violation",
  "rejected as a result of our safety system",
  "content violates",
  "violates usage guidelines",
  "input was flagged",
];

/** These eject a credential, so they count only where no echo can stand: at the beginning of the text. */
const authTexts = ["incorrect api key", "api key not valid", "invalid api key"];
const accountTexts = [
  "your credit balance is too low",
  "you have reached your specified api usage limits",
  "arrearage",
  "make sure your account is in good standing",
  "insufficient balance",
];
const beginningMax = 80;

const quotaTexts = [
  "exceeded your current quota",
  "insufficient_quota",
  "insufficient balance",
  "plan and billing details",
  "credit balance",
  "spend limit",
  "spending limit",
  "per day",
  "perday",
  "(tpd)",
  "(rpd)",
  "monthly limit",
  "weekly limit",
  "余额不足",
];

const holds = (text: string, parts: readonly string[]): boolean => parts.some((part) => text.includes(part));

/**
 * Does the upstream name a field of the caller's request? Then the text is about that field and nothing else.
 */
function isAboutField(shape: ErrorShape): boolean {
  return upstreamRequestCodes.has(shape.code) || shape.code === "unsupported_parameter";
}

/** 400 and 403, refined by text. */
function refineRefusal(kind: FaultKind, shape: ErrorShape, isForbidden: boolean): FaultKind {
  const text = `${shape.message} ${shape.hidden}`.toLowerCase();
  if (isAboutField(shape)) return kind;
  if (holds(text, filterTexts)) return "content_filter";
  if (isForbidden) return kind;
  const beginning = shape.param === undefined ? shape.message.slice(0, beginningMax).toLowerCase() : "";
  if (holds(beginning, authTexts)) return "upstream_auth";
  if (holds(beginning, accountTexts)) return "upstream_quota";
  return holds(text, overflowTexts) ? "context_length" : kind;
}

function numberAfter(name: string, text: string): number | undefined {
  const found = new RegExp(String.raw`\b${name}:? (\d[\d,]{0,15})`).exec(text)?.[1];
  return found === undefined ? undefined : Number(found.replaceAll(",", ""));
}

/**
 * A limit was hit; is it the minute's, the day's (or the money's), or is this one
 * request larger than any minute allows?
 */
function refineLimit(shape: ErrorShape): FaultKind {
  const text = `${shape.message} ${shape.hidden}`.toLowerCase();
  const limit = numberAfter("limit", text);
  const requested = numberAfter("requested", text);
  if (limit !== undefined && requested !== undefined) {
    if (requested > limit) return "request_over_limit";
  } else if (text.includes("request too large")) return "request_over_limit";
  // Gemini says "exceeded your current quota" at every limit; only the quota's
  // name tells the day's from the minute's.
  const parts = shape.type === "RESOURCE_EXHAUSTED" ? ["perday"] : quotaTexts;
  return holds(text, parts) ? "upstream_quota" : "rate_limit";
}

/** The code before the type, except that a type which says "no money" is true whatever the code. */
function kindOfLabels(shape: ErrorShape, status: number): FaultKind | undefined {
  const byType = kindOfCode(shape.type, status);
  return byType === "upstream_quota" ? byType : (kindOfCode(shape.code, status) ?? byType);
}

function kindOf(httpStatus: number, shape: ErrorShape): FaultKind {
  const isInBand = httpStatus >= 200 && httpStatus < 300;
  const status = isInBand ? (shape.status ?? statusOfType(shape.type) ?? 500) : httpStatus;
  if (status === 402 && shape.metadata?.["limit_source"] === "openrouter_in_flight_budget")
    return "rate_limit";
  if (status === 403 && Array.isArray(shape.metadata?.["reasons"])) return "content_filter";
  const isTokens = shape.type === "tokens" || shape.code === "rate_limit_exceeded";
  if (status === 413 && isTokens) return "request_over_limit";
  // Groq's word for no room is Cohere's for a wrong key.
  if (status === 498 && /^invalid (?:api )?token/i.test(shape.message)) return "upstream_auth";
  const kind = kindOfLabels(shape, status) ?? kindOfStatus(status);
  if (kind === "rate_limit" && status === 429) return refineLimit(shape);
  if (status === 400 && kind === "bad_request") return refineRefusal(kind, shape, false);
  if (status === 403 && kind === "upstream_auth") return refineRefusal(kind, shape, true);
  return kind;
}

/** A path of fields and nothing else; what does not look like one is left out. */
function cleanParam(param: string | undefined): string | undefined {
  return param !== undefined && /^[\w.[\]-]{1,100}$/.test(param) && scrub(param) === param
    ? param
    : undefined;
}

/** A vendor's own word for what happened. Anything longer, or of other characters, may be a text. */
const isLabel = (label: string): boolean => /^[a-z0-9][\w.-]{0,47}$/i.test(label) && scrub(label) === label;

/** What the operator's log shows. Never the text: upstreams quote prompts in it. */
function noteOf(status: number, { code, type, message }: ErrorShape): string {
  const labels = [code, type].filter(isLabel);
  const length = message === "" ? "no text" : `a text of ${message.length} characters`;
  return `${[status, ...labels].join(" ")}: ${length}`;
}

function faultOf(status: number, shape: ErrorShape, headers: UpstreamHeaders): Fault {
  const kind = kindOf(status, shape);
  if (!callerKinds.has(kind)) {
    return {
      kind,
      status,
      retryAfterMs: upstreamWaitMs(headers, shape.message),
      note: noteOf(status, shape),
    };
  }
  return {
    kind,
    status,
    message: scrub(shape.message) || undefined,
    param: cleanParam(shape.param),
    code: kind === "bad_request" && isAboutField(shape) ? shape.code : undefined,
  };
}

/**
 * The fault an error value stands for: the parsed JSON of a stream's error event, or of an error body.
 * `status` is the HTTP status it came with; inside a 200 the value's own code or type decides. Anything
 * that is no error is a `server` fault.
 */
export function faultFromErrorValue(value: unknown, status = 200): Fault {
  const shape = readErrorValue(value);
  if (shape !== undefined) return faultOf(status, shape, {});
  return { kind: "server", status, note: "an answer that is neither a result nor an error" };
}

/**
 * Classifies an answer that is not a success (or a 2xx that is none). Of such a 2xx no text
 * is noted: it may be somebody's answer.
 */
export function faultOfAnswer(status: number, headers: UpstreamHeaders, body: string): Fault {
  if (status >= 300 && status < 400)
    return { kind: "server", status, note: `${status}: redirect, not followed` };
  if (status >= 200 && status < 300) {
    const isHtml = /^\s{0,100}</.test(body);
    if (isHtml) return { kind: "server", status, note: `${status}: a web page instead of an answer` };
    return faultFromErrorValue(parseJson(body), status);
  }
  return faultOf(status, readErrorBody(body), headers);
}
