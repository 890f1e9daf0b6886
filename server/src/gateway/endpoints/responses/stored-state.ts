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
import type { CallState, Completion, Tie } from "../endpoint.ts";
import { invalid } from "../shared-fields.ts";
import type { ForeignId } from "./foreign-ids.ts";
import { idOf, referenceIn, textAt } from "./items.ts";
import type { ResponsesFields } from "./responses-fields.ts";
import { inputItems, namesContainer, outputOf, type PutOut, readKept, untied } from "./stored-response.ts";

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

/** True when the request needs something that is stored. */
export const needsState = ({ state }: ResponsesFields): boolean =>
  state.previousResponse !== undefined || state.hasReferences || state.foreignIds.length > 0;

const missing = (param: string, id: string): GatewayError =>
  new GatewayError("not_found", { message: message("responses.notStored", { id: id.slice(0, 100) }), param });

const foreign = (param: string): GatewayError =>
  new GatewayError("not_found", { message: message("responses.foreignId", { param }), param });

/** Items that stand in a body for what it referred to, and what ties the call to who made them. */
interface Resolved {
  readonly items: readonly string[];
  readonly ties: readonly Tie[];
}

/**
 * The body with everything it refers to, and who alone can serve what it names; undefined when it refers to
 * nothing. Throws `not_found` for an id this caller cannot use.
 */
export async function withState(
  fields: ResponsesFields,
  body: Buffer,
  calling: CallState,
): Promise<Completion> {
  const { previousResponse, hasReferences, foreignIds } = fields.state;
  const ties = await foreignTies(foreignIds, calling);
  if (previousResponse === undefined && !hasReferences) return { call: undefined, ties };
  const earlier = previousResponse === undefined ? none : await earlierItems(body, previousResponse, calling);
  const { messages: input } = fields;
  const own = hasReferences
    ? await resolved(fields, body, calling)
    : { items: inputItems(body, input), ties: [] };
  const edits: Edit[] = [];
  if (previousResponse !== undefined) edits.push(cutMember(body, previousResponse));
  edits.push({ start: input.start, end: input.end, text: `[${[...earlier.items, ...own.items].join(",")}]` });
  edits.sort((a, b) => a.start - b.start);
  const parentId = previousResponse && textAt(body, previousResponse);
  return {
    call: { body: splice(body, edits), input: own.items, parentId },
    ties: [...ties, ...earlier.ties, ...own.ties],
  };
}

const none: Resolved = { items: [], ties: [] };

/**
 * Who made the things at an upstream that these ids name. Throws for the first that no stored answer of this
 * account named.
 */
async function foreignTies(
  ids: readonly ForeignId[],
  { store, accountId, mayUse }: CallState,
): Promise<readonly Tie[]> {
  if (ids.length === 0) return [];
  if (ids.length > foreignMax)
    throw invalid(message("responses.foreignTooMany", { max: foreignMax }), ids[foreignMax]?.param ?? "");
  const found = await store.findResponsesOfItems(accountId, [...new Set(ids.map(({ id }) => id))]);
  const makers = new Map(
    found.flatMap(({ itemId, response: { modelId, deployment } }) =>
      mayUse(modelId) ? [[itemId, deployment] as const] : [],
    ),
  );
  return ids.map(({ id, param }) => {
    const deployment = makers.get(id);
    if (deployment === undefined) throw foreign(param);
    return { param, deployment };
  });
}

async function earlierItems(
  body: Buffer,
  span: { readonly start: number; readonly end: number },
  { store, accountId, mayUse }: CallState,
): Promise<Resolved> {
  const param = "previous_response_id";
  const id = textAt(body, span);
  if (id === undefined || id === "") throw invalid(message("responses.stateId", { param }), param);
  const chain = await store.findResponseChain(accountId, id);
  if (chain.kind === "too_long") throw invalid(message("responses.chainTooLong"), param);
  if (chain.kind !== "found") throw missing(param, id);
  // The newest container is the one that the conversation goes on in.
  let tie: Tie | undefined;
  const items = chain.responses.flatMap((response) => {
    const kept = readable(response, mayUse);
    if (kept === undefined) throw missing(param, id);
    const said = [...kept.input, ...outputOf(kept).flatMap(({ sent }) => sent ?? [])];
    if (said.some(namesContainer)) tie = { param, deployment: response.deployment };
    return said;
  });
  return { items, ties: tie === undefined ? [] : [tie] };
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
): Promise<Resolved> {
  const items = itemsOf(body, messages.start);
  const references = items.map((item) => referenceIn(body, item));
  const wanted = [...new Set(references.flatMap((reference) => reference?.id ?? []))];
  if (wanted.length > referencesMax)
    throw invalid(message("responses.referencesTooMany", { max: referencesMax }), "input");
  const found = await store.findResponsesOfItems(accountId, wanted);
  const outputs = new Map<string, PutOut & Pick<Tie, "deployment">>();
  for (const { itemId, response } of found) {
    const kept = readable(response, mayUse);
    const output = kept && outputOf(kept).find(({ written }) => isCalled(written, itemId));
    if (output !== undefined) outputs.set(itemId, { ...output, deployment: response.deployment });
  }
  const isCut = [...outputs.values()].some(({ sent }) => sent === undefined);
  const ties: Tie[] = [];
  const texts = items.flatMap((item, index) => {
    const reference = references[index];
    if (reference === undefined) {
      const own = body.toString("utf8", item.start, item.end);
      return isCut ? untied(own) : own;
    }
    const { id } = reference;
    const param = `input[${index}]`;
    if (id === undefined) throw foreign(param);
    const output = outputs.get(id);
    if (output === undefined) throw missing(param, id);
    const { sent, deployment } = output;
    if (sent !== undefined && namesContainer(sent)) ties.push({ param, deployment });
    return sent ?? [];
  });
  return { items: texts, ties };
}

function isCalled(item: string, id: string): boolean {
  const bytes = Buffer.from(item);
  return idOf(bytes, { start: 0, end: bytes.length }) === id;
}
