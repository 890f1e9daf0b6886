/**
 * Serves one model call from arrival to settlement, the same way for every endpoint. This file holds the
 * order of the steps and every branch between them; each step lives in a file of its own. ARCHITECTURE.md
 * shows the same sequence with its early exits.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import type { Measured } from "../../domain/catalog/model-status.ts";
import type { Exchange } from "../../lib/net/exchange.ts";
import type { Sent } from "../../lib/net/forwarded.ts";
import type { IdempotencyStore } from "../../store/requests/settlement-shapes.ts";
import type { RequestsStore } from "../../store/requests/shapes.ts";
import type { ResponsesStore } from "../../store/responses/shapes.ts";
import { type DispatchContext, type Dispatched, dispatch } from "../dispatch/dispatch.ts";
import { countedBy } from "../endpoints/counting.ts";
import { endpointOf, type ReadyEndpoint, targetOf } from "../endpoints/endpoint.ts";
import { type BodyReservation, declaredBytes, type Gate } from "../gate/admit.ts";
import type { LimitRequest, Limits } from "../limits/limits.ts";
import { type HoldContext, placeHold } from "../money/holds.ts";
import type { WorstCase } from "../money/worst-case.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Authenticator, Caller } from "./authenticate.ts";
import { checkBodyHead, type ReceiveContext, receive } from "./body/receive.ts";
import { dispatchRequestOf } from "./dispatch-request.ts";
import { deliver, endingOf, errorOf } from "./ending.ts";
import {
  claimKey,
  type EarlierAnswer,
  type IdempotencyContext,
  KeyClaim,
  readIdempotencyKey,
  requireServedBy,
} from "./idempotency/idempotency.ts";
import { presentedKey } from "./key/presented-key.ts";
import { completeCall, keepAnswer, type StoredAnswersContext } from "./memory/stored-answers.ts";
import type {
  Admitted,
  Answered,
  Arrived,
  Identified,
  Phase,
  Received,
  Repeated,
  RequestPhase,
  Resolved,
  Taken,
} from "./phases.ts";
import type { Refusals } from "./refusals/refusals.ts";
import { refuse } from "./refusals/refuse.ts";
import type { Reply } from "./reply.ts";
import { fallbacksOf, type PricedModel, resolveFirst, resolveOthers } from "./resolve.ts";
import { type SettleContext, settle } from "./settle.ts";
import { candidatesOf, substitutesOf } from "./substitutes.ts";

export interface PipelineContext
  extends DispatchContext,
    HoldContext,
    IdempotencyContext,
    ReceiveContext,
    SettleContext,
    StoredAnswersContext {
  readonly store: IdempotencyStore & RequestsStore & ResponsesStore;
  readonly authenticator: Authenticator;
  readonly gate: Gate;
  /**
   * Returns the client address of a request. `X-Forwarded-For` counts only when it comes from a trusted
   * proxy.
   */
  readonly senderOf: (sent: Sent) => string;
  readonly limits: Limits;
  readonly refusals: Refusals;
  /** Returns whether a model is degraded or down, judged by all processes; undefined = neither. */
  readonly measuredOf: (modelId: string) => Measured;
  /** Returns the current catalog snapshot. */
  readonly snapshot: () => Snapshot;
}

/** A request that was let in, and what is known about its key. */
interface Arriving {
  readonly reservation: BodyReservation;
  readonly known: Caller | Promise<Caller>;
  readonly exchange: Exchange;
  readonly reply: Reply;
  readonly tail: string;
}

/**
 * Serves one request to its end. Never throws or rejects: every failure becomes an error answer in the
 * endpoint's format. `tail`: what the `*` of the endpoint's path stood for. Undefined: its key was refused,
 * without a promise and without an exception, because any caller can cause it.
 */
