/** Builds what dispatch gets of an admitted request. */
import type { Exchange } from "../../lib/net/exchange.ts";
import type { DispatchRequest } from "../dispatch/dispatch.ts";
import { echoOf, type StoredAnswersContext } from "./memory/stored-answers.ts";
import type { Admitted } from "./phases.ts";
import type { Reply } from "./reply.ts";

export function dispatchRequestOf(
  context: Pick<StoredAnswersContext, "settings">,
  phase: Admitted,
  exchange: Exchange,
  reply: Reply,
): DispatchRequest {
  const { call, endpoint, read, candidates, worstCase } = phase;
  const { body, fields } = read;
  return {
    endpoint,
    body: fields.body ?? body,
    isRewritten: fields.body !== undefined,
    fields,
    spans: fields.spans,
    isStream: fields.isStream,
    showsUsage: fields.showsUsage,
    apart: fields.apart,
    offers: fields.offers,
    forwarded: fields.forwarded,
    echo: echoOf(context, phase),
    candidates,
    reply,
    caller: call.caller,
    arrivedMs: call.startedMs,
    isKept: read.idempotencyKey !== undefined,
    most: worstCase,
    dropsParams: exchange.headers["x-plaza-drop-params"] === "true",
  };
}
