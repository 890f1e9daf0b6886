/**
 * A request that leaves the line before its end, or fails at it: what its caller is
 * told, and what is written down of it.
 */
import { toGatewayError } from "@plaza/contract/error-wire.ts";
import { errorCatalogue, type GatewayError } from "@plaza/contract/errors.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import { statusCallerLeft } from "./ending.ts";
import type { Arrived, RequestPhase } from "./phases.ts";
import type { Refusals } from "./refusals.ts";
import type { Reply } from "./reply.ts";
import { type SettleContext, settle } from "./settle.ts";

export interface RefuseContext extends SettleContext {
  readonly refusals: Pick<Refusals, "isRow">;
}

/**
 * Tells the caller why its request is not served, or not to its end, and records it where that was not done.
 */
export function refuse(
  context: RefuseContext,
  operation: Operation,
  phase: Arrived | RequestPhase | undefined,
  reply: Reply,
  thrown: unknown,
): void {
  const error = toGatewayError(thrown);
  if (error !== thrown) logMistake(context, reply, thrown);
  if (phase === undefined || phase.name === "arrived") {
    context.observe.refused(error.code, errorCatalogue[error.code].status, operation);
  } else if (phase.name !== "answered" && phase.name !== "repeated") {
    recordRefusal(context, phase, reply, error);
  }
  if (error.code === "request_timeout") {
    reply.closeAfter();
    reply.fail(error);
  } else {
    reply.refuse(error);
  }
}

/**
 * A refusal of ours, before any upstream was called: recorded or, where there are
 * many, counted; nobody waits for that.
 */
function recordRefusal(context: RefuseContext, phase: RequestPhase, reply: Reply, error: GatewayError): void {
  const { status: rowStatus } = errorCatalogue[error.code];
  const status = reply.isGone ? statusCallerLeft : rowStatus;
  const state = reply.isGone ? "aborted" : "failed";
  if (!context.refusals.isRow(phase.caller.key, error.code, rowStatus >= 500)) {
    const model = phase.resolved?.model.model.id;
    context.observe.refused(error.code, status, phase.endpoint.operation, { state, model });
    return;
  }
  settle(context, phase, { status, state, errorCode: error.code, kept: undefined }).catch(() => {});
}

/** A bug of ours: the stack goes to the log, a generic text to the caller. */
function logMistake(context: RefuseContext, reply: Reply, thrown: unknown): void {
  const stack = thrown instanceof Error ? thrown.stack : String(thrown);
  context.log.error("internal_error", { request: reply.requestId, stack });
}