export function serveCall(
  context: PipelineContext,
  endpoint: ReadyEndpoint,
  exchange: Exchange,
  reply: Reply,
  tail = "",
): Promise<void> | undefined {
  let phase: Arrived | undefined;
  reply.speak(endpoint.protocol);
  try {
    const reservation = context.gate.admit(declaredBytes(exchange));
    phase = { name: "arrived", reservation, caller: undefined };
    const known = context.authenticator.check(presentedKey(exchange), exchange);
    if (!(known instanceof GatewayError))
      return serveCaller(context, endpoint, { reservation, known, exchange, reply, tail });
    refuse(context, endpoint, phase, reply, known);
  } catch (thrown) {
    refuse(context, endpoint, phase, reply, thrown);
  }
  if (phase !== undefined) release(context, phase, nothing, reply);
  return undefined;
}

/** The rest of `serveCall`, from the key on. */
async function serveCaller(
  context: PipelineContext,
  endpoint: ReadyEndpoint,
  { reservation, known, exchange, reply, tail }: Arriving,
): Promise<void> {
  let phase: Phase = { name: "arrived", reservation, caller: undefined };
  let taken = nothing;
  try {
    try {
      const caller = known instanceof Promise ? await known : known;
      phase = { name: "arrived", reservation, caller };
      phase = identify(context, endpoint, { reservation, caller, exchange, reply });
      phase = await readCall(context, phase, exchange, { reply, tail });
      const snapshot = context.snapshot();
      phase = resolveModel(phase, snapshot);
      const others = othersOf(phase, snapshot);
      const claimed = phase.read.idempotencyKey === undefined ? undefined : await claim(context, phase);
      if (claimed !== undefined && !(claimed instanceof KeyClaim)) {
        phase = await admitRepeat(context, phase, snapshot, claimed);
        taken = phase.taken;
      } else {
        if (claimed !== undefined) {
          taken = { claim: claimed, admissions: taken.admissions, hold: undefined };
          if (phase.read.fields.isStream) reply.keepStream(context.settings.idempotencyBytesMax);
        }
        const completing = completeCall(context, phase);
        if (completing !== undefined) phase = await completing;
        const worstCase = worstCaseOf(phase);
        const limiting = context.limits.admit(limitsOf(phase, worstCase, snapshot));
        const admissions = [limiting instanceof Promise ? await limiting : limiting];
        taken = { claim: taken.claim, admissions, hold: undefined };
        const substitutes = substitutesOf(phase, others);
        const basis = { ...worstCase, caller, price: phase.resolved.price };
        const placing = placeHold(
          context,
          basis,
          substitutes.map((substitute) => substitute.basis),
        );
        const hold = placing instanceof Promise ? await placing : placing;
        taken = { claim: taken.claim, admissions, hold };
        if (reply.isGone) throw new GatewayError("request_timeout");
        const candidates = candidatesOf(phase.resolved, worstCase, hold, substitutes);
        phase = { ...phase, name: "admitted", taken, worstCase, candidates };
      }
    } catch (thrown) {
      // Returns the rate limit units first, so that the error's limit headers show what is really left.
      endAdmissions(taken);
      throw thrown;
    } finally {
      addLimitHeaders(context, phase, reply);
    }
    if (phase.name === "admitted") {
      requireInForce(phase.call.caller);
      if (phase.read.fields.isStream) reservation.noteStream();
      for (const admission of taken.admissions) admission.start();
      const dispatchedMs = context.clock.elapsedMs();
      const dispatched = await dispatch(context, dispatchRequestOf(context, phase, exchange, reply));
      phase = answered(context, phase, dispatched, dispatchedMs);
      taken = phase.taken;
    }
    const keeping = phase.name === "answered" ? keepAnswer(context, phase) : undefined;
    // The row must be durable before the caller gets the end of its answer, in case the process crashes in
    // between.
    const charge = await settle(context, phase, endingOf(phase, reply));
    if (keeping !== undefined) await keeping;
    deliver({ earlier: phase.earlier, outcome: phase.outcome, charge }, reply);
  } catch (thrown) {
    refuse(context, endpoint, withTaken(phase, taken), reply, thrown);
  } finally {
    release(context, phase, taken, reply);
  }
}

