/**
 * Opaque reasoning across turns (docs/wire/openai-responses.md section 5): sent to the caller, remembered by
 * tool call for the many clients that drop it, and sent back to its model. The content must be sent, because
 * nothing is stored upstream and an id alone means nothing there.
 */
import type { OpaqueReasoning } from "../../conversation/answer.ts";
import type { ReasoningBlock } from "../../conversation/blocks.ts";
import type { AssistantTurn } from "../../conversation/conversation.ts";
import { isRecord, type JsonRecord, parseJson, recordOf, textIn } from "../../lib/record.ts";
import { isOfAnother } from "../payloads/makers.ts";
import type { ReplayMemory } from "../protocol.ts";
import type { ModelFacts } from "./models.ts";

/** The model that will read it. */
export interface Reader {
  readonly model: string;
  readonly facts: Pick<ModelFacts, "reasoningFormat" | "takesWords">;
  /** The upstream's id. */
  readonly maker?: string | undefined;
}

/** An item's opaque content as received. `id`: the item's. */
export interface OpaqueItem {
  readonly id?: string | undefined;
  readonly data: string;
}

/** An item as reported to the caller. `callsBefore`: number of tool calls before it in the answer. */
export const opaqueOf = (
  { id, data }: OpaqueItem,
  { model, facts }: Reader,
  callsBefore: number,
): OpaqueReasoning => ({ format: facts.reasoningFormat, model, data, id, callsBefore });

/** Ids made by OpenAI. Any other id is refused together with content of another item. */
const ownId = /^rs_[0-9a-z]+$/i;

const itemOf = ({ id, data }: OpaqueItem): JsonRecord => ({
  type: "reasoning",
  ...(id !== undefined && ownId.test(id) ? { id } : {}),
  summary: [],
  encrypted_content: data,
});

/** The item for a block; undefined when this model cannot use it. */
function itemIn(
  { text, data, format, model: by, id }: ReasoningBlock,
  { model, facts, maker }: Reader,
  memory: ReplayMemory | undefined,
): JsonRecord | undefined {
  if (data !== undefined) {
    if (format !== facts.reasoningFormat || (by !== undefined && by !== model)) return undefined;
    if (isOfAnother(memory, data, maker)) return undefined;
    return itemOf({ id, data });
  }
  if (!facts.takesWords || text === undefined || text === "") return undefined;
  return { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text }] };
}

/** Stores the reasoning of an answer before one tool call. */
export function rememberItems(
  memory: ReplayMemory | undefined,
  callId: string,
  { model, facts }: Reader,
  items: readonly OpaqueItem[],
): void {
  if (items.length === 0) return;
  memory?.remember(callId, JSON.stringify({ format: facts.reasoningFormat, model, items }));
}

function recall(
  memory: ReplayMemory | undefined,
  callId: string,
  { model, facts, maker }: Reader,
): JsonRecord[] {
  const kept = recordOf(parseJson(memory?.recall(callId) ?? "null"));
  if (kept["format"] !== facts.reasoningFormat || kept["model"] !== model) return [];
  const items = Array.isArray(kept["items"]) ? kept["items"].filter(isRecord) : [];
  return items.flatMap((item) => {
    const data = textIn(item["data"]);
    return data === undefined || isOfAnother(memory, data, maker)
      ? []
      : [itemOf({ id: textIn(item["id"]), data })];
  });
}

/** The reasoning to send back with a turn: what it contains, in place, else what is remembered. */
export interface TurnReasoning {
  readonly own: ReadonlyMap<ReasoningBlock, JsonRecord>;
  /** Before each tool call of the turn, by call number. */
  readonly recalled: readonly (readonly JsonRecord[])[];
}

export function reasoningOf(
  { blocks }: AssistantTurn,
  reader: Reader,
  memory: ReplayMemory | undefined,
): TurnReasoning {
  const own = new Map<ReasoningBlock, JsonRecord>();
  // A reasoning item that nothing follows is refused.
  const end = blocks.findLastIndex(({ kind }) => kind !== "reasoning" && kind !== "citation");
  for (const block of blocks.slice(0, end + 1)) {
    const item = block.kind === "reasoning" ? itemIn(block, reader, memory) : undefined;
    if (item !== undefined) own.set(block as ReasoningBlock, item);
  }
  if (own.size > 0) return { own, recalled: [] };
  const calls = blocks.filter((block) => block.kind === "tool call");
  return { own, recalled: calls.map(({ id }) => recall(memory, id, reader)) };
}
