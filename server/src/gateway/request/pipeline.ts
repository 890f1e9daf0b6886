/**
 * The life of one call of a model, whichever its endpoint, step by step. The list of steps and every
 * `if` between them are in this file; the steps themselves only do their one thing. See
 * ARCHITECTURE.md for the same line with its exits.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import type { Measured } from "../../domain/catalog/model-status.ts";
import type { Exchange } from "../../lib/net/exchange.ts";
import type { Sent } from "../../lib/net/forwarded.ts";
import type { IdempotencyStore } from "../../store/requests/settlement-shapes.ts";
import type { RequestsStore } from "../../store/requests/shapes.ts";
import {
  type DispatchContext,
  type Dispatched,
  type DispatchRequest,
  dispatch,
} from "../dispatch/dispatch.ts";
import { endpointOf, type ReadyEndpoint } from "../endpoints/endpoint.ts";
import { type BodyReservation, declaredBytes, type Gate } from "../gate/admit.ts";
import type { LimitRequest, Limits } from "../limits/limits.ts";
import { type HoldContext, placeHold } from "../money/holds.ts";
import type { WorstCase } from "../money/worst-case.ts";
import type { Snapshot } from "../snapshot.ts";
import { type Authenticator, type Caller, presentedKey } from "./authenticate.ts";
import { checkBodyHead, type ReceiveContext, receive } from "./body/receive.ts";
import { deliver, endingOf, errorOf } from "./ending.ts";
import {
  claimKey,
  type EarlierAnswer,
  type IdempotencyContext,
  KeyClaim,
  readIdempotencyKey,
  requireServedBy,
} from "./idempotency/idempotency.ts";
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
import type { Refusals } from "./refusals.ts";
import { refuse } from "./refuse.ts";
import type { Reply } from "./reply.ts";
import { type PricedModel, resolve, resolveOthers } from "./resolve.ts";
import { type SettleContext, settle } from "./settle.ts";
import { candidatesOf, substitutesOf } from "./substitutes.ts";

export interface PipelineContext
  extends DispatchContext,
    HoldContext,
    IdempotencyContext,
    ReceiveContext,
    SettleContext {
  readonly store: IdempotencyStore & RequestsStore;
  readonly authenticator: Authenticator;
  readonly gate: Gate;
  /** Address a request came from; believes the proxies the operator named. */
  readonly senderOf: (sent: Sent) => string;
  readonly limits: Limits;
  readonly refusals: Refusals;
  /** What is known against a model, by all processes. */
  readonly measuredOf: (modelId: string) => Measured;
  /** The snapshot in force now. */
  readonly snapshot: () => Snapshot;
}

/**
 * Serves one request to its end. Never rejects: whatever goes wrong becomes an answer in the one error shape.
 */
export async function serveCall(
  context: PipelineContext,
  endpoint: ReadyEndpoint,
  exchange: Exchange,
  reply: Reply,
): Promise<void> {
  let phase: Phase | undefined;
  let taken = nothing;
  try {
    try {
      const reservation = context.gate.admit(declaredBytes(exchange));
      phase = { name: "arrived", reservation, caller: undefined };
      const known = context.authenticator.authenticate(presentedKey(exchange.headers), exchange);
      const caller = known instanceof Promise ? await known : known;
      phase = { name: "arrived", reservation, caller };
      phase = identify(context, endpoint, { reservation, caller, exchange, reply });
      phase = await read(context, phase, exchange, reply);
      const snapshot = context.snapshot();
      phase = resolveModel(phase, snapshot);
      const others = othersOf(phase, snapshot);
      const claimed = phase.idempotencyKey === undefined ? undefined : await claim(context, phase);
      if (claimed !== undefined && !(claimed instanceof KeyClaim)) {
        phase = await admitRepeat(context, phase, snapshot, claimed);
        taken = phase;
      } else {
        if (claimed !== undefined) {
          taken = { ...taken, claim: claimed };
          if (phase.fields.isStream) reply.keepStream(context.settings.idempotencyBytesMax);
        }
        const worstCase = worstCaseOf(phase);
        const limiting = context.limits.admit(limitsOf(phase, worstCase, snapshot));
        taken = { ...taken, admissions: [limiting instanceof Promise ? await limiting : limiting] };
        const substitutes = substitutesOf(phase, others);
        const basis = { caller, price: phase.resolved.price, ...worstCase };
        const placing = placeHold(
          context,
          basis,
          substitutes.map((substitute) => substitute.basis),
        );
        const hold = placing instanceof Promise ? await placing : placing;
        taken = { ...taken, hold };
        if (reply.isGone) throw new GatewayError("request_timeout");
        const candidates = candidatesOf(phase.resolved, worstCase, hold, substitutes);
        phase = admitted(phase, taken, { worstCase, hold, candidates });
      }
    } catch (refusal) {
      // What a refused request took of its limits goes back before its answer tells what is left of them.
      endAdmissions(taken);
      throw refusal;
    } finally {
      addLimitHeaders(context, phase, reply);
    }
    if (phase.name === "admitted") {
      requireInForce(phase.caller);
      for (const admission of phase.admissions) admission.start();
      const dispatchedMs = context.clock.elapsedMs();
      const dispatched = await dispatch(context, dispatchRequestOf(phase, exchange, reply));
      phase = answered(context, phase, dispatched, dispatchedMs);
      taken = phase;
    }
    // What completed is on record before the caller gets its end, whatever crashes next.
    const charge = await settle(context, phase, endingOf(phase, reply));
    const { earlier, dispatched, error } = phase;
    deliver({ earlier, dispatched, error, charge }, reply);
  } catch (thrown) {
    refuse(context, endpoint.operation, withTaken(phase, taken), reply, thrown);
  } finally {
    if (phase !== undefined) release(context, phase, taken, reply);
  }
}

