/**
 * The life of one `POST /v1/chat/completions`, step by step. Every `if` of the request path is in this file; the steps
 * themselves only do their one thing. See ARCHITECTURE.md for the same line with its exits.
 */

import { toGatewayError } from "@plaza/contract/error-wire.ts";
import { errorCatalogue, GatewayError } from "@plaza/contract/errors.ts";
import { formatUsd } from "@plaza/contract/money.ts";
import type { RequestState } from "@plaza/contract/usage.ts";
import type { Measured } from "../../domain/catalog/model-status.ts";
import type { Exchange } from "../../lib/net/exchange.ts";
import type { Sent } from "../../lib/net/forwarded.ts";
import type { RequestsStore } from "../../store/requests/request-shapes.ts";
import type { IdempotencyStore } from "../../store/requests/settlement-shapes.ts";
import type { AttemptEnd } from "../dispatch/attempt.ts";
import { type Candidate, type DispatchContext, type Dispatched, dispatch } from "../dispatch/dispatch.ts";
import { faultError } from "../dispatch/fault-error.ts";
import type { Endpoint, ReadyEndpoint } from "../endpoints/endpoint.ts";
import { type BodyReservation, declaredBytes, type Gate } from "../gate/admit.ts";
import type { Limits } from "../limits/limits.ts";
import { type Hold, type HoldBasis, type HoldContext, outputPaid, placeHold } from "../money/holds.ts";
import type { WorstCase } from "../money/worst-case.ts";
import type { Snapshot } from "../snapshot.ts";
import { type Authenticator, type Caller, presentedKey } from "./authenticate.ts";
import {
  answerToKeep,
  claimKey,
  type EarlierAnswer,
  type IdempotencyContext,
  KeyClaim,
  readIdempotencyKey,
  replayAnswer,
  requireServedBy,
} from "./idempotency.ts";
import { checkBodyHead, type ReceiveContext, receive } from "./receive.ts";
import type { Refusals } from "./refusals.ts";
import { answerType, type Reply } from "./reply.ts";
import { type Resolved, resolve, resolveOthers } from "./resolve.ts";
import { type RequestSoFar, type SettleContext, settle } from "./settle.ts";

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

const states: Record<AttemptEnd["kind"], RequestState> = {
  answer: "complete",
  stream: "complete",
  cut: "incomplete",
  fault: "failed",
  aborted: "aborted",
};

/** Status recorded when the caller left before one was sent (nginx's convention). */
const statusCallerLeft = 499;

/** How far a request has come: what has to be ended, recorded and given back when it leaves the line. */
interface Course {
  reservation: BodyReservation | undefined;
  /** Whose it is, once its key was found good. */
  caller: Caller | undefined;
  request: RequestSoFar | undefined;
  /** Its row is written, or being written. */
  isConcluded: boolean;
  /** The `x-ratelimit-*` headers are part of the answer. */
  hasLimitHeaders: boolean;
}

/** Serves one request to its end. Never rejects: whatever goes wrong becomes an answer in the one error shape. */
export async function serveCall(
  context: PipelineContext,
  endpoint: ReadyEndpoint,
  exchange: Exchange,
  reply: Reply,
): Promise<void> {
  const course: Course = {
    reservation: undefined,
    caller: undefined,
    request: undefined,
    isConcluded: false,
    hasLimitHeaders: false,
  };
  try {
    await serve(context, endpoint, exchange, reply, course);
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error !== thrown) logMistake(context, reply, thrown);
    if (course.request === undefined) {
      context.observe.refused(error.code, errorCatalogue[error.code].status, "chat");
    } else if (!course.isConcluded) {
      recordRefusal(context, course.request, reply, error);
    }
    addLimitHeaders(context, reply, course);
    if (error.code === "request_timeout") {
      reply.closeAfter();
      reply.fail(error);
    } else {
      reply.refuse(error);
    }
  } finally {
    const { reservation, request } = course;
    // Settling ends the holds and the claim; this is for whatever left the line before it came to that.
    for (const admitted of request?.admitted ?? []) admitted.end(0);
    request?.hold?.drop();
    request?.claim?.drop();
    if (request !== undefined) context.authenticator.end(request.caller);
    // A draining process waits for the last byte to be on its way, not only for the answer to be decided.
    if (reservation !== undefined) reply.whenOver(reservation.end);
  }
}

