/**
 * Pure: every kind of failed attempt and its consequences, in one table. Dispatch, upstream health, the
 * caller's error and the request's record use it. Knows no provider: providers decide the kind of an answer.
 */
import type { ErrorCode } from "@plaza/contract/errors.ts";

/** The name of a failed attempt in a request's record. */
export type FaultOutcome = "refused" | "rate_limited" | "overloaded" | "timeout" | "stopped" | "failed";

/**
 * Who must act to prevent it. `caller`: change the request. `upstream`: it should pass by itself.
 * `credential` and `operator`: the operator must act; callers get a general error. `process`: Plaza ended the
 * attempt itself.
 */
export type FaultOwner = "caller" | "upstream" | "credential" | "operator" | "process";

/** What it counts against: a deployment's health, a credential's rate, or the credential itself. */
export type CountsAgainst =
  | "nothing"
  | "deployment"
  | "credential_pace"
  | "credential_refused"
  | "credential_quota";

/** The consequences of one kind of fault. */
export interface FaultRule {
  /** The caller's error if this was the request's last fault. */
  readonly code: ErrorCode;
  /** `x-should-retry` of that error; absent: as in the error catalogue. */
  readonly shouldRetry?: false;
  /** The caller may retry even after several attempts of Plaza; otherwise retries would multiply. */
  readonly isRetriedAfterAttempts?: true;
  /** The wait stated to the caller: the upstream's, or else a second (`stated_or_second`). Absent: none. */
  readonly wait?: "stated" | "stated_or_second";
  /** True when the caller may see the upstream's text (scrubbed) and the parameter it names. */
  readonly isTextShown?: true;
  /** Which other deployments may be tried. `larger_context`: only those of another model. */
  readonly fallback: "none" | "larger_context" | "any";
  /**
   * True when the same deployment may be tried again after a moment if there is no other. (`isRepeatable`
   * adds conditions.)
   */
  readonly isRepeatable?: true;
  readonly owner: FaultOwner;
  readonly countsAgainst: CountsAgainst;
  readonly outcome: FaultOutcome;
}

const table = {
  bad_request: {
    code: "invalid_request",
    isTextShown: true,
    fallback: "none",
    owner: "caller",
    countsAgainst: "nothing",
    outcome: "refused",
  },
  /** Cannot be expressed in this upstream's protocol; another deployment may accept it. */
  unsupported: {
    code: "unsupported_parameter",
    isTextShown: true,
    fallback: "any",
    owner: "caller",
    countsAgainst: "nothing",
    outcome: "refused",
  },
  context_length: {
    code: "context_length_exceeded",
    isTextShown: true,
    fallback: "larger_context",
    owner: "caller",
    countsAgainst: "nothing",
    outcome: "refused",
  },
  content_filter: {
    code: "content_filter",
    isTextShown: true,
    fallback: "none",
    owner: "caller",
    countsAgainst: "nothing",
    outcome: "refused",
  },
  /** Too many bytes; upstreams have different limits. */
  too_large: {
    code: "request_too_large",
    isTextShown: true,
    fallback: "any",
    owner: "caller",
    countsAgainst: "nothing",
    outcome: "refused",
  },
  /** The upstream does not have the model, or no longer. */
  model_unavailable: {
    code: "upstream_error",
    shouldRetry: false,
    fallback: "any",
    owner: "operator",
    countsAgainst: "deployment",
    outcome: "failed",
  },
  /** The upstream refuses the gateway's credential. */
  upstream_auth: {
    code: "upstream_error",
    shouldRetry: false,
    fallback: "any",
    owner: "credential",
    countsAgainst: "credential_refused",
    outcome: "failed",
  },
  /** The gateway's account at the upstream is unpaid or used up. */
  upstream_quota: {
    code: "no_available_upstream",
    shouldRetry: false,
    fallback: "any",
    owner: "credential",
    countsAgainst: "credential_quota",
    outcome: "failed",
  },
  rate_limit: {
    code: "rate_limit_exceeded",
    isRetriedAfterAttempts: true,
    wait: "stated_or_second",
    fallback: "any",
    owner: "upstream",
    countsAgainst: "credential_pace",
    outcome: "rate_limited",
  },
  /** This single request exceeds the upstream's limit per minute. */
  request_over_limit: {
    code: "rate_limit_exceeded",
    shouldRetry: false,
    fallback: "any",
    owner: "caller",
    countsAgainst: "nothing",
    outcome: "rate_limited",
  },
  overloaded: {
    code: "no_available_upstream",
    wait: "stated",
    fallback: "any",
    owner: "upstream",
    countsAgainst: "deployment",
    outcome: "overloaded",
  },
  server: {
    code: "upstream_error",
    fallback: "any",
    isRepeatable: true,
    owner: "upstream",
    countsAgainst: "deployment",
    outcome: "failed",
  },
  timeout: {
    code: "upstream_timeout",
    fallback: "any",
    owner: "upstream",
    countsAgainst: "deployment",
    outcome: "timeout",
  },
  network: {
    code: "upstream_error",
    fallback: "any",
    isRepeatable: true,
    owner: "upstream",
    countsAgainst: "deployment",
    outcome: "failed",
  },
  /** This process stops before the answer is complete; another one may take the call. */
  stopping: {
    code: "overloaded",
    isRetriedAfterAttempts: true,
    fallback: "none",
    owner: "process",
    countsAgainst: "nothing",
    outcome: "stopped",
  },
  /** The key or its account was disabled during the call. The caller gets the reason (`Caller.ended`). */
  key_ended: {
    code: "invalid_api_key",
    fallback: "none",
    owner: "process",
    countsAgainst: "nothing",
    outcome: "stopped",
  },
} as const satisfies Record<string, FaultRule>;

