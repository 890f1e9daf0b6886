/**
 * The life of one `POST /v1/chat/completions`, step by step. Every `if` of the request path is in this file; the steps
 * themselves only do their one thing. See ARCHITECTURE.md for the same line with its exits.
 */
import type { IncomingMessage } from "node:http";
import { toGatewayError } from "@plaza/contract/error-wire.ts";
import { errorCatalogue, GatewayError } from "@plaza/contract/errors.ts";
import { formatUsd } from "@plaza/contract/money.ts";
import type { RequestState } from "@plaza/contract/usage.ts";
import type { Gate, Hold } from "./admit.ts";
import type { AttemptEnd } from "./attempt.ts";
import type { Authenticator, Caller } from "./authenticate.ts";
import { boundsOf } from "./bounds.ts";
import { readChatFields } from "./chat-scan.ts";
import { type DispatchContext, type Dispatched, dispatch } from "./dispatch.ts";
import { faultError } from "./fault-error.ts";
import { type FundsContext, placeFunds } from "./funds.ts";
import {
  answerToKeep,
  claimKey,
  type EarlierAnswer,
  type IdempotencyContext,
  KeyClaim,
  readIdempotencyKey,
  replayAnswer,
} from "./idempotency.ts";
import { checkBodyHead, type ReceiveContext, receive } from "./receive.ts";
import { answerType, type Reply } from "./reply.ts";
import { resolve } from "./resolve.ts";
import { type RequestSoFar, type SettleContext, settle } from "./settle.ts";
import type { Snapshot } from "./snapshot.ts";

export interface ChatContext
  extends DispatchContext,
    FundsContext,
    IdempotencyContext,
    ReceiveContext,
    SettleContext {
  readonly authenticator: Authenticator;
  readonly gate: Gate;
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
  hold: Hold | undefined;
  request: RequestSoFar | undefined;
  /** Its row is written, or being written. */
  isConcluded: boolean;
}

/** Serves one request to its end. Never rejects: whatever goes wrong becomes an answer in the one error shape. */
export async function chat(context: ChatContext, req: IncomingMessage, reply: Reply): Promise<void> {
  const course: Course = { hold: undefined, request: undefined, isConcluded: false };
  try {
    await serve(context, req, reply, course);
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error !== thrown) logMistake(context, reply, thrown);
    if (course.request !== undefined && !course.isConcluded) {
      recordRefusal(context, course.request, reply, error);
    }
    if (error.code === "request_timeout") {
      reply.closeAfter();
      reply.fail(error);
    } else {
      reply.refuse(error, req);
    }
  } finally {
    const { hold, request } = course;
    // Settling ends the holds and the claim; this is for whatever left the line before it came to that.
    request?.funds?.drop();
    request?.claim?.drop();
    // A draining process waits for the last byte to be on its way, not only for the answer to be decided.
    if (hold !== undefined) reply.whenOver(hold.end);
  }
}

/** The line itself. */
async function serve(
  context: ChatContext,
  req: IncomingMessage,
  reply: Reply,
  course: Course,
): Promise<void> {
  course.hold = context.gate.admit();
  const known = context.authenticator.authenticate(req.headers.authorization);
  const caller = known instanceof Promise ? await known : known;
  const request = begin(context, reply, caller);
  course.request = request;
  checkBodyHead(req, context.settings.bodyBytesMax);
  const key = readIdempotencyKey(req);
  const scanner = context.scanners.create();
  const body = await receive(req, reply, context, scanner);
  if (reply.isGone) throw new GatewayError("request_timeout");
  const fields = readChatFields(scanner, body);
  request.modelId = fields.model;
  request.isStream = fields.isStream;
  request.promptBytes = fields.promptBytes;
  const resolved = resolve(context.snapshot(), caller, fields.model, request.createdAt);
  request.resolved = resolved;
  if (key !== undefined) {
    const earlier = await claim(context, request, reply, key, body);
    if (earlier !== undefined) {
      course.isConcluded = true;
      await repeat(context, request, reply, earlier);
      return;
    }
  }
  const bounds = boundsOf(resolved.model.model, resolved.price, fields, body);
  const placing = placeFunds(context, { caller, price: resolved.price, ...bounds });
  const funds = placing instanceof Promise ? await placing : placing;
  request.funds = funds;
  if (reply.isGone) throw new GatewayError("request_timeout");
  const outputTokensMax = funds.clampedTo;
  if (outputTokensMax !== undefined) reply.addHeader("x-plaza-max-tokens", String(outputTokensMax));
  const dispatched = await dispatch(context, {
    ...fields,
    body,
    model: resolved.model,
    reply,
    outputTokensMax,
    isKept: key !== undefined,
  });
  course.isConcluded = true;
  await conclude(context, request, reply, dispatched);
}

/** Takes the Idempotency-Key for this request; what it finds instead is the answer of the one that had it before. */
async function claim(
  context: ChatContext,
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

/** The answer of an earlier call, again: recorded like any other, for nothing. */
async function repeat(
  context: ChatContext,
  request: RequestSoFar,
  reply: Reply,
  earlier: EarlierAnswer,
): Promise<void> {
  const { status } = earlier.answer;
  await settle(context, request, { status, state: "complete", errorCode: null, dispatched: undefined });
  replayAnswer(reply, earlier);
}

function begin(context: ChatContext, reply: Reply, caller: Caller): RequestSoFar {
  return {
    id: reply.requestId,
    createdAt: context.clock.wallMs(),
    startedMs: context.clock.elapsedMs(),
    caller,
    modelId: null,
    isStream: false,
    promptBytes: 0,
    resolved: undefined,
    funds: undefined,
    claim: undefined,
  };
}

/** Settles first, then gives the caller the end of its answer: what completed is on record, whatever crashes next. */
async function conclude(
  context: ChatContext,
  request: RequestSoFar,
  reply: Reply,
  dispatched: Dispatched,
): Promise<void> {
  const { end } = dispatched;
  const error =
    end.kind === "fault" || end.kind === "cut" ? faultError(end.fault, dispatched.attempts) : undefined;
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

function statusOf(reply: Reply, error: GatewayError | undefined): number {
  if (reply.isGone) return reply.status === 0 ? statusCallerLeft : reply.status;
  if (error === undefined || reply.isStream) return 200;
  return errorCatalogue[error.code].status;
}

/** A refusal of ours, before any upstream was called: recorded, but nobody waits for the row. */
function recordRefusal(context: ChatContext, request: RequestSoFar, reply: Reply, error: GatewayError): void {
  const status = reply.isGone ? statusCallerLeft : errorCatalogue[error.code].status;
  const state = reply.isGone ? "aborted" : "failed";
  const ending = { status, state, errorCode: error.code, dispatched: undefined } as const;
  settle(context, request, ending).catch(() => {});
}

/** A bug of ours: the stack goes to the log, a generic text to the caller. */
function logMistake(context: ChatContext, reply: Reply, thrown: unknown): void {
  const stack = thrown instanceof Error ? thrown.stack : String(thrown);
  context.log.error("internal_error", { request: reply.requestId, stack });
}
