/**
 * What a Responses request says of earlier responses, put into its body: the stored items stand in `input`
 * before its own, and references are replaced by what they name. Everything after this step, and every
 * upstream, sees a whole conversation. Ids are looked for among this account's responses only.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { itemsOf } from "../../../lib/json/spans.ts";
import { cutMember, type Edit, splice } from "../../../lib/json/splice.ts";
import type { StoredResponse } from "../../../store/responses/shapes.ts";
import type { CallState, CompletedCall } from "../endpoint.ts";
import { invalid } from "../shared-fields.ts";
import type { ForeignId } from "./foreign-ids.ts";
import { idOf, referenceIn, textAt } from "./items.ts";
import type { ResponsesFields } from "./responses-fields.ts";
import { inputItems, outputOf, type PutOut, readKept } from "./stored-response.ts";

/** References one request may hold. */
const referencesMax = 1_000;

/** Throws for what is not served, whatever is stored. */
export function requireServed({ state }: ResponsesFields, keptMs: number): void {
  const stored = (param: string): GatewayError => invalid(message("responses.stored", { param }), param);
  if (state.conversation !== undefined) throw stored("conversation");
  if (state.prompt !== undefined) throw stored("prompt");
  if (state.isBackground) throw invalid(message("responses.background"), "background");
  if (keptMs > 0) return;
  if (state.previousResponse !== undefined) throw stored("previous_response_id");
  if (state.hasReferences) throw stored("input");
  if (state.store === true) throw stored("store");
}

/** Ids of things at an upstream that one request may hold. */
const foreignMax = 100;

/** Does the request need anything that is stored? */
export const needsState = ({ state }: ResponsesFields): boolean =>
  state.previousResponse !== undefined || state.hasReferences || state.foreignIds.length > 0;

const missing = (param: string, id: string): GatewayError =>
  new GatewayError("not_found", { message: message("responses.notStored", { id: id.slice(0, 100) }), param });

const foreign = (param: string): GatewayError =>
  new GatewayError("not_found", { message: message("responses.foreignId", { param }), param });

/**
 * The body with everything it refers to; undefined when that is what it says already. Throws `not_found` for
 * an id this caller cannot use.
 */
export async function withState(
  fields: ResponsesFields,
  body: Buffer,
  calling: CallState,
): Promise<CompletedCall | undefined> {
  const { previousResponse, hasReferences, foreignIds } = fields.state;
  await requireForeign(foreignIds, calling);
  if (previousResponse === undefined && !hasReferences) return undefined;
  const earlier = previousResponse === undefined ? [] : await earlierItems(body, previousResponse, calling);
  const { messages: input } = fields;
  const own = hasReferences ? await resolved(fields, body, calling) : inputItems(body, input);
  const edits: Edit[] = [];
  if (previousResponse !== undefined) edits.push(cutMember(body, previousResponse));
  edits.push({ start: input.start, end: input.end, text: `[${[...earlier, ...own].join(",")}]` });
  edits.sort((a, b) => a.start - b.start);
  const parentId = previousResponse && textAt(body, previousResponse);
  return { body: splice(body, edits), input: own, parentId };
}

/** Throws for the first id of a thing at an upstream that no stored answer of this account named. */
async function requireForeign(
  ids: readonly ForeignId[],
  { store, accountId, mayUse }: CallState,
): Promise<void> {
  if (ids.length === 0) return;
  if (ids.length > foreignMax)
    throw invalid(message("responses.foreignTooMany", { max: foreignMax }), ids[foreignMax]?.param ?? "");
  const found = await store.findResponsesOfItems(accountId, [...new Set(ids.map(({ id }) => id))]);
  const known = new Set(found.filter(({ response }) => mayUse(response.modelId)).map(({ itemId }) => itemId));
  const unknown = ids.find(({ id }) => !known.has(id));
  if (unknown !== undefined) throw foreign(unknown.param);
}

async function earlierItems(
  body: Buffer,
  span: { readonly start: number; readonly end: number },
  { store, accountId, mayUse }: CallState,
): Promise<string[]> {
  const param = "previous_response_id";
  const id = textAt(body, span);
  if (id === undefined || id === "") throw invalid(message("responses.stateId", { param }), param);
  const chain = await store.findResponseChain(accountId, id);
  if (chain.kind === "too_long") throw invalid(message("responses.chainTooLong"), param);
  if (chain.kind !== "found") throw missing(param, id);
  return chain.responses.flatMap((response) => {
    const kept = readable(response, mayUse);
    if (kept === undefined) throw missing(param, id);
    return [...kept.input, ...outputOf(kept).flatMap(({ sent }) => sent ?? [])];
  });
}

/** What is kept, where the key may use the model that wrote it. */
function readable({ modelId, payload }: StoredResponse, mayUse: CallState["mayUse"]) {
  return mayUse(modelId) ? readKept(payload) : undefined;
}

/** The request's own items, each reference replaced. */
async function resolved(
  { messages }: ResponsesFields,
  body: Buffer,
  { store, accountId, mayUse }: CallState,
): Promise<string[]> {
  const items = itemsOf(body, messages.start);
  const references = items.map((item) => referenceIn(body, item));
  const wanted = [...new Set(references.flatMap((reference) => reference?.id ?? []))];
  if (wanted.length > referencesMax)
    throw invalid(message("responses.referencesTooMany", { max: referencesMax }), "input");
  const found = await store.findResponsesOfItems(accountId, wanted);
  const outputs = new Map<string, PutOut>();
  for (const { itemId, response } of found) {
    const kept = readable(response, mayUse);
    const output = kept && outputOf(kept).find(({ written }) => isCalled(written, itemId));
    if (output !== undefined) outputs.set(itemId, output);
  }
  return items.flatMap((item, index) => {
    const reference = references[index];
    if (reference === undefined) return body.toString("utf8", item.start, item.end);
    const { id } = reference;
    if (id === undefined) throw foreign(`input[${index}]`);
    const output = outputs.get(id);
    if (output === undefined) throw missing(`input[${index}]`, id);
    return output.sent ?? [];
  });
}

function isCalled(item: string, id: string): boolean {
  const bytes = Buffer.from(item);
  return idOf(bytes, { start: 0, end: bytes.length }) === id;
}