const nothing: Taken = { claim: undefined, admissions: [], hold: undefined };

/** For a request that leaves the line: its phase with all that was taken for it. */
function withTaken(phase: Phase | undefined, taken: Taken): Arrived | RequestPhase | undefined {
  if (phase === undefined || phase.name === "arrived") return phase;
  const { claim, admissions, hold } = taken;
  return { ...phase, claim, admissions, hold };
}

/** Who calls, and over what. */
interface Calling {
  readonly reservation: BodyReservation;
  readonly caller: Caller;
  readonly exchange: Exchange;
  readonly reply: Reply;
}

/** Throws where too many calls of this key were refused. */
function identify(
  context: PipelineContext,
  endpoint: ReadyEndpoint,
  { reservation, caller, exchange, reply }: Calling,
): Identified {
  const early = context.refusals.refuseEarly(caller.key);
  if (early !== undefined) throw early;
  const identified: Identified = {
    name: "identified",
    reservation,
    endpoint,
    id: reply.requestId,
    createdAt: context.clock.wallMs(),
    startedMs: context.clock.elapsedMs(),
    caller,
    sender: context.requestLog === undefined ? undefined : context.senderOf(exchange),
    trace: context.tracer?.begin(exchange.headers["traceparent"]),
    modelId: null,
    idempotencyKey: undefined,
    receivedMs: undefined,
    body: undefined,
    fields: undefined,
    resolved: undefined,
    claim: undefined,
    earlier: undefined,
    isReplay: false,
    worstCase: undefined,
    admissions: [],
    hold: undefined,
    candidates: undefined,
    dispatchedMs: undefined,
    dispatched: undefined,
    answeredMs: undefined,
    error: undefined,
  };
  context.authenticator.begin(caller);
  return identified;
}

/**
 * The whole body, and its fields. Throws what receiving throws,
 * `invalid_request`, or why the key ended meanwhile.
 */
async function read(
  context: PipelineContext,
  phase: Identified,
  exchange: Exchange,
  reply: Reply,
): Promise<Received> {
  const { endpoint, reservation } = phase;
  const coding = checkBodyHead(exchange, context.settings);
  const idempotencyKey = readIdempotencyKey(exchange);
  const scanner = endpoint.scanners.create();
  const body = await receive(exchange, reply, context, { scanner, reservation, coding });
  const receivedMs = context.clock.elapsedMs();
  requireInForce(phase.caller);
  if (reply.isGone) throw new GatewayError("request_timeout");
  const fields = endpoint.read(scanner.end(body), body);
  return { ...phase, name: "received", receivedMs, idempotencyKey, body, fields, modelId: fields.model };
}

/** Throws `model_not_allowed`, `model_not_found`, `wrong_endpoint` or `no_available_upstream`. */
function resolveModel(phase: Received, snapshot: Snapshot): Resolved {
  const resolved = resolve(snapshot, phase.caller, phase.modelId, phase.createdAt, phase.endpoint.operation);
  return { ...phase, name: "resolved", resolved };
}

/** What may take the place of the model asked for. Throws for a model the caller lists and may not use. */
function othersOf(
  { caller, endpoint, resolved, fields, createdAt }: Resolved,
  snapshot: Snapshot,
): readonly PricedModel[] {
  const asked = { resolved, listed: fields.otherModels };
  return resolveOthers(snapshot, caller, asked, createdAt, endpoint.operation);
}