/** The line itself. */
async function serve(
  context: PipelineContext,
  ready: ReadyEndpoint,
  exchange: Exchange,
  reply: Reply,
  course: Course,
): Promise<void> {
  const { endpoint } = ready;
  const reservation = context.gate.admit(declaredBytes(exchange));
  course.reservation = reservation;
  const known = context.authenticator.authenticate(presentedKey(exchange.headers), exchange);
  const caller = known instanceof Promise ? await known : known;
  course.caller = caller;
  const early = context.refusals.refuseEarly(caller.key);
  if (early !== undefined) throw early;
  context.authenticator.begin(caller);
  const request = begin(context, endpoint, exchange, reply, caller);
  course.request = request;
  request.trace = context.tracer?.begin(exchange.headers["traceparent"]);
  const coding = checkBodyHead(exchange, context.settings);
  const key = readIdempotencyKey(exchange);
  const scanner = ready.scanners.create();
  const body = await receive(exchange, reply, context, { scanner, reservation, coding });
  request.receivedMs = context.clock.elapsedMs();
  requireInForce(caller);
  if (reply.isGone) throw new GatewayError("request_timeout");
  const fields = endpoint.read(scanner.end(body), body);
  request.modelId = fields.model;
  request.isStream = fields.isStream;
  request.asked = { body, fields };
  const snapshot = context.snapshot();
  const resolved = resolve(snapshot, caller, fields.model, request.createdAt, request.operation);
  request.resolved = resolved;
  const asked = { resolved, listed: fields.otherModels };
  const others = resolveOthers(snapshot, caller, asked, request.createdAt, request.operation);
  if (key !== undefined) {
    const earlier = await claim(context, request, reply, key, body);
    if (earlier !== undefined) {
      await admitRepeat(context, request, snapshot, earlier);
      course.isConcluded = true;
      addLimitHeaders(context, reply, course);
      await repeat(context, request, reply, earlier);
      return;
    }
  }
  const { model } = resolved.model;
  const worstCase = endpoint.worstCase(resolved.model, resolved.price, fields, body);
  const admitting = context.limits.admit({
    caller,
    snapshot,
    model,
    inputTokens: worstCase.sentTokens,
    outputTokens: worstCase.isAsked ? worstCase.outputTokens : undefined,
    answers: worstCase.answers,
    maxOutput: model.maxOutput,
  });
  request.admitted.push(admitting instanceof Promise ? await admitting : admitting);
  const wishes = others.map(({ model, price }) => ({
    caller,
    price,
    ...endpoint.worstCase(model, price, fields, body),
  }));
  const placing = placeHold(context, { caller, price: resolved.price, ...worstCase }, wishes);
  const hold = placing instanceof Promise ? await placing : placing;
  request.hold = hold;
  request.outputTokensMax =
    ((hold.clampedTo ?? worstCase.outputTokens) + worstCase.furtherTokens) * worstCase.answers;
  if (reply.isGone) throw new GatewayError("request_timeout");
  const outputTokensMax = hold.clampedTo ?? worstCase.told;
  const substitutes = paidFor(hold, others, wishes).map((candidate) => withLimits(candidate, worstCase));
  addLimitHeaders(context, reply, course);
  requireInForce(caller);
  for (const admitted of request.admitted) admitted.start();
  request.dispatchedMs = context.clock.elapsedMs();
  const dispatched = await dispatch(context, {
    ...fields,
    endpoint: ready,
    body,
    candidates: [{ resolved, outputTokensMax }, ...substitutes],
    reply,
    caller,
    isKept: key !== undefined,
    most: worstCase,
    dropsParams: exchange.headers["x-plaza-drop-params"] === "true",
  });
  request.admitted.push(...dispatched.admissions);
  request.answeredMs = context.clock.elapsedMs();
  course.isConcluded = true;
  // What served is what is charged, at its own price, and what the row is about.
  request.resolved = dispatched.resolved;
  request.modelId = dispatched.resolved.model.model.id;
  await conclude(context, request, reply, dispatched);
}

/** What is left of the limits, once, on whatever answer is going to be sent to a valid key. */
function addLimitHeaders(context: PipelineContext, reply: Reply, course: Course): void {
  const { caller, request } = course;
  if (caller === undefined || course.hasLimitHeaders) return;
  course.hasLimitHeaders = true;
  const model = request?.resolved?.model.model;
  reply.addPassingHeaders(context.limits.headers({ caller, snapshot: context.snapshot(), model }));
}

/** Of the models that may take another's place those that the money set aside pays for, each with its own bound of output. */
function paidFor(
  hold: Hold,
  others: readonly Resolved[],
  wishes: readonly (HoldBasis & WorstCase)[],
): Candidate[] {
  return others.flatMap((resolved, index) => {
    const wish = wishes[index];
    const paid = wish === undefined ? "too little" : outputPaid(hold, wish);
    return paid === "too little" ? [] : [{ resolved, outputTokensMax: paid ?? wish?.told }];
  });
}

/** What a substitute takes of its own model's limits, where it has any. */
function withLimits(
  candidate: Candidate,
  { sentTokens: inputTokens, isAsked, outputTokens: most, answers }: WorstCase,
): Candidate {
  const { model } = candidate.resolved.model;
  if (model.limits === undefined) return candidate;
  const outputTokens = isAsked ? most : undefined;
  return {
    ...candidate,
    limitUse: { model, inputTokens, outputTokens, answers, maxOutput: model.maxOutput },
  };
}

/** Takes the Idempotency-Key for this request; what it finds instead is the answer of the one that had it before. */
async function claim(
  context: PipelineContext,
  request: RequestSoFar,
  reply: Reply,
  key: string,
  body: Buffer,
): Promise<EarlierAnswer | undefined> {
  const { accountId } = request.caller.key;
  const outcome = await claimKey(context, { key, accountId, requestId: request.id, body });
  if (!(outcome instanceof KeyClaim)) return outcome;
  request.claim = outcome;
  if (request.isStream) reply.keepStream(context.settings.idempotencyBytesMax);
  return undefined;
}