const nothing: Taken = { claim: undefined, admissions: [], hold: undefined };

/** Returns the phase with everything taken so far, for a request that fails before it is admitted. */
function withTaken(phase: Phase, taken: Taken): Arrived | RequestPhase {
  if (phase.name === "arrived") return phase;
  return { ...phase, taken };
}

/** The connection and the authenticated caller of one request. */
interface Calling {
  readonly reservation: BodyReservation;
  readonly caller: Caller;
  readonly exchange: Exchange;
  readonly reply: Reply;
}

/** Throws `rate_limit_exceeded` when too many calls of this key were refused recently. */
function identify(
  context: PipelineContext,
  endpoint: ReadyEndpoint,
  { reservation, caller, exchange, reply }: Calling,
): Identified {
  const early = context.refusals.refuseEarly(caller.key);
  if (early !== undefined) throw early;
  const call = {
    id: reply.requestId,
    createdAt: context.clock.wallMs(),
    startedMs: context.clock.elapsedMs(),
    reservation,
    caller,
    sender: context.requestLog === undefined ? undefined : context.senderOf(exchange),
    trace: context.tracer?.begin(exchange.headers["traceparent"]),
  };
  context.authenticator.begin(caller);
  return {
    name: "identified",
    call,
    endpoint,
    read: undefined,
    resolved: undefined,
    taken: nothing,
    worstCase: undefined,
    candidates: undefined,
    earlier: undefined,
    outcome: undefined,
  };
}

/**
 * Reads the body and its fields. Throws the errors of `receive`, `invalid_request`, or the reason the key was
 * shut down meanwhile.
 */
async function readCall(
  context: PipelineContext,
  phase: Identified,
  exchange: Exchange,
  { reply, tail }: { readonly reply: Reply; readonly tail: string },
): Promise<Received> {
  const { endpoint, call } = phase;
  const { reservation, caller } = call;
  const coding = checkBodyHead(exchange, context.settings);
  const idempotencyKey = readIdempotencyKey(exchange);
  const scanner = endpoint.scanners.create();
  const body = await receive(exchange, reply, context, { scanner, reservation, coding });
  const receivedMs = context.clock.elapsedMs();
  requireInForce(caller);
  if (reply.isGone) throw new GatewayError("request_timeout");
  const target = targetOf(endpoint, exchange, tail);
  const fields = endpoint.read(scanner.end(body), body, target);
  const own = endpointOf(endpoint, fields);
  // Until here the endpoint's format was spoken: what is refused unread has no other.
  if (own !== endpoint) reply.speak(own.protocol);
  const read = {
    receivedMs,
    idempotencyKey,
    target,
    body,
    fields,
    completed: undefined,
    upstream: undefined,
  };
  return { ...phase, name: "received", endpoint: own, read };
}

/** Throws `model_not_allowed`, `model_not_found`, `wrong_endpoint` or `no_available_upstream`. */
function resolveModel(phase: Received, snapshot: Snapshot): Resolved {
  const { call, endpoint, read } = phase;
  const resolved = resolveFirst(snapshot, call.caller, read.fields, call.createdAt, endpoint.operation);
  return { ...phase, name: "resolved", resolved: countedBy(endpoint, resolved) };
}

/**
 * Returns the models that may serve the request instead of the first. Throws when the caller lists a model
 * its key may not use.
 */
function othersOf({ call, endpoint, read, resolved }: Resolved, snapshot: Snapshot): readonly PricedModel[] {
  const { model, otherModels: listed } = read.fields;
  // A count is of the model that is tried first.
  const fallbacks = endpoint.protocol.writeCount === undefined ? fallbacksOf(snapshot, model) : [];
  const further = { first: resolved.model.model.id, listed, fallbacks };
  return resolveOthers(snapshot, call.caller, further, call.createdAt, endpoint.operation);
}

