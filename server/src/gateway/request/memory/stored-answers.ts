/**
 * State between calls, for endpoints that have it: a call is completed with what it refers to before money
 * and limits look at it, and its answer is kept before the caller gets the end of it.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { Log } from "../../../lib/telemetry/log.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { ResponsesStore } from "../../../store/responses/shapes.ts";
import type { CompletedCall } from "../../endpoints/endpoint.ts";
import type { GatewaySettings } from "../../settings.ts";
import type { Caller } from "../authenticate.ts";
import type { Admitted, Answered, Resolved } from "../phases.ts";
import { isAllowed } from "../resolve.ts";
import { deploymentNameOf, tiedTo } from "../tied.ts";
import { type NamedThingsContext, noteNamed, requireNamed } from "./named-things.ts";

export interface StoredAnswersContext extends NamedThingsContext {
  readonly store: ResponsesStore;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long this caller's answers are kept, in milliseconds; 0 = not at all. */
const keptMsFor = (
  { settings }: Pick<StoredAnswersContext, "settings">,
  { responsesKeptMs }: Pick<Caller, "responsesKeptMs">,
): number => responsesKeptMs ?? settings.responsesKeptMs;

/**
 * The call with everything it refers to in its body, at the upstream that has what it names; undefined where
 * there is nothing to do. Throws or rejects with `invalid_request`, `not_found` or `request_too_large`.
 */
export function completeCall(context: StoredAnswersContext, phase: Resolved): Promise<Resolved> | undefined {
  const { state } = phase.endpoint;
  if (state === undefined) return requireNamed(context, phase);
  const { call, read } = phase;
  const { caller } = call;
  const { fields, body } = read;
  state.require(fields, keptMsFor(context, caller));
  const completing = state.complete(fields, body, {
    store: context.store,
    accountId: caller.key.accountId,
    mayUse: (modelId) => isAllowed(caller, modelId),
  });
  return completing?.then(
    (completion) => {
      if (completion === undefined) return phase;
      const { call: completed, ties } = completion;
      return tiedTo(completed === undefined ? phase : withBody(context, phase, completed), ties);
    },
    (error: unknown) => {
      if (error instanceof GatewayError) throw error;
      context.log.warn("response_not_read", { request: phase.call.id, error: (error as Error).message });
      throw new GatewayError("ledger_unavailable", { message: message("responses.unread") });
    },
  );
}

/** What the answer says of state, where it repeats its request; undefined where the endpoint has none. */
export function echoOf(
  { settings }: Pick<StoredAnswersContext, "settings">,
  { endpoint, read: { fields, completed }, call: { caller } }: Admitted,
): Readonly<Record<string, unknown>> | undefined {
  return endpoint.state?.echo(fields, completed, keptMsFor({ settings }, caller));
}

/** Reads the completed body as if it had come so. */
function withBody(
  { settings: { bodyBytesMax } }: StoredAnswersContext,
  phase: Resolved,
  completed: CompletedCall,
): Resolved {
  const { body } = completed;
  if (body.length > bodyBytesMax) {
    throw new GatewayError("request_too_large", {
      message: message("responses.tooLargeWithStored", { max: bodyBytesMax }),
    });
  }
  phase.call.reservation.makeRoom(body.length);
  const scanner = phase.endpoint.scanners.create();
  const refused = scanner.push(body);
  if (refused !== undefined) throw refused;
  const fields = phase.endpoint.read(scanner.end(body), body, phase.read.target);
  return { ...phase, read: { ...phase.read, body, fields, completed } };
}

/**
 * Keeps a whole answer; undefined where that is not wanted. What the caller was told is not kept never is,
 * nor is an answer that was in flight while its account switched keeping off: the store goes by the account's
 * setting at the time it stores. Never rejects: the answer is paid for and goes out whether or not it could
 * be kept.
 */
export function keepAnswer(context: StoredAnswersContext, phase: Answered): Promise<void> | undefined {
  noteNamed(context, phase);
  const { endpoint, outcome, read, resolved, call } = phase;
  const { caller } = call;
  const { end, live } = outcome.dispatched;
  if (endpoint.state === undefined || keptMsFor(context, caller) === 0 || live === undefined)
    return undefined;
  if (end.kind !== "answer" && end.kind !== "stream") return undefined;
  const isStream = end.kind === "stream";
  const bytes = isStream ? end.tail : end.body;
  const lacking = isStream ? end.lacking : undefined;
  const answer = { bytes, lacking, isStream, completed: read.completed };
  const kept = endpoint.state.keep(read.fields, read.body, answer);
  if (kept === undefined) return undefined;
  return context.store
    .storeResponse({
      ...kept,
      accountId: caller.key.accountId,
      parentId: read.completed?.parentId,
      modelId: resolved.model.model.id,
      deployment: deploymentNameOf(live),
      createdAt: context.clock.wallMs(),
      keptMs: context.settings.responsesKeptMs,
    })
    .catch((error: unknown) => {
      context.log.warn("response_not_stored", { request: phase.call.id, error: (error as Error).message });
    });
}
