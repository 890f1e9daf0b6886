/** Answers and records a request that failed before or during an upstream call. */
import { toGatewayError } from "@plaza/contract/error-wire.ts";
import { errorCatalogue, type GatewayError } from "@plaza/contract/errors.ts";
import type { CalledEndpoint } from "../../observe/observe.ts";
import { statusCallerLeft } from "../ending.ts";
import type { Arrived, RequestPhase } from "../phases.ts";
import type { Reply } from "../reply.ts";
import { type SettleContext, settle } from "../settle.ts";
import type { Refusals } from "./refusals.ts";

export interface RefuseContext extends SettleContext {
  readonly refusals: Pick<Refusals, "isRow">;
}

/** Sends the error to the caller, and records the request unless an earlier step already did. */
export function refuse(
  context: RefuseContext,
  endpoint: CalledEndpoint,
  phase: Arrived | RequestPhase | undefined,
  reply: Reply,
  thrown: unknown,
): void {
  const error = toGatewayError(thrown);
  if (error !== thrown) logMistake(context, reply, thrown);
  if (phase === undefined || phase.name === "arrived") {
    context.observe.refused(error.code, errorCatalogue[error.code].status, endpoint);
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
 * Records a request that failed before any upstream call, or only counts it when its key has many. Does not
 * wait for the write.
 */
function recordRefusal(context: RefuseContext, phase: RequestPhase, reply: Reply, error: GatewayError): void {
  const { status: rowStatus } = errorCatalogue[error.code];
  const status = reply.isGone ? statusCallerLeft : rowStatus;
  const state = reply.isGone ? "aborted" : "failed";
  if (!context.refusals.isRow(phase.call.caller.key, error.code, rowStatus >= 500)) {
    const model = phase.resolved?.model.model.id;
    context.observe.refused(error.code, status, phase.endpoint, { state, model });
    return;
  }
  settle(context, phase, { status, state, errorCode: error.code, kept: undefined }).catch(() => {});
}

/** An unexpected exception is a bug: the log gets the stack, the caller a generic error. */
function logMistake(context: RefuseContext, reply: Reply, thrown: unknown): void {
  const stack = thrown instanceof Error ? thrown.stack : String(thrown);
  context.log.error("internal_error", { request: reply.requestId, stack });
}
