/**
 * Fault → what the caller is told. Upstream trouble with our credentials, quota or configuration is ours, never the
 * caller's; nothing an upstream wrote is repeated except about the caller's own request, and that scrubbed.
 */
import { type ErrorCode, type ErrorDetail, errorCatalogue, GatewayError } from "@plaza/contract/errors.ts";
import { contextLimitIn } from "../providers/context-limit.ts";
import type { Fault, FaultKind } from "../providers/provider.ts";

interface Rule {
  readonly code: ErrorCode;
  /** undefined = as the catalogue says. */
  readonly shouldRetry?: boolean;
  readonly message?: string;
  /** May another deployment be tried? (docs/wire/upstream-errors.md section 1, column F) */
  readonly fallsBack: boolean;
}

const rules: Record<FaultKind, Rule> = {
  bad_request: { code: "invalid_request", fallsBack: false },
  unsupported: { code: "unsupported_parameter", fallsBack: true },
  context_length: { code: "context_length_exceeded", fallsBack: false },
  content_filter: { code: "content_filter", fallsBack: false },
  too_large: {
    code: "request_too_large",
    message: "The upstream refused the request as too large.",
    fallsBack: true,
  },
  model_unavailable: { code: "upstream_error", shouldRetry: false, fallsBack: true },
  upstream_auth: {
    code: "upstream_error",
    shouldRetry: false,
    message: "The upstream that serves this model refused the gateway. The operator has to look at it.",
    fallsBack: true,
  },
  upstream_quota: { code: "no_available_upstream", shouldRetry: false, fallsBack: true },
  rate_limit: {
    code: "rate_limit_exceeded",
    message: "The upstream that serves this model is limiting requests. Try again shortly.",
    fallsBack: true,
  },
  request_over_limit: {
    code: "rate_limit_exceeded",
    shouldRetry: false,
    message: "This request is larger than the upstream takes in a minute. Waiting does not help; send less.",
    fallsBack: true,
  },
  overloaded: {
    code: "no_available_upstream",
    message: "The upstream that serves this model is overloaded. Try again shortly.",
    fallsBack: true,
  },
  server: { code: "upstream_error", fallsBack: true },
  timeout: { code: "upstream_timeout", fallsBack: true },
  network: { code: "upstream_error", fallsBack: true },
  stopping: {
    code: "overloaded",
    message: "This Plaza process stopped before the answer was complete. Send the request again.",
    fallsBack: false,
  },
  // What the caller is told is why its key ended (`Caller.ended`).
  key_ended: { code: "invalid_api_key", fallsBack: false },
};

/** May another deployment be tried after this fault? Caller-made faults would fail everywhere. */
export function canFallBack(fault: Fault): boolean {
  return rules[fault.kind].fallsBack;
}

/**
 * Is the same deployment worth another try after a moment: a broken connection, or a 5xx that asked for no wait? One that says
 * it is overloaded is not: the caller is told to come back instead.
 */
export function isRepeatable({ kind, status, retryAfterMs }: Fault): boolean {
  if (kind === "network") return true;
  return kind === "server" && (status ?? 0) >= 500 && retryAfterMs === undefined;
}

/**
 * What clients built on LiteLLM know a prompt that is too long by, for every provider. The number is the upstream's where it names
 * one, for that is what the prompt met; else the catalog's.
 */
function overflowMessage(said: string | undefined, context: number | undefined): string {
  if (said !== undefined && /^This model's maximum context length is \d/.test(said)) return said;
  const limit = (said === undefined ? undefined : contextLimitIn(said)) ?? context;
  const beginning =
    limit === undefined
      ? errorCatalogue.context_length_exceeded.message
      : `This model's maximum context length is ${limit} tokens.`;
  return `${beginning} ${said ?? "Shorten the messages, ask for less output, or choose a model with a larger context."}`;
}

/** Names OpenAI's code, by which clients built on LiteLLM know it; the upstream's own words come after it. */
function filterMessage(said: string | undefined): string {
  const { message } = errorCatalogue.content_filter;
  return `${message} ${said ?? "Change the prompt: repeating it gives the same answer."}`;
}

function messageFor(fault: Fault, isCallers: boolean, context: number | undefined): string | undefined {
  if (fault.kind === "context_length") return overflowMessage(fault.message, context);
  if (fault.kind === "content_filter") return filterMessage(fault.message);
  return (isCallers ? fault.message : undefined) ?? rules[fault.kind].message;
}

/** What is known of the request whose last attempt ended with a fault. */
interface Faulted {
  /** How many attempts it had. Where we tried more than once, the SDK is told not to: its tries and ours would multiply. */
  readonly attempts: number;
  /** The context of the model that was asked, in tokens, where the catalog has it. */
  readonly context?: number | undefined;
}

/** The caller's error for the last fault of a request. */
export function faultError(fault: Fault, { attempts, context }: Faulted): GatewayError {
  const rule = rules[fault.kind];
  const isCallers = !rule.fallsBack || fault.kind === "too_large" || fault.kind === "unsupported";
  const detail: ErrorDetail = {
    message: messageFor(fault, isCallers, context),
    param: isCallers
      ? (fault.param ?? (fault.kind === "context_length" ? "messages" : undefined))
      : undefined,
    passedCode: fault.kind === "bad_request" ? fault.code : undefined,
    shouldRetry: attempts > 1 && isOurRetry(fault.kind) ? false : rule.shouldRetry,
    retryAfterMs: waitFor(fault),
  };
  return new GatewayError(fault.isModelUnknown === true ? "model_not_found" : rule.code, detail);
}

/** Waiting as long as an upstream said is worth another call, however many tries we made; a plain repetition is not. */
function isOurRetry(kind: FaultKind): boolean {
  return kind !== "rate_limit" && kind !== "stopping";
}

function waitFor(fault: Fault): number | undefined {
  if (fault.kind === "rate_limit") return fault.retryAfterMs ?? 1000;
  return fault.kind === "overloaded" ? fault.retryAfterMs : undefined;
}