/** Why an attempt failed. */
export type FaultKind = keyof typeof table;

/** Every kind of fault with its consequences. */
export const faultRules: Readonly<Record<FaultKind, FaultRule>> = table;

/** The parts of a fault that decide its consequences. */
interface Seen {
  readonly kind: FaultKind;
  /** HTTP status of the upstream, if one arrived. */
  readonly status?: number | undefined;
  /** The wait the upstream asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** True when another deployment of the same model may be tried. Callers' faults would occur there too. */
export const canFallBack = ({ kind }: Seen): boolean => faultRules[kind].fallback === "any";

/** True when another model may be tried, which may have a larger context. */
export const canFallBackToModel = ({ kind }: Seen): boolean => faultRules[kind].fallback !== "none";

/**
 * True when the same deployment may be tried again after a moment: after a connection error, or a 5xx without
 * a wait. Not when it reports overload: the caller gets an error that may be retried instead.
 */
export function isRepeatable({ kind, status, retryAfterMs }: Seen): boolean {
  if (faultRules[kind].isRepeatable !== true) return false;
  return kind === "network" || ((status ?? 0) >= 500 && retryAfterMs === undefined);
}

/** True when Plaza ended the attempt itself, which says nothing about the upstream. */
export const isOwnEnding = ({ kind }: Seen): boolean => faultRules[kind].owner === "process";

/** What a fault counts against. A 4xx classified as a server failure may be the caller's fault. */
export function countsAgainst({ kind, status }: Seen): CountsAgainst {
  if (kind === "server" && status !== undefined && status >= 400 && status < 500 && status !== 424)
    return "nothing";
  return faultRules[kind].countsAgainst;
}

/** The rule of a kind from a record; undefined for a kind this version does not know. */
export const findFaultRule = (kind: string): FaultRule | undefined =>
  Object.hasOwn(faultRules, kind) ? faultRules[kind as FaultKind] : undefined;

/** True when only the operator can fix the recorded fault. */
export function isPrivateFault(kind: string | null): boolean {
  const owner = kind === null ? undefined : findFaultRule(kind)?.owner;
  return owner === "credential" || owner === "operator";
}
