/**
 * Reasoning in its vendor's opaque form across turns (docs/wire/openai-responses.md section 5): told to the
 * caller, remembered by tool call for the many clients that drop it, and sent back to the model that made it,
 * which knows nothing of an item by its id alone, because nothing is stored there.
 */
import type { OpaqueReasoning } from "../../conversation/answer.ts";
import type { ReasoningBlock } from "../../conversation/blocks.ts";
import type { AssistantTurn } from "../../conversation/conversation.ts";
import { isRecord, parseJson, recordOf } from "../../lib/record.ts";
import type { ReplayMemory } from "../protocol.ts";
import type { ModelFacts } from "./models.ts";
import { type Fields, textIn } from "./wire.ts";

/** Who is to read it. */
export interface Reader {
  readonly model: string;
  readonly facts: Pick<ModelFacts, "reasoningFormat" | "takesWords">;
}

/** An item's opaque content, as it came. `id`: the item's. */
export interface OpaqueItem {
  readonly id?: string | undefined;
  readonly data: string;
}

/** An item as it is told. `callsBefore`: how many tool calls of the answer came before it. */
export const opaqueOf = (
  { id, data }: OpaqueItem,
  { model, facts }: Reader,
  callsBefore: number,
): OpaqueReasoning => ({ format: facts.reasoningFormat, model, data, id, callsBefore });

/** Ids of OpenAI's own. One of another's making would be refused beside content it was not made with. */
const ownId = /^rs_[0-9a-z]+$/i;

const itemOf = ({ id, data }: OpaqueItem): Fields => ({
  type: "reasoning",
  ...(id !== undefined && ownId.test(id) ? { id } : {}),
  summary: [],
  encrypted_content: data,
});

/** The item a block becomes; undefined where this model has no use for it. */
function itemIn(
  { text, data, format, model: by, id }: ReasoningBlock,
  { model, facts }: Reader,
): Fields | undefined {
  if (data !== undefined) {
    if (format !== facts.reasoningFormat || (by !== undefined && by !== model)) return undefined;
    return itemOf({ id, data });
  }
  if (!facts.takesWords || text === undefined || text === "") return undefined;
  return { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text }] };
}

/** Keeps what an answer thought before one tool call. */
export function rememberItems(
  memory: ReplayMemory | undefined,
  callId: string,
  { model, facts }: Reader,
  items: readonly OpaqueItem[],
): void {
  if (items.length === 0) return;
  memory?.remember(callId, JSON.stringify({ format: facts.reasoningFormat, model, items }));
}

function recall(memory: ReplayMemory | undefined, callId: string, { model, facts }: Reader): Fields[] {
  const kept = recordOf(parseJson(memory?.recall(callId) ?? "null"));
  if (kept["format"] !== facts.reasoningFormat || kept["model"] !== model) return [];
  const items = Array.isArray(kept["items"]) ? kept["items"].filter(isRecord) : [];
  return items.flatMap((item) => {
    const data = textIn(item["data"]);
    return data === undefined ? [] : [itemOf({ id: textIn(item["id"]), data })];
  });
}

/** The reasoning to be sent back with a turn: what it holds, in its places, else what is remembered. */
export interface TurnReasoning {
  readonly own: ReadonlyMap<ReasoningBlock, Fields>;
  /** Before each tool call of the turn, by its number. */
  readonly recalled: readonly (readonly Fields[])[];
}

export function reasoningOf(
  { blocks }: AssistantTurn,
  reader: Reader,
  memory: ReplayMemory | undefined,
): TurnReasoning {
  const own = new Map<ReasoningBlock, Fields>();
  // An item that nothing follows is refused: the answer it began was never given.
  const end = blocks.findLastIndex(({ kind }) => kind !== "reasoning" && kind !== "citation");
  for (const block of blocks.slice(0, end + 1)) {
    const item = block.kind === "reasoning" ? itemIn(block, reader) : undefined;
    if (item !== undefined) own.set(block as ReasoningBlock, item);
  }
  if (own.size > 0) return { own, recalled: [] };
  const calls = blocks.filter((block) => block.kind === "tool call");
  return { own, recalled: calls.map(({ id }) => recall(memory, id, reader)) };
}
