/**
 * For tests: the expected outcome of an upstream fault (docs/call/errors.md, docs/operate/routing.md and
 * docs/call/billing.md), and how a provider's `testing/faults.ts` describes one.
 */
import type { Reply, Wire } from "./wire.ts";

/** The expected result for the caller, the log and the ledger. */
export interface Outcome {
  /**
   * Status and code for the caller when there is no other deployment; an undefined code means a normal
   * answer.
   */
  readonly status: number;
  readonly code?: string;
  /** `Retry-After` in seconds; undefined = none, or not checked if `mayWait`. */
  readonly retryAfter?: number;
  /** Number of attempts when there is no other deployment. */
  readonly attempts: number;
  /** True when another deployment is tried. */
  readonly fallsBack: boolean;
  /** The logged event: what is ejected, or paused. */
  readonly event?: "credential_out" | "credential_resting" | "deployment_resting";
  /** The error comes inside the stream, after content, which is charged as estimated. */
  readonly isInBand?: boolean;
  /** Usage came before the error, so the charge is exact. */
  readonly isCounted?: boolean;
}

/** An error in the upstream's format: the arguments of `Wire.error`, and extra headers. */
export type Words = readonly [
  status: number,
  type: string,
  message: string,
  more?: object,
  headers?: Readonly<Record<string, string>>,
];

/**
 * One fault at a provider: an error by its status, or another answer. `only`: the form in which it can occur.
 */
export type FaultCause = {
  readonly fault: string;
  readonly outcome: Outcome;
  readonly only?: "stream" | "whole";
} & (
  | { readonly words: Words; readonly reply?: undefined }
  | { readonly reply: (wire: Wire, isStream: boolean) => Reply; readonly words?: undefined }
);

const callers = (status: number, code: string): Outcome => ({
  status,
  code,
  attempts: 1,
  fallsBack: false,
});
export const badRequest = callers(400, "invalid_request");
export const tooLong = callers(400, "context_length_exceeded");
export const filtered = callers(400, "content_filter");
export const tooLarge: Outcome = { status: 413, code: "request_too_large", attempts: 1, fallsBack: true };
export const gone: Outcome = { status: 502, code: "upstream_error", attempts: 1, fallsBack: true };
export const notThere: Outcome = { status: 404, code: "model_not_found", attempts: 1, fallsBack: true };
export const refusedUs: Outcome = { ...gone, event: "credential_out" };
export const noMoney: Outcome = {
  status: 503,
  code: "no_available_upstream",
  attempts: 1,
  fallsBack: true,
  event: "credential_out",
};
export const throttled = (seconds: number): Outcome => ({
  status: 429,
  code: "rate_limit_exceeded",
  retryAfter: seconds,
  attempts: 1,
  fallsBack: true,
  event: "credential_resting",
});
export const busy: Outcome = { status: 503, code: "no_available_upstream", attempts: 1, fallsBack: true };
export const busyFor = (seconds: number): Outcome => ({
  ...busy,
  retryAfter: seconds,
  event: "deployment_resting",
});
export const broken: Outcome = { status: 502, code: "upstream_error", attempts: 2, fallsBack: true };
export const noAnswer: Outcome = { ...broken, attempts: 1 };
export const late: Outcome = { status: 504, code: "upstream_timeout", attempts: 1, fallsBack: true };
export const inBand: Outcome = {
  status: 200,
  code: "upstream_error",
  attempts: 1,
  fallsBack: false,
  isInBand: true,
};
