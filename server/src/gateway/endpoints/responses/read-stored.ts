/**
 * Responses that were stored, for the account they were made for: `GET` and `DELETE /v1/responses/{id}`, and
 * the input of the call that made one. What another account stored, or a model wrote that this key may not
 * use, does not exist.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { parseJson, recordOf } from "../../../lib/record.ts";
import type { Log } from "../../../lib/telemetry/log.ts";
import { eventsOfResponse } from "../../../protocols/openai-responses/answers/replay.ts";
import type { ResponsesStore } from "../../../store/responses/shapes.ts";
import type { Caller } from "../../request/authenticate.ts";
import { isAllowed } from "../../request/resolve.ts";
import { invalid } from "../shared-fields.ts";
import { type KeptResponse, readKept } from "./stored-response.ts";

export interface StoredResponsesContext {
  readonly store: Pick<ResponsesStore, "findResponse" | "deleteResponse">;
  readonly log: Log;
}

/** Items one page of `input_items` may have; OpenAI's own bounds. */
const pageMax = 100;
const pageUsual = 20;

const missing = (id: string): GatewayError =>
  new GatewayError("not_found", { message: message("responses.notStored", { id: id.slice(0, 100) }) });

async function find(
  { store, log }: StoredResponsesContext,
  caller: Caller,
  id: string,
): Promise<KeptResponse> {
  const found = await store.findResponse(caller.key.accountId, id).catch((error: Error) => {
    log.warn("response_not_read", { error: error.message });
    throw new GatewayError("ledger_unavailable", { message: message("responses.unread") });
  });
  const kept = found && isAllowed(caller, found.modelId) ? readKept(found.payload) : undefined;
  if (kept === undefined) throw missing(id);
  return kept;
}

/** The response object as the caller got it. Throws `not_found` or `ledger_unavailable`. */
export async function getResponse(
  context: StoredResponsesContext,
  caller: Caller,
  id: string,
): Promise<Buffer> {
  return Buffer.from((await find(context, caller, id)).response);
}

/**
 * Returns the number of the event after which the caller wants the stream to continue, -1 for all of it;
 * undefined: the response comes whole. Throws `invalid_request`.
 */
export function eventsAskedFor(query: string): number | undefined {
  const asked = new URLSearchParams(query);
  const stream = asked.get("stream") ?? "false";
  if (stream !== "true" && stream !== "false") throw invalid(message("responses.streamFlag"), "stream");
  if (stream === "false") return undefined;
  const after = asked.get("starting_after");
  if (after === null) return -1;
  if (!/^\d{1,15}$/.test(after))
    throw invalid(message("wire.wholeNumber", { param: "starting_after" }), "starting_after");
  return Number(after);
}

/** The same response as the events of a stream. `after`: as `eventsAskedFor` returns it. */
export async function getResponseEvents(
  context: StoredResponsesContext,
  caller: Caller,
  id: string,
  after: number,
): Promise<Buffer> {
  return eventsOfResponse(await getResponse(context, caller, id), after);
}

/** Deletes a response. Throws `not_found` or `ledger_unavailable`. */
export async function deleteResponse(
  context: StoredResponsesContext,
  caller: Caller,
  id: string,
): Promise<object> {
  await find(context, caller, id);
  const isDeleted = await context.store.deleteResponse(caller.key.accountId, id).catch((error: Error) => {
    context.log.warn("response_not_read", { error: error.message });
    throw new GatewayError("ledger_unavailable", { message: message("responses.unread") });
  });
  if (!isDeleted) throw missing(id);
  return { id, object: "response", deleted: true };
}

/**
 * One page of the items the caller sent with the call. `query`: `limit` (1 to 100), `order` (`asc` or `desc`,
 * which is the default), `after` (an item's id).
 */
export async function listInputItems(
  context: StoredResponsesContext,
  caller: Caller,
  id: string,
  query: string,
): Promise<object> {
  const asked = new URLSearchParams(query);
  const limit = Number(asked.get("limit") ?? pageUsual);
  if (!Number.isInteger(limit) || limit < 1 || limit > pageMax)
    throw invalid(message("responses.pageLimit", { max: pageMax }), "limit");
  const order = asked.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw invalid(message("responses.pageOrder"), "order");
  const { input } = await find(context, caller, id);
  const items = input.map((text, index) => ({ id: `msg_${id}_${index}`, ...recordOf(parseJson(text)) }));
  if (order === "desc") items.reverse();
  const after = asked.get("after");
  const from = after === null ? 0 : items.findIndex((item) => item.id === after) + 1;
  if (after !== null && from === 0) throw missing(after);
  const data = items.slice(from, from + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: items.length > from + limit,
  };
}
