/**
 * Pure: how a try at an upstream ended, in words the caller may know. The operator's trouble with an upstream is told to nobody else.
 */
import type { RequestState } from "@plaza/contract/usage.ts";

/** How a try ended. `cut`: after content had come. `stopped`: Plaza, or the key it was made with, was shut down. `outpaced`: another one beside it was faster. */
export type Outcome =
  | "answered"
  | "caller_left"
  | "cut"
  | "refused"
  | "rate_limited"
  | "overloaded"
  | "timeout"
  | "stopped"
  | "outpaced"
  | "failed";

/** By the fault of an attempt (`providers/provider.ts`); a test of types there keeps it whole. */
export const faultOutcomes = {
  bad_request: "refused",
  unsupported: "refused",
  context_length: "refused",
  content_filter: "refused",
  too_large: "refused",
  model_unavailable: "failed",
  upstream_auth: "failed",
  upstream_quota: "failed",
  rate_limit: "rate_limited",
  request_over_limit: "rate_limited",
  overloaded: "overloaded",
  server: "failed",
  timeout: "timeout",
  network: "failed",
  stopping: "stopped",
  key_ended: "stopped",
} as const satisfies Record<string, Outcome>;

const privateFaults: ReadonlySet<string> = new Set(["upstream_auth", "upstream_quota", "model_unavailable"]);

/** Is this fault the operator's business only? */
export const isPrivateFault = (fault: string | null): boolean => fault !== null && privateFaults.has(fault);

interface Tried {
  readonly fault: string | null;
  readonly status: number | null;
  readonly durationMs: number;
}

/** The request the tries were made for. */
export interface TriedRequest<Attempt extends Tried> {
  readonly state: RequestState;
  readonly attempts: number;
  readonly durationMs: number;
  readonly attemptLog: readonly Attempt[] | null;
}

/** How one try ended. */
function outcomeOf(fault: string | null, state: RequestState, isLast: boolean): Outcome {
  // What broke after content, or for want of the caller, can only have been the last attempt.
  if (isLast && state === "incomplete") return "cut";
  if (fault === "outpaced") return fault;
  if (fault !== null)
    return Object.hasOwn(faultOutcomes, fault)
      ? faultOutcomes[fault as keyof typeof faultOutcomes]
      : "failed";
  return isLast && state === "aborted" ? "caller_left" : "answered";
}

/** Every try with how it ended, in order. One that answered at once is not written down, and is made up from its request. */
export function triesOf<Attempt extends Tried>(
  request: TriedRequest<Attempt>,
): { readonly attempt: Tried & Partial<Attempt>; readonly outcome: Outcome }[] {
  const { attemptLog, attempts, durationMs, state } = request;
  const plain = attempts === 0 ? [] : [{ fault: null, status: null, durationMs } as Tried & Partial<Attempt>];
  const log: readonly (Tried & Partial<Attempt>)[] = attemptLog ?? plain;
  return log.map((attempt, index) => ({
    attempt,
    outcome: outcomeOf(attempt.fault, state, index === log.length - 1),
  }));
}
