/**
 * Decodes reasoning that comes back in an assistant message: `reasoning_details` as OpenRouter and Plaza
 * write them, LiteLLM's `thinking_blocks`, and plain `reasoning_content`. Does not verify signatures.
 */
import type { ReasoningBlock } from "../../conversation/blocks.ts";
import { isRecord, type JsonRecord, textIn } from "../../lib/record.ts";

/** The reasoning in one entry; undefined when it has none. */
function reasoningIn(entry: JsonRecord): ReasoningBlock | undefined {
  const { type } = entry;
  const made = {
    kind: "reasoning",
    format: typeof entry["format"] === "string" ? entry["format"] : undefined,
    model: typeof entry["model"] === "string" ? entry["model"] : undefined,
    id: textIn(entry["id"]),
  } as const;
  if (type === "reasoning.text" || type === "thinking") {
    const text = entry["text"] ?? entry["thinking"] ?? "";
    if (typeof text !== "string") return undefined;
    return { ...made, text, signature: textIn(entry["signature"]), data: undefined };
  }
  if (type === "reasoning.summary" && typeof entry["summary"] === "string")
    return { ...made, text: entry["summary"], signature: undefined, data: undefined };
  const data = textIn(entry["data"]);
  if ((type !== "reasoning.encrypted" && type !== "redacted_thinking") || data === undefined)
    return undefined;
  return { ...made, text: undefined, signature: undefined, data };
}

function groupOf(entry: JsonRecord, calls: number): number {
  const before = entry["calls_before"];
  return typeof before === "number" && Number.isInteger(before) ? Math.min(Math.max(before, 0), calls) : 0;
}

/** Reasoning before the n-th tool call of a message, by n. The last group comes after all calls. */
export type ReasoningGroups = readonly (readonly ReasoningBlock[])[];

/** An assistant message's reasoning; undefined when it has none. `calls`: number of its tool calls. */
export function decodeReasoning(message: JsonRecord, calls: number): ReasoningGroups | undefined {
  const list = message["reasoning_details"] ?? message["thinking_blocks"];
  const plain = textIn(message["reasoning_content"]);
  if (!Array.isArray(list) && plain === undefined) return undefined;
  const groups: ReasoningBlock[][] = Array.from({ length: calls + 1 }, () => []);
  for (const entry of Array.isArray(list) ? list : []) {
    const block = isRecord(entry) ? reasoningIn(entry) : undefined;
    if (block !== undefined) groups[groupOf(entry as JsonRecord, calls)]?.push(block);
  }
  // Avoids duplicates: a signed part repeats the text.
  if (plain !== undefined && !groups.some((group) => group.some(({ text }) => text !== undefined))) {
    const none = {
      signature: undefined,
      data: undefined,
      format: undefined,
      model: undefined,
      id: undefined,
    };
    groups[0]?.unshift({ kind: "reasoning", text: plain, ...none });
  }
  return groups;
}
