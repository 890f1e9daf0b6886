/**
 * Signed thoughts, which the protocol wants to see again inside a tool loop: as entries of
 * `reasoning_details` for the caller, and remembered by tool call for the many clients that drop those
 * (docs/wire/anthropic-messages.md section 6). It does not judge signatures.
 */
import { isRecord, type JsonRecord, parseJson } from "../../lib/record.ts";
import type { ChatMessage } from "../openai-chat/request.ts";
import type { ReplayMemory } from "../protocol.ts";
import { factsOf } from "./models.ts";

/** Thoughts as they were signed; to be sent back byte for byte. They carry no cache marks. */
export type ThoughtBlock =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string };

/** Marks entries as ours: other protocols' signatures are of no use here. */
const format = "anthropic-claude-v1";

/** Thoughts before the n-th tool call of a message, by n; the last group stands after all calls. */
export type ThoughtGroups = readonly (readonly ThoughtBlock[])[];

/** An entry of `reasoning_details`. `callsBefore`: how many tool calls of the message came before the thought. */
export function detailOf(block: ThoughtBlock, model: string, callsBefore: number): JsonRecord {
  const said =
    block.type === "thinking"
      ? { type: "reasoning.text", text: block.thinking, signature: block.signature }
      : { type: "reasoning.encrypted", data: block.data };
  return { ...said, format, model, ...(callsBefore === 0 ? {} : { calls_before: callsBefore }) };
}

/** The thought in an entry of `reasoning_details` or of LiteLLM's `thinking_blocks`; undefined when it is none, or not signed. */
function thoughtIn(entry: JsonRecord): ThoughtBlock | undefined {
  const { type, signature, data } = entry;
  if (type === "reasoning.text" || type === "thinking") {
    const text = entry["text"] ?? entry["thinking"] ?? "";
    if (typeof text !== "string" || typeof signature !== "string" || signature === "") return undefined;
    return { type: "thinking", thinking: text, signature };
  }
  const isHidden = type === "reasoning.encrypted" || type === "redacted_thinking";
  return isHidden && typeof data === "string" && data !== ""
    ? { type: "redacted_thinking", data }
    : undefined;
}

/** Was it thought by a model of the same kind? Entries that do not say so are taken on trust. */
function isFrom(entry: JsonRecord, model: string): boolean {
  const { format: given, model: by } = entry;
  if (typeof given === "string" && !given.startsWith("anthropic")) return false;
  return typeof by !== "string" || factsOf(by).part === factsOf(model).part;
}

function groupOf(entry: JsonRecord, calls: number): number {
  const before = entry["calls_before"];
  return typeof before === "number" && Number.isInteger(before) ? Math.min(Math.max(before, 0), calls) : 0;
}

/** What was kept of one answer's thoughts before one tool call. */
export function rememberThoughts(
  memory: ReplayMemory | undefined,
  id: string,
  model: string,
  blocks: readonly ThoughtBlock[],
): void {
  if (blocks.length > 0) memory?.remember(id, JSON.stringify({ format, model, blocks }));
}

function recall(memory: ReplayMemory | undefined, id: string, model: string): ThoughtBlock[] {
  const kept = parseJson(memory?.recall(id) ?? "null");
  if (!isRecord(kept) || kept["format"] !== format || !isFrom(kept, model)) return [];
  const blocks = Array.isArray(kept["blocks"]) ? kept["blocks"].filter(isRecord) : [];
  return blocks.map(thoughtIn).filter((block) => block !== undefined);
}

/** The thoughts of an assistant message: those it carries, else those remembered. One more group than it has tool calls. */
export function thoughtsOf(
  message: ChatMessage & { readonly role: "assistant" },
  model: string,
  memory: ReplayMemory | undefined,
): ThoughtGroups {
  const { raw, toolCalls } = message;
  const groups: ThoughtBlock[][] = Array.from({ length: toolCalls.length + 1 }, () => []);
  const list = raw["reasoning_details"] ?? raw["thinking_blocks"];
  for (const entry of Array.isArray(list) ? list : []) {
    if (!isRecord(entry) || !isFrom(entry, model)) continue;
    const block = thoughtIn(entry);
    if (block !== undefined) groups[groupOf(entry, toolCalls.length)]?.push(block);
  }
  if (groups.some((group) => group.length > 0)) return groups;
  return [...toolCalls.map(({ id }) => recall(memory, id, model)), []];
}
