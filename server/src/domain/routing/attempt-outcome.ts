/**
 * Pure: how an attempt ended, in terms a caller may see. The operator's problems with an upstream are hidden
 * from callers.
 */
import type { RequestState } from "@plaza/contract/usage.ts";
import { type FaultOutcome, findFaultRule } from "./fault.ts";

/**
 * The result of an attempt. `cut`: failed after content was sent. `stopped`: Plaza was stopped or the key was
 * revoked. `superseded`: another attempt was faster.
 */
export type Outcome = FaultOutcome | "answered" | "caller_left" | "cut" | "superseded";

/**
 * How a try is recorded that was given up while another one ran beside it, which is no fault of its upstream:
 * the other one was faster, or the client disconnected.
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

/** The request the attempts were made for. */
export interface TriedRequest<Attempt extends Tried> {
  readonly state: RequestState;
  readonly attempts: number;
  readonly durationMs: number;
  readonly attemptLog: readonly Attempt[] | null;
}

/** The result of one attempt. */
function outcomeOf(fault: string | null, state: RequestState, isLast: boolean): Outcome {
  // A failure after content, or after the client disconnected, can only be the last attempt's.
  if (isLast && state === "incomplete") return "cut";
  if (isGivenUpBeside(fault)) return fault;
  if (fault !== null) return findFaultRule(fault)?.outcome ?? "failed";
  return isLast && state === "aborted" ? "caller_left" : "answered";
}

/**
 * Every attempt with its result, in order. A single successful attempt is not recorded and is derived from
 * its request.
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
