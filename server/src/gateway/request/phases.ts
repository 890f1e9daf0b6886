/**
 * How far a request has come, as values. Each step of the pipeline takes one and gives the next,
 * which says all that is known by then; none is ever changed. What is taken for the request on its way
 * (limits, money, an Idempotency-Key) is a value of its own until all of it is there: it changes more
 * often than a phase does, and a phase is too large to be copied each time.
 */
import type { GatewayError } from "@plaza/contract/errors.ts";
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { Candidate, Dispatched } from "../dispatch/dispatch.ts";
import type { ReadyEndpoint, RequestFields } from "../endpoints/endpoint.ts";
import type { BodyReservation } from "../gate/admit.ts";
import type { LimitAdmission } from "../limits/limits.ts";
import type { Hold } from "../money/holds.ts";
import type { WorstCase } from "../money/worst-case.ts";
import type { RequestMarks } from "../observe/settled.ts";
import type { Caller } from "./authenticate.ts";
import type { EarlierAnswer, KeyClaim } from "./idempotency/idempotency.ts";
import type { PricedModel } from "./resolve.ts";

/** The gate let it in: its place in this process is taken. */
export interface Arrived {
  readonly name: "arrived";
  readonly reservation: BodyReservation;
  /** Whose it is, once its key was found good. */
  readonly caller: Caller | undefined;
}

/** What was taken for a request and has to be given back, whatever step is its last. */
export interface Taken {
  /** The Idempotency-Key it has taken. */
  readonly claim: KeyClaim | undefined;
  /** Its part of the limits, each ended exactly once. */
  readonly admissions: readonly LimitAdmission[];
  readonly hold: Hold | undefined;
}

/**
 * What is known of a request from the moment its key was found good: from then on it has a row.
 * All phases have the same fields, so that what reads them meets objects of one shape; a field
 * is undefined until its step was taken.
 */
export interface RequestPhase extends RequestMarks, Taken {
  readonly name: "identified" | "received" | "resolved" | "admitted" | "repeated" | "answered";
  readonly reservation: BodyReservation;
  readonly endpoint: ReadyEndpoint;
  readonly id: string;
  readonly caller: Caller;
  /** As the caller wrote it; once a model answered, that one's. */
  readonly modelId: string | null;
  readonly idempotencyKey: string | undefined;
  readonly body: Buffer | undefined;
  readonly fields: RequestFields | undefined;
  /** The model asked for at its price; once a model answered, that one. */
  readonly resolved: PricedModel | undefined;
  /** What the call that had the key before was answered. */
  readonly earlier: EarlierAnswer | undefined;
  readonly worstCase: WorstCase | undefined;
  /** What may serve it, in order, each with the output that is paid for. */
  readonly candidates: readonly [Candidate, ...Candidate[]] | undefined;
  readonly dispatched: Dispatched | undefined;
  /** What the caller is told of an answer that failed. */
  readonly error: GatewayError | undefined;
}

/** Its key is good, and had not too many calls refused. */
export interface Identified extends RequestPhase {
  readonly name: "identified";
}

/** Its body is here and was read. */
export interface Received extends RequestPhase {
  readonly name: "received";
  readonly receivedMs: number;
  readonly modelId: string;
  readonly body: Buffer;
  readonly fields: RequestFields;
}

/**
 * The model asked for exists, has a price, and its key may use it. Key, limits and
 * money are taken one after the other.
 */
export interface Resolved extends Omit<Received, "name"> {
  readonly name: "resolved";
  readonly resolved: PricedModel;
}

/** It is within its limits, and the most it may cost is held: an upstream may be called. */
export interface Admitted extends Omit<Resolved, "name"> {
  readonly name: "admitted";
  readonly worstCase: WorstCase;
  readonly hold: Hold;
  readonly candidates: readonly [Candidate, ...Candidate[]];
}

/** It repeats a call that was answered: that answer is given again, for nothing. */
export interface Repeated extends Omit<Resolved, "name"> {
  readonly name: "repeated";
  readonly earlier: EarlierAnswer;
}

/** Its last upstream call is over, however that ended. */
export interface Answered extends Omit<Admitted, "name"> {
  readonly name: "answered";
  readonly dispatched: Dispatched;
}

/** Its row and its charge are durable: the end of the answer may be given. */
export interface Settled extends Pick<RequestPhase, "earlier" | "dispatched" | "error"> {
  readonly charge: NanoUsd;
}

/** Every value the pipeline's variable may have once the gate let the request in. */
export type Phase = Arrived | Identified | Received | Resolved | Admitted | Repeated | Answered;
