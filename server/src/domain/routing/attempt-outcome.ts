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
  /** Milliseconds from the request's arrival to its start; absent: not recorded. */
  readonly startMs?: number | undefined;
  readonly durationMs: number;
}

/** The request the attempts were made for. */
export interface TriedRequest<Attempt extends Tried> {
  readonly state: RequestState;
  readonly attempts: number;
  readonly durationMs: number;
  /** From the arrival to the first token. */
  readonly firstTokenMs: number | null;
  /** From the arrival to the start of the first attempt; null: none, or not recorded. */
  readonly queueMs: number | null;
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

/** An attempt as it is shown, with its result and times in whole milliseconds. */
export interface Try<Attempt extends Tried> {
  readonly attempt: Tried & Partial<Attempt>;
  readonly outcome: Outcome;
  /** From the request's arrival to its start; null: recorded before this was known. */
  readonly startMs: number | null;
  readonly durationMs: number;
  /** From its start to its first token; null: no token reached the caller, or its start is not known. */
  readonly firstTokenMs: number | null;
}

/** The only attempt of a request without a list of attempts. */
function plainTry({ queueMs, durationMs }: Pick<TriedRequest<Tried>, "queueMs" | "durationMs">): Tried {
  const startMs = queueMs ?? undefined;
  return { fault: null, status: null, startMs, durationMs: Math.max(0, durationMs - (queueMs ?? 0)) };
}

/**
 * Every attempt with its result, in order. A single successful attempt is not in a list and is derived from
 * its request. The last one is the one whose content reached the caller, if any did.
 */
export function triesOf<Attempt extends Tried>(request: TriedRequest<Attempt>): Try<Attempt>[] {
  const { attemptLog, attempts, firstTokenMs, state } = request;
  const plain = attempts === 0 ? [] : [plainTry(request) as Tried & Partial<Attempt>];
  const log: readonly (Tried & Partial<Attempt>)[] = attemptLog ?? plain;
  return log.map((attempt, index) => {
    const isLast = index === log.length - 1;
    const { startMs } = attempt;
    const hasFirst = isLast && firstTokenMs !== null && startMs !== undefined;
    return {
      attempt,
      outcome: outcomeOf(attempt.fault, state, isLast),
      startMs: startMs ?? null,
      durationMs: Math.round(attempt.durationMs),
      firstTokenMs: hasFirst ? Math.max(0, firstTokenMs - startMs) : null,
    };
  });
}
