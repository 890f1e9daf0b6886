/**
 * Fault → what the caller is told. Upstream trouble with our credentials, quota or configuration is ours, never the
 * caller's; nothing an upstream wrote is repeated except about the caller's own request, and that scrubbed.
 */
import { type ErrorCode, type ErrorDetail, GatewayError } from "@plaza/contract/errors.ts";
import type { Fault, FaultKind } from "../providers/provider.ts";

interface Rule {
  readonly code: ErrorCode;
  /** undefined = as the catalogue says. */
  readonly shouldRetry?: boolean;
  readonly message?: string;
  /** May another deployment be tried? (wire/errors-map.md section 1, column F) */
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

/** The caller's error for the last fault of a request. Where we tried more than once, the SDK is told not to: its tries and ours would multiply. */
export function faultError(fault: Fault, attempts: number): GatewayError {
  const rule = rules[fault.kind];
  const isCallers = !rule.fallsBack || fault.kind === "too_large" || fault.kind === "unsupported";
  const detail: ErrorDetail = {
    message: (isCallers ? fault.message : undefined) ?? rule.message,
    param: isCallers
      ? (fault.param ?? (fault.kind === "context_length" ? "messages" : undefined))
      : undefined,
    passedCode: fault.kind === "bad_request" ? fault.code : undefined,
    shouldRetry: attempts > 1 && isOurRetry(fault.kind) ? false : rule.shouldRetry,
    retryAfterMs: waitFor(fault),
  };
  return new GatewayError(rule.code, detail);
}

/** Waiting as long as an upstream said is worth another call, however many tries we made; a plain repetition is not. */
function isOurRetry(kind: FaultKind): boolean {
  return kind !== "rate_limit" && kind !== "stopping";
}

function waitFor(fault: Fault): number | undefined {
  if (fault.kind === "rate_limit") return fault.retryAfterMs ?? 1000;
  return fault.kind === "overloaded" ? fault.retryAfterMs : undefined;
}