/** Claims the Idempotency-Key for this request, or returns the answer of the earlier call that had it. */
function claim(context: PipelineContext, phase: Resolved): Promise<KeyClaim | EarlierAnswer> {
  const { call, endpoint, read } = phase;
  const { accountId } = call.caller.key;
  const { body, target } = read;
  const key = read.idempotencyKey as string;
  const { id: requestId } = call;
  return claimKey(context, { key, accountId, requestId, endpoint, target, body });
}

/**
 * Admits a repeated call. The model that gave the earlier answer may differ from the one asked for, so the
 * key is checked against that one too. A replay counts as a request and uses no tokens.
 */
async function admitRepeat(
  context: PipelineContext,
  phase: Resolved,
  snapshot: Snapshot,
  earlier: EarlierAnswer,
): Promise<Repeated> {
  const { resolved } = phase;
  const { caller } = phase.call;
  requireServedBy(caller, earlier.answer);
  const admitting = context.limits.admitRepeat({ caller, snapshot, model: resolved.model.model });
  const admission = admitting instanceof Promise ? await admitting : admitting;
  admission.start();
  return { ...phase, name: "repeated", earlier, taken: { ...nothing, admissions: [admission] } };
}

function worstCaseOf({ endpoint, resolved, read }: Resolved): WorstCase {
  return endpoint.worstCase(resolved.model, resolved.price, read.fields, read.body);
}

/** Returns what this request asks of the rate limits. */
function limitsOf({ call, resolved }: Resolved, worstCase: WorstCase, snapshot: Snapshot): LimitRequest {
  const { model } = resolved.model;
  return {
    caller: call.caller,
    snapshot,
    model,
    inputTokens: worstCase.sentTokens,
    outputTokens: worstCase.isAsked ? worstCase.outputTokens : undefined,
    answers: worstCase.answers,
    maxOutput: model.maxOutput,
  };
}

/** The request is charged and recorded under the model that served it, which may be a fallback. */
function answered(
  { clock }: PipelineContext,
  phase: Admitted,
  dispatched: Dispatched,
  dispatchedMs: number,
): Answered {
  const { resolved, admissions } = dispatched;
  const { taken } = phase;
  const error = errorOf(phase, dispatched);
  return {
    ...phase,
    name: "answered",
    resolved,
    taken: admissions.length === 0 ? taken : { ...taken, admissions: [...taken.admissions, ...admissions] },
    outcome: { dispatchedMs, dispatched, answeredMs: clock.elapsedMs(), error },
  };
}

/** Throws when the key was disabled or revoked while the body arrived or the request waited. */
function requireInForce({ ended }: Caller): void {
  if (ended !== undefined) throw ended;
}

/** Adds rate limit headers. Every answer to a valid key has them, errors too. */
function addLimitHeaders(context: PipelineContext, phase: Phase, reply: Reply): void {
  const { caller } = phase.name === "arrived" ? phase : phase.call;
  if (caller === undefined) return;
  const model = phase.name === "arrived" ? undefined : phase.resolved?.model.model;
  reply.addPassingHeaders(context.limits.headers({ caller, snapshot: context.snapshot(), model }));
}

function endAdmissions({ admissions }: Taken): void {
  for (const admission of admissions) admission.end(0);
}

/**
 * Runs at the end of every request. Settling has already ended what was taken, so this only matters for
 * requests that failed earlier.
 */
function release(context: PipelineContext, phase: Phase, taken: Taken, reply: Reply): void {
  if (phase.name !== "arrived") {
    endAdmissions(taken);
    taken.hold?.drop();
    taken.claim?.drop();
    context.authenticator.end(phase.call.caller);
  }
  // A draining process waits until the last byte is handed to the system, not only until the answer is
  // decided.
  const { reservation } = phase.name === "arrived" ? phase : phase.call;
  reply.whenOver(reservation.end);
}
