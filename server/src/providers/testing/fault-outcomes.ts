/**
 * For tests: what a fault of an upstream comes to (docs/call/errors.md, docs/operate/routing.md and
 * docs/call/billing.md), and how a provider's `testing/faults.ts` writes one down.
 */
import type { Reply, Wire } from "./wire.ts";

/** What the caller, the log and the ledger have to show. */
export interface Outcome {
  /** Status and code the caller gets where there is no other deployment; undefined code = an answer. */
  readonly status: number;
  readonly code?: string;
  /** `Retry-After`, in seconds; undefined = none, or not looked at where `mayWait`. */
  readonly retryAfter?: number;
  /** Attempts where there is no other deployment. */
  readonly attempts: number;
  /** Is another deployment tried? */
  readonly fallsBack: boolean;
  /** The log's event about the upstream: what rests or is out. */
  readonly event?: "credential_out" | "credential_resting" | "deployment_resting";
  /** The error comes in-band, after content, which is charged as estimated. */
  readonly isInBand?: boolean;
  /** Usage had come before it: the charge is exact. */
  readonly isCounted?: boolean;
}

/**
 * An error in the upstream's own words: the arguments of `Wire.error`, and headers beside the protocol's own.
 */
export type Words = readonly [
  status: number,
  type: string,
  message: string,
  more?: object,
  headers?: Readonly<Record<string, string>>,
];

/**
 * One fault at a provider: an error by its status, or another answer. `only`: the form it has a meaning in.
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
