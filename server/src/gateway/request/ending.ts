/**
 * Maps the outcome of a request to its row (status, state, error code) and sends the end of the answer once
 * the row is durable.
 */
import { errorCatalogue, type GatewayError } from "@plaza/contract/errors.ts";
import { formatUsd } from "@plaza/contract/money.ts";
import type { RequestState } from "@plaza/contract/usage.ts";
import type { AttemptEnd } from "../dispatch/attempt/attempt.ts";
import type { Dispatched } from "../dispatch/dispatch.ts";
import { faultError } from "../dispatch/fault-error.ts";
import { uncounted } from "../endpoints/counting.ts";
import { replayAnswer } from "./idempotency/idempotency.ts";
import type { Admitted, Answered, Repeated, Settled } from "./phases.ts";
import { answerType, type Reply } from "./reply.ts";
import type { Ending } from "./settle.ts";

/** Recorded when the caller disconnected before a status was sent (nginx's convention). */
export const statusCallerLeft = 499;

const states: Record<AttemptEnd["kind"], RequestState> = {
  answer: "complete",
  stream: "complete",
  cut: "incomplete",
  fault: "failed",
  aborted: "aborted",
};

/** Returns the error for the caller; undefined when the last attempt succeeded. */
export function errorOf(
  { call: { caller }, endpoint }: Admitted,
  { end, attempts, resolved }: Dispatched,
): GatewayError | undefined {
  if (end.kind !== "fault" && end.kind !== "cut") return undefined;
  if (end.fault.kind === "key_ended" && caller.ended !== undefined) return caller.ended;
  const { context, id } = resolved.model.model;
  if (end.fault.kind === "unsupported" && endpoint.protocol.writeCount !== undefined) return uncounted(id);
  const { promptField, protocol } = endpoint;
  return faultError(end.fault, {
    attempts,
    context,
    promptField,
    readsOverflow: protocol.errors?.readsOverflow,
  });
}

export function endingOf(phase: Answered | Repeated, reply: Reply): Ending {
  if (phase.name === "repeated") {
    return { status: phase.earlier.answer.status, state: "complete", errorCode: null, kept: undefined };
  }
  const { dispatched, error } = phase.outcome;
  const { end } = dispatched;
  return {
    status: statusOf(reply, error),
    state: reply.isGone ? "aborted" : states[end.kind],
    errorCode: error?.code ?? null,
    kept: { end, error, reply },
  };
}

function statusOf(reply: Reply, error: GatewayError | undefined): number {
  if (reply.isGone) return reply.status === 0 ? statusCallerLeft : reply.status;
  if (error === undefined || reply.isStream) return 200;
  return errorCatalogue[error.code].status;
}

/** Sends the end of the answer, or throws the request's error. */
export function deliver({ earlier, outcome, charge }: Settled, reply: Reply): void {
  if (outcome?.error !== undefined) throw outcome.error;
  const end = outcome?.dispatched.end;
  if (earlier !== undefined) replayAnswer(reply, earlier);
  else if (end?.kind === "answer")
    reply.send(200, answerType, end.body, ["x-plaza-charge", formatUsd(charge)]);
  else if (end?.kind === "stream") reply.endStream(end.tail);
}
