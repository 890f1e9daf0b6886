/**
 * The phases of a request, as immutable values: each pipeline step takes one and returns the next. `Taken`
 * (limits, money, an Idempotency-Key) is kept apart until the request is admitted, because it changes often
 * and copying a whole phase each time is too expensive.
 */
import type { GatewayError } from "@plaza/contract/errors.ts";
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { Candidate, Dispatched } from "../dispatch/dispatch.ts";
import type { CallTarget, CompletedCall, ReadyEndpoint, RequestFields } from "../endpoints/endpoint.ts";
import type { BodyReservation } from "../gate/admit.ts";
import type { LimitAdmission } from "../limits/limits.ts";
import type { Hold } from "../money/holds.ts";
import type { WorstCase } from "../money/worst-case.ts";
import type { CallMarks, OutcomeMarks, RequestMarks } from "../observe/settled.ts";
import type { Caller } from "./authenticate.ts";
import type { EarlierAnswer, KeyClaim } from "./idempotency/idempotency.ts";
import type { PricedModel } from "./resolve.ts";

/** The gate admitted the request; it occupies a slot of this process. */
export interface Arrived {
  readonly name: "arrived";
  readonly reservation: BodyReservation;
  /** Set once the key is authenticated. */
  readonly caller: Caller | undefined;
}

/** Resources that must be released, wherever the request ends. */
export interface Taken {
  /** The claim on the request's Idempotency-Key. */
  readonly claim: KeyClaim | undefined;
  /** Units taken of the rate limits. Each admission is ended exactly once. */
  readonly admissions: readonly LimitAdmission[];
  readonly hold: Hold | undefined;
}

/** Who called, and since when. */
export interface Call extends CallMarks {
  readonly id: string;
  readonly reservation: BodyReservation;
  readonly caller: Caller;
}

/** What the caller sent. */
export interface ReadCall {
  /** Monotonic milliseconds: the last byte of the body arrived. */
  readonly receivedMs: number;
  readonly idempotencyKey: string | undefined;
  /** What of the path and query the endpoint reads. */
  readonly target: CallTarget;
  readonly body: Buffer;
  readonly fields: RequestFields;
  /** Where its body was completed with what it refers to: how. */
  readonly completed: CompletedCall | undefined;
  /** The upstream that alone can serve it, by its id; undefined = every one can. */
  readonly upstream: string | undefined;
}

/** How the last upstream call ended. */
export interface Outcome extends OutcomeMarks {
  readonly dispatched: Dispatched;
  /** The error the caller gets; undefined when the request succeeded. */
  readonly error: GatewayError | undefined;
}

/**
 * Everything known about an authenticated request, by the step that found it. From this phase on the request
 * gets a row. All phases share these few fields, so that V8 sees objects of one shape and a step copies
 * little; a field is undefined until its step has run.
 */
export interface RequestPhase extends RequestMarks {
  readonly name: "identified" | "received" | "resolved" | "admitted" | "repeated" | "answered";
  readonly call: Call;
  readonly endpoint: ReadyEndpoint;
  readonly read: ReadCall | undefined;
  /**
   * The model that is tried first and its price: the one asked for, or the next where that cannot be called.
   * After the answer, those of the model that served.
   */
  readonly resolved: PricedModel | undefined;
  readonly taken: Taken;
  readonly worstCase: WorstCase | undefined;
  /** Models to try, in order, each with the output tokens its hold pays for. */
  readonly candidates: readonly [Candidate, ...Candidate[]] | undefined;
  /** The stored answer of the earlier call with the same Idempotency-Key. */
  readonly earlier: EarlierAnswer | undefined;
  readonly outcome: Outcome | undefined;
}

/** The key is valid, and not too many of its calls were refused recently. */
export interface Identified extends RequestPhase {
  readonly name: "identified";
}

/** The body arrived and its fields were read. */
export interface Received extends RequestPhase {
  readonly name: "received";
  readonly read: ReadCall;
}

/**
 * The model asked for exists and the key may use it; the one that is tried first can be called. The
 * Idempotency-Key, limits and money are taken next, in this order.
 */
export interface Resolved extends Omit<Received, "name"> {
  readonly name: "resolved";
  readonly resolved: PricedModel;
}

/** Within its limits, and the worst-case cost is on hold. Upstreams may be called. */
export interface Admitted extends Omit<Resolved, "name"> {
  readonly name: "admitted";
  readonly worstCase: WorstCase;
  readonly candidates: readonly [Candidate, ...Candidate[]];
}

/** Repeats an answered call: the stored answer is sent again, free of charge. */
export interface Repeated extends Omit<Resolved, "name"> {
  readonly name: "repeated";
  readonly earlier: EarlierAnswer;
}

/** The last upstream call has ended, successfully or not. */
export interface Answered extends Omit<Admitted, "name"> {
  readonly name: "answered";
  readonly outcome: Outcome;
}

/** Row and charge are durable, so the end of the answer may be sent. */
export interface Settled extends Pick<RequestPhase, "earlier" | "outcome"> {
  readonly charge: NanoUsd;
}

/** Every phase the pipeline can be in once the gate has admitted the request. */
export type Phase = Arrived | Identified | Received | Resolved | Admitted | Repeated | Answered;