/**
 * Takes the Idempotency-Key for this request; what it finds instead is the
 * answer of the call that had it before.
 */
function claim(context: PipelineContext, phase: Resolved): Promise<KeyClaim | EarlierAnswer> {
  const { accountId } = phase.caller.key;
  const key = phase.idempotencyKey as string;
  const { id: requestId, body } = phase;
  const { operation } = phase.endpoint;
  return claimKey(context, { key, accountId, requestId, operation, body });
}

/**
 * An earlier answer is given only to a key that may use the model that gave it, which need not be the one
 * asked for. Giving it counts as a request, and uses no tokens.
 */
async function admitRepeat(
  context: PipelineContext,
  phase: Resolved,
  snapshot: Snapshot,
  earlier: EarlierAnswer,
): Promise<Repeated> {
  const { caller, resolved } = phase;
  requireServedBy(caller, earlier.answer);
  const admitting = context.limits.admitRepeat({ caller, snapshot, model: resolved.model.model });
  const admission = admitting instanceof Promise ? await admitting : admitting;
  admission.start();
  return { ...phase, name: "repeated", earlier, isReplay: true, admissions: [admission] };
}

function worstCaseOf({ endpoint, resolved, fields, body }: Resolved): WorstCase {
  return endpoint.worstCase(resolved.model, resolved.price, fields, body);
}

/** What the request takes of its limits. */
function limitsOf({ caller, resolved }: Resolved, worstCase: WorstCase, snapshot: Snapshot): LimitRequest {
  const { model } = resolved.model;
  return {
    caller,
    snapshot,
    model,
    inputTokens: worstCase.sentTokens,
    outputTokens: worstCase.isAsked ? worstCase.outputTokens : undefined,
    answers: worstCase.answers,
    maxOutput: model.maxOutput,
  };
}

/** All is taken that the request needs; from here on its phase has it. */
function admitted(
  phase: Resolved,
  { claim, admissions }: Taken,
  { worstCase, hold, candidates }: Pick<Admitted, "worstCase" | "hold" | "candidates">,
): Admitted {
  return { ...phase, name: "admitted", claim, worstCase, admissions, hold, candidates };
}

function dispatchRequestOf(phase: Admitted, exchange: Exchange, reply: Reply): DispatchRequest {
  const { endpoint, caller, body, fields, candidates, worstCase, idempotencyKey } = phase;
  return {
    endpoint: endpointOf(endpoint, fields),
    body,
    fields,
    spans: fields.spans,
    isStream: fields.isStream,
    showsUsage: fields.showsUsage,
    apart: fields.apart,
    candidates,
    reply,
    caller,
    isKept: idempotencyKey !== undefined,
    most: worstCase,
    dropsParams: exchange.headers["x-plaza-drop-params"] === "true",
  };
}

/** What served is what is charged, at its own price, and what the row is about. */
function answered(
  { clock }: PipelineContext,
  phase: Admitted,
  dispatched: Dispatched,
  dispatchedMs: number,
): Answered {
  const { resolved, admissions } = dispatched;
  return {
    ...phase,
    name: "answered",
    dispatchedMs,
    dispatched,
    answeredMs: clock.elapsedMs(),
    resolved,
    modelId: resolved.model.model.id,
    admissions: admissions.length === 0 ? phase.admissions : [...phase.admissions, ...admissions],
    error: errorOf(phase, dispatched),
  };
}

/**
 * Throws why its key was shut down, where it was since the call began:
 * while its body came, or while it waited.
 */
function requireInForce({ ended }: Caller): void {
  if (ended !== undefined) throw ended;
}

/** What is left of the limits, on whatever answer is going to be sent to a valid key. */
function addLimitHeaders(context: PipelineContext, phase: Phase | undefined, reply: Reply): void {
  if (phase?.caller === undefined) return;
  const { caller } = phase;
  const model = phase.name === "arrived" ? undefined : phase.resolved?.model.model;
  reply.addPassingHeaders(context.limits.headers({ caller, snapshot: context.snapshot(), model }));
}

function endAdmissions({ admissions }: Taken): void {
  for (const admission of admissions) admission.end(0);
}

/**
 * The end of every request. Settling ends what was taken for it; this is for what
 * left the line before it came to that.
 */
function release(context: PipelineContext, phase: Phase, taken: Taken, reply: Reply): void {
  if (phase.name !== "arrived") {
    endAdmissions(taken);
    taken.hold?.drop();
    taken.claim?.drop();
    context.authenticator.end(phase.caller);
  }
  // A draining process waits for the last byte to be on its way, not only for the answer to be decided.
  reply.whenOver(phase.reservation.end);
}
