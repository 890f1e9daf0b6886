/**
 * Pure: every kind of failed attempt, and what follows from it, in one table. Dispatch, upstream
 * health, the caller's error and the record of a request all read it here. It knows no provider:
 * they decide which kind an answer is.
 */
import type { ErrorCode } from "@plaza/contract/errors.ts";

/** How a failed attempt is named in a request's record. */
export type FaultOutcome = "refused" | "rate_limited" | "overloaded" | "timeout" | "stopped" | "failed";

/**
 * Who has to act so that it does not happen again. `caller`: another request is needed. `upstream`: it should
 * pass by itself. `credential` and `operator`: the operator has to look at it, and nobody else is told.
 * `process`: Plaza ended the attempt itself.
 */
export type FaultOwner = "caller" | "upstream" | "credential" | "operator" | "process";

/** What is held against what: a deployment's health, a credential's pace, or the credential as a whole. */
export type CountsAgainst =
  | "nothing"
  | "deployment"
  | "credential_pace"
  | "credential_refused"
  | "credential_quota";

/** What follows from one kind of fault. */
export interface FaultRule {
  /** The caller's error, where this was the last fault of its request. */
  readonly code: ErrorCode;
  /** `x-should-retry` of that error; absent: as the catalogue of errors says. */
  readonly shouldRetry?: false;
  /**
   * The caller may repeat the call even after several attempts of ours, which
   * otherwise would multiply with its own.
   */
  readonly isRetriedAfterAttempts?: true;
  /**
   * The wait the caller is told: the one the upstream stated, or that and a second
   * where it stated none. Absent: none.
   */
  readonly wait?: "stated" | "stated_or_second";
  /** True when the caller may read the upstream's text (scrubbed) and the parameter it named. */
  readonly isTextShown?: true;
  /** Which other deployments may be tried. `larger_context`: only those of another model. */
  readonly fallback: "none" | "larger_context" | "any";
  /**
   * Is the same deployment worth another try after a moment, where there is no
   * other? (`isRepeatable` adds conditions.)
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
  /** Not expressible in this upstream's protocol; another deployment may take it. */
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
  /** Too many bytes; upstreams differ in how many they take. */
  too_large: {
    code: "request_too_large",
    isTextShown: true,
    fallback: "any",
    owner: "caller",
    countsAgainst: "nothing",
    outcome: "refused",
  },
  /** The upstream does not have the model, or has it no more. */
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
  /** The gateway's account at the upstream is not paid for, or used up. */
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
  /** This one request is larger than the upstream takes in a minute. */
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
  /** This process ends before the answer is complete; another one may take the call. */
  stopping: {
    code: "overloaded",
    isRetriedAfterAttempts: true,
    fallback: "none",
    owner: "process",
    countsAgainst: "nothing",
    outcome: "stopped",
  },
  /**
   * The key, or its account, was shut down while the call was under way. The
   * caller is told why (`Caller.ended`).
   */
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

/** Every kind of fault with what follows from it. */
export const faultRules: Readonly<Record<FaultKind, FaultRule>> = table;

/** What of a fault its consequences depend on. */
interface Seen {
  readonly kind: FaultKind;
  /** HTTP status of the upstream, where one arrived. */
  readonly status?: number | undefined;
  /** How long the upstream asked to be left alone, milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * May another deployment of the same model be tried? Faults of the caller's making would happen there, too.
 */
export const canFallBack = ({ kind }: Seen): boolean => faultRules[kind].fallback === "any";

/** True when another model may be tried: it may have room for what is too long for this one. */
export const canFallBackToModel = ({ kind }: Seen): boolean => faultRules[kind].fallback !== "none";

/**
 * Is the same deployment worth another try after a moment: a broken connection, or a 5xx that asked for no
 * wait? One that says it is overloaded is not: the caller is told to come back instead.
 */
export function isRepeatable({ kind, status, retryAfterMs }: Seen): boolean {
  if (faultRules[kind].isRepeatable !== true) return false;
  return kind === "network" || ((status ?? 0) >= 500 && retryAfterMs === undefined);
}

/** Did Plaza end the attempt itself? Then it says nothing about the upstream. */
export const isOwnEnding = ({ kind }: Seen): boolean => faultRules[kind].owner === "process";

/**
 * What a fault is held against. A 4xx that could only be classified as a failure of
 * the server may be the caller's doing.
 */
export function countsAgainst({ kind, status }: Seen): CountsAgainst {
  if (kind === "server" && status !== undefined && status >= 400 && status < 500 && status !== 424)
    return "nothing";
  return faultRules[kind].countsAgainst;
}

/** The rule of a kind read from a record; undefined for one this version does not know. */
export const findFaultRule = (kind: string): FaultRule | undefined =>
  Object.hasOwn(faultRules, kind) ? faultRules[kind as FaultKind] : undefined;

/** True when only the operator can fix the recorded fault. */
export function isPrivateFault(kind: string | null): boolean {
  const owner = kind === null ? undefined : findFaultRule(kind)?.owner;
  return owner === "credential" || owner === "operator";
}
