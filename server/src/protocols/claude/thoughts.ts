/**
 * Signed thoughts, which Claude needs back inside a tool loop. They are sent to the caller as opaque
 * reasoning, and remembered by tool call for the many clients that drop them (docs/wire/anthropic-messages.md
 * section 6). Does not verify signatures.
 */
import type { OpaqueReasoning } from "../../conversation/answer.ts";
import type { ReasoningBlock } from "../../conversation/blocks.ts";
import type { AssistantTurn } from "../../conversation/conversation.ts";
import { isRecord, type JsonRecord, parseJson } from "../../lib/record.ts";
import type { ReplayMemory } from "../protocol.ts";
import { factsOf } from "./models.ts";

/** Signed thoughts, sent back byte for byte and without cache marks. */
export type ThoughtBlock =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string };

/** Marks entries of this format; other protocols' signatures are useless here. */
const format = "anthropic-claude-v1";

/** A thought as reported to the caller. `callsBefore`: number of tool calls before it in the message. */
export const opaqueOf = (block: ThoughtBlock, model: string, callsBefore: number): OpaqueReasoning =>
  block.type === "thinking"
    ? { format, model, text: block.thinking, signature: block.signature, callsBefore }
    : { format, model, data: block.data, callsBefore };

/** The thought in a reasoning block; undefined when it is unsigned or from another kind of model. */
function thoughtIn(block: ReasoningBlock, model: string): ThoughtBlock | undefined {
  if (!isFrom(block, model)) return undefined;
  const { text, signature, data } = block;
  if (text === undefined) return data === undefined ? undefined : { type: "redacted_thinking", data };
  return signature === undefined ? undefined : { type: "thinking", thinking: text, signature };
}

/** True when a model of the same kind wrote it. Reasoning that does not name its model is accepted. */
function isFrom(
  { format: given, model: by }: Pick<ReasoningBlock, "format" | "model">,
  model: string,
): boolean {
  if (given?.startsWith("anthropic") === false) return false;
  return by === undefined || factsOf(by).part === factsOf(model).part;
}

/** The thoughts of an answer before one tool call, as stored. */
export function rememberThoughts(
  memory: ReplayMemory | undefined,
  id: string,
  model: string,
  blocks: readonly ThoughtBlock[],
): void {
  if (blocks.length > 0) memory?.remember(id, JSON.stringify({ format, model, blocks }));
}

/** A remembered block as it is sent; undefined when it is not valid. */
function rememberedIn({ type, thinking, signature, data }: JsonRecord): ThoughtBlock | undefined {
  if (type === "redacted_thinking")
    return typeof data === "string" && data !== "" ? { type, data } : undefined;
  if (type !== "thinking" || typeof thinking !== "string" || typeof signature !== "string") return undefined;
  return { type, thinking, signature };
}

function recall(memory: ReplayMemory | undefined, id: string, model: string): ThoughtBlock[] {
  const kept = parseJson(memory?.recall(id) ?? "null");
  if (!isRecord(kept) || kept["format"] !== format) return [];
  const by = typeof kept["model"] === "string" ? kept["model"] : undefined;
  if (!isFrom({ format, model: by }, model)) return [];
  const blocks = Array.isArray(kept["blocks"]) ? kept["blocks"].filter(isRecord) : [];
  return blocks.map(rememberedIn).filter((block) => block !== undefined);
}

/** The thoughts to send back with an assistant turn: those it contains, else the remembered ones. */
export interface Thoughts {
  readonly own: ReadonlyMap<ReasoningBlock, ThoughtBlock>;
  /**
   * Thoughts before each tool call of the turn, by call number. Those before the first call come before all
   * other content.
   */
  readonly recalled: readonly (readonly ThoughtBlock[])[];
}

export const noThoughts: Thoughts = { own: new Map(), recalled: [] };

/** The thoughts of a turn that this model can use. */
export function thoughtsOf(
  { blocks }: AssistantTurn,
  model: string,
  memory: ReplayMemory | undefined,
): Thoughts {
  const own = new Map<ReasoningBlock, ThoughtBlock>();
  for (const block of blocks) {
    if (block.kind !== "reasoning") continue;
    const thought = thoughtIn(block, model);
    if (thought !== undefined) own.set(block, thought);
  }
  if (own.size > 0) return { own, recalled: [] };
  const calls = blocks.filter((block) => block.kind === "tool call");
  return { own, recalled: calls.map(({ id }) => recall(memory, id, model)) };
}

/** True when the turn has thoughts before its first tool call. */
export function thinksFirst({ blocks }: AssistantTurn, { own, recalled }: Thoughts): boolean {
  const first = blocks.find(
    (block) => block.kind === "tool call" || (block.kind === "reasoning" && own.has(block)),
  );
  return first?.kind === "reasoning" || (recalled[0]?.length ?? 0) > 0;
}
