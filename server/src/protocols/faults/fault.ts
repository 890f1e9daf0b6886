/**
 * Classifies the errors of OpenAI and compatible vendors (docs/wire/upstream-errors.md sections 2 and 3).
 * Checks the structured code, then the status, then the text; text only refines 400, 403 and 429. A text that
 * a caller could have put into an error (an echoed value) must never make an upstream look broken.
 */
import { upstreamRequestCodes } from "@plaza/contract/errors.ts";
import { message, textOf } from "@plaza/contract/messages/message.ts";
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

/** Lower-case parts of texts that mean the prompt is too long. */
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

/** These eject a credential, so they match only a text's start, where echoed input cannot be. */
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

/** True when the upstream names a field of the request. The text is then only about that field. */
function isAboutField(shape: ErrorShape): boolean {
  return upstreamRequestCodes.has(shape.code) || shape.code === "unsupported_parameter";
}

/** Refines 400 and 403 by text. */
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
 * Refines a rate limit: per minute, per day (or spending), or one request that is larger than any minute
 * allows.
 */
function refineLimit(shape: ErrorShape): FaultKind {
  const text = `${shape.message} ${shape.hidden}`.toLowerCase();
  const limit = numberAfter("limit", text);
  const requested = numberAfter("requested", text);
  if (limit !== undefined && requested !== undefined) {
    if (requested > limit) return "request_over_limit";
  } else if (text.includes("request too large")) return "request_over_limit";
  // Gemini says "exceeded your current quota" for every limit. Only the quota's name distinguishes day from
  // minute.
  const parts = shape.type === "RESOURCE_EXHAUSTED" ? ["perday"] : quotaTexts;
  return holds(text, parts) ? "upstream_quota" : "rate_limit";
}

/** The code is checked before the type, but a type that means an empty balance always wins. */
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
  // Groq uses 498 for full capacity, Cohere for an invalid key.
  if (status === 498 && /^invalid (?:api )?token/i.test(shape.message)) return "upstream_auth";
  const kind = kindOfLabels(shape, status) ?? kindOfStatus(status);
  if (kind === "rate_limit" && status === 429) return refineLimit(shape);
  if (status === 400 && kind === "bad_request") return refineRefusal(kind, shape, false);
  if (status === 403 && kind === "upstream_auth") return refineRefusal(kind, shape, true);
  return kind;
}

/** A path of fields; undefined for a text of any other form. */
function cleanParam(param: string | undefined): string | undefined {
  return param !== undefined && /^[\w.[\]-]{1,100}$/.test(param) && scrub(param) === param
    ? param
    : undefined;
}

/** True for a short identifier of the vendor. Anything longer or with other characters may be free text. */
const isLabel = (label: string): boolean => /^[a-z0-9][\w.-]{0,47}$/i.test(label) && scrub(label) === label;

/** The note for the operator's log. Never the message, because upstreams quote prompts in it. */
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
  const param = cleanParam(shape.param);
  const code = kind === "bad_request" && isAboutField(shape) ? shape.code : undefined;
  // Its text quotes the payload and the operator's organisation; what is left of it says nothing.
  if (code === "invalid_encrypted_content") return { ...unreadable, status, param };
  return { kind, status, message: scrub(shape.message) || undefined, param, code };
}

const unreadableRef = message("responses.encrypted");
/** Opaque reasoning that this upstream cannot read, in Plaza's words. */
const unreadable = {
  kind: "bad_request",
  code: "invalid_encrypted_content",
  message: textOf(unreadableRef),
  messageRef: unreadableRef,
} as const;

/**
 * The fault for a parsed error value, from a stream's error event or an error body. `status`: the HTTP status
 * it came with; inside a 200 the value's own code or type decides. Any value that is not an error is a
 * `server` fault.
 */
export function faultFromErrorValue(value: unknown, status = 200): Fault {
  const shape = readErrorValue(value);
  if (shape !== undefined) return faultOf(status, shape, {});
  return { kind: "server", status, note: "an answer that is neither a result nor an error" };
}

/**
 * Classifies an answer that is not a success, or a 2xx that is not an answer. For such a 2xx the text is not
 * noted, because it may be another caller's answer.
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