/**
 * An earlier answer is given only to a key that may use the model that gave it, which need not be the one asked for. Giving it counts
 * as a request, and uses no tokens.
 */
async function admitRepeat(
  context: PipelineContext,
  request: RequestSoFar,
  snapshot: Snapshot,
  { answer }: EarlierAnswer,
): Promise<void> {
  const { caller, resolved } = request;
  requireServedBy(caller, answer);
  const admitting = context.limits.admitRepeat({ caller, snapshot, model: resolved?.model.model });
  const admitted = admitting instanceof Promise ? await admitting : admitting;
  request.admitted.push(admitted);
  admitted.start();
}

/** The answer of an earlier call, again: recorded like any other, for nothing. */
async function repeat(
  context: PipelineContext,
  request: RequestSoFar,
  reply: Reply,
  earlier: EarlierAnswer,
): Promise<void> {
  const { status } = earlier.answer;
  request.isReplay = true;
  await settle(context, request, { status, state: "complete", errorCode: null, dispatched: undefined });
  replayAnswer(reply, earlier);
}

function begin(
  context: PipelineContext,
  endpoint: Endpoint,
  exchange: Exchange,
  reply: Reply,
  caller: Caller,
): RequestSoFar {
  const sender = context.requestLog === undefined ? undefined : context.senderOf(exchange);
  return {
    id: reply.requestId,
    createdAt: context.clock.wallMs(),
    startedMs: context.clock.elapsedMs(),
    caller,
    operation: "chat",
    modelId: null,
    isStream: false,
    endpoint,
    asked: undefined,
    outputTokensMax: 0,
    resolved: undefined,
    admitted: [],
    hold: undefined,
    claim: undefined,
    receivedMs: undefined,
    dispatchedMs: undefined,
    answeredMs: undefined,
    trace: undefined,
    sender,
    isReplay: false,
  };
}

/** Settles first, then gives the caller the end of its answer: what completed is on record, whatever crashes next. */
async function conclude(
  context: PipelineContext,
  request: RequestSoFar,
  reply: Reply,
  dispatched: Dispatched,
): Promise<void> {
  const { end } = dispatched;
  const error = errorOf(request, dispatched);
  const charge = await settle(context, request, {
    status: statusOf(reply, error),
    state: reply.isGone ? "aborted" : states[end.kind],
    errorCode: error?.code ?? null,
    dispatched,
    answerToKeep: (paid) => answerToKeep({ end, error, reply }, paid, context.settings.idempotencyBytesMax),
  });
  if (error !== undefined) throw error;
  if (end.kind === "answer") {
    const headers = ["x-plaza-charge", formatUsd(charge)];
    reply.send(200, answerType, end.body, headers);
  } else if (end.kind === "stream") reply.endStream(end.tail);
}

/** What the caller is told of an attempt that failed; undefined where none did. */
function errorOf(
  { caller, endpoint }: RequestSoFar,
  { end, attempts, resolved }: Dispatched,
): GatewayError | undefined {
  if (end.kind !== "fault" && end.kind !== "cut") return undefined;
  if (end.fault.kind === "key_ended" && caller.ended !== undefined) return caller.ended;
  const { context } = resolved.model.model;
  return faultError(end.fault, { attempts, context, promptField: endpoint.promptField });
}

/** Throws why its key was shut down, where it was since the call began: while its body came, or while it waited. */
function requireInForce({ ended }: Caller): void {
  if (ended !== undefined) throw ended;
}

function statusOf(reply: Reply, error: GatewayError | undefined): number {
  if (reply.isGone) return reply.status === 0 ? statusCallerLeft : reply.status;
  if (error === undefined || reply.isStream) return 200;
  return errorCatalogue[error.code].status;
}

/** A refusal of ours, before any upstream was called: recorded or, where there are many, counted; nobody waits for that. */
function recordRefusal(
  context: PipelineContext,
  request: RequestSoFar,
  reply: Reply,
  error: GatewayError,
): void {
  const status = reply.isGone ? statusCallerLeft : errorCatalogue[error.code].status;
  const state = reply.isGone ? "aborted" : "failed";
  if (!context.refusals.isRow(request.caller.key, error.code, errorCatalogue[error.code].status >= 500)) {
    context.observe.refused(error.code, status, request.operation, {
      state,
      model: request.resolved?.model.model.id,
    });
    return;
  }
  const ending = { status, state, errorCode: error.code, dispatched: undefined } as const;
  settle(context, request, ending).catch(() => {});
}

/** A bug of ours: the stack goes to the log, a generic text to the caller. */
function logMistake(context: PipelineContext, reply: Reply, thrown: unknown): void {
  const stack = thrown instanceof Error ? thrown.stack : String(thrown);
  context.log.error("internal_error", { request: reply.requestId, stack });
}
