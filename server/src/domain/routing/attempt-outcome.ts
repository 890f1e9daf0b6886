/**
 * Pure: how a try at an upstream ended, in words the caller may know. The operator's trouble
 * with an upstream is visible to no caller.
 */
import type { RequestState } from "@plaza/contract/usage.ts";
import { type FaultOutcome, findFaultRule } from "./fault.ts";

/**
 * How a try ended. `cut`: after content had come. `stopped`: Plaza, or the key it was made with, was shut
 * down. `superseded`: another one beside it was faster.
 */
export type Outcome = FaultOutcome | "answered" | "caller_left" | "cut" | "superseded";

/**
 * How a try is recorded that was given up while another one ran beside it, which is no fault of its upstream:
 * the other one was faster, or the caller left.
 */
export const givenUpBeside = { superseded: "superseded", callerLeft: "caller_left" } as const;

/** True of a try that another one ran beside; that one comes next in the record. */
export const isGivenUpBeside = (fault: string | null): fault is "superseded" | "caller_left" =>
  fault === givenUpBeside.superseded || fault === givenUpBeside.callerLeft;

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
  if (isGivenUpBeside(fault)) return fault;
  if (fault !== null) return findFaultRule(fault)?.outcome ?? "failed";
  return isLast && state === "aborted" ? "caller_left" : "answered";
}

/**
 * Every try with how it ended, in order. One that answered at once is not written
 * down, and is made up from its request.
 */
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
