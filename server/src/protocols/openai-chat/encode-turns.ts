/**
 * The turns of a conversation as the messages of a chat request: what was decoded of
 * one, and what another protocol says.
 */
import type {
  AssistantBlock,
  CacheMark,
  ContentBlock,
  ReasoningBlock,
  Source,
  ToolCallBlock,
  ToolResultBlock,
} from "../../conversation/blocks.ts";
import { isContent } from "../../conversation/blocks.ts";
import type { AssistantTurn, Turn } from "../../conversation/conversation.ts";
import type { JsonRecord } from "../../lib/record.ts";

type Fields = Record<string, unknown>;

/** The mark as the caller sent it: chat has no word of its own for it. */
export const markOf = (cache: CacheMark | undefined): Fields =>
  cache === undefined ? {} : { cache_control: cache.given };

/** `isKept`: are extras in chat's own words? */
const extrasOf = (extras: JsonRecord | undefined, isKept: boolean): JsonRecord =>
  isKept && extras !== undefined ? extras : {};

const addressOf = (source: Source): string =>
  source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.base64}`;

function contentOf(block: ContentBlock): Fields {
  switch (block.kind) {
    case "text":
      return { type: "text", text: block.text };
    case "refusal":
      return { type: "refusal", refusal: block.text };
    case "image": {
      const detail = block.detail === undefined ? {} : { detail: block.detail };
      return { type: "image_url", image_url: { url: addressOf(block.source), ...detail } };
    }
    case "audio":
      return { type: "input_audio", input_audio: { data: block.base64, format: block.format } };
    case "file": {
      const filename = block.filename === undefined ? {} : { filename: block.filename };
      return { type: "file", file: { file_data: addressOf(block.source), ...filename } };
    }
    case "stored file":
      return { type: "file", file: { file_id: block.fileId } };
  }
}

/** A list of parts, or a plain text where that says it all. */
function encodeContent(blocks: readonly ContentBlock[], isKept: boolean): unknown {
  const [only] = blocks;
  const isPlain = only?.kind === "text" && only.cache === undefined && only.extras === undefined;
  if (blocks.length === 1 && isPlain) return only.text;
  return blocks.map((block) => ({
    ...contentOf(block),
    ...markOf(block.cache),
    ...extrasOf(block.extras, isKept),
  }));
}

function callOf(call: ToolCallBlock, isKept: boolean): Fields {
  const { id, name, arguments: text, isCustom, signature } = call;
  const made = isCustom
    ? { id, type: "custom", custom: { name, input: text } }
    : { id, type: "function", function: { name, arguments: text } };
  const kept = extrasOf(call.extras, isKept);
  if (signature === undefined || "extra_content" in kept || "thought_signature" in kept)
    return { ...made, ...kept };
  return { ...made, ...kept, extra_content: { google: { thought_signature: signature } } };
}

/** An entry of `reasoning_details`. */
function detailOf({ text, signature, data, format, model, id }: ReasoningBlock, callsBefore: number): Fields {
  const said = text === undefined ? { type: "reasoning.encrypted", data } : { type: "reasoning.text", text };
  return {
    ...said,
    ...(signature === undefined ? {} : { signature }),
    ...(format === undefined ? {} : { format }),
    ...(model === undefined ? {} : { model }),
    ...(id === undefined ? {} : { id }),
    ...(callsBefore === 0 ? {} : { calls_before: callsBefore }),
  };
}

/** Are these words and nothing else? */
const isPlain = ({ signature, data, format, model, id }: ReasoningBlock): boolean =>
  [signature, data, format, model, id].every((part) => part === undefined);

/** Plain words before everything else are `reasoning_content`; where there is more, all of it are details. */
function reasoningOf(blocks: readonly AssistantBlock[]): Fields {
  const details: Fields[] = [];
  let calls = 0;
  let plain = "";
  for (const block of blocks) {
    if (block.kind === "tool call") calls += 1;
    if (block.kind !== "reasoning") continue;
    if (details.length === 0 && calls === 0 && isPlain(block)) plain = block.text ?? "";
    details.push(detailOf(block, calls));
  }
  if (details.length === 0) return {};
  return details.length === 1 && plain !== "" ? { reasoning_content: plain } : { reasoning_details: details };
}

function encodeAssistant(turn: AssistantTurn, isKept: boolean): Fields {
  const content: ContentBlock[] = [];
  const calls: Fields[] = [];
  const images: Fields[] = [];
  const annotations: Fields[] = [];
  for (const block of turn.blocks) {
    if (block.kind === "tool call") calls.push(callOf(block, isKept));
    else if (block.kind === "made image") images.push({ type: "image_url", image_url: { url: block.url } });
    else if (block.kind === "citation") {
      const { url, title, start, end } = block.citation;
      const citation = { url, title, start_index: start, end_index: end };
      annotations.push({ type: "url_citation", url_citation: citation });
    } else if (isContent(block)) content.push(block);
  }
  return {
    role: "assistant",
    content: content.length === 0 ? null : encodeContent(content, isKept),
    ...reasoningOf(turn.blocks),
    ...(images.length === 0 ? {} : { images }),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...markOf(turn.cache),
    ...extrasOf(turn.extras, isKept),
  };
}

const encodeResult = (result: ToolResultBlock, isKept: boolean): Fields => ({
  role: "tool",
  tool_call_id: result.callId,
  ...(result.name === undefined ? {} : { name: result.name }),
  content: encodeContent(result.content, isKept),
  ...markOf(result.cache),
  ...extrasOf(result.extras, isKept),
});

/**
 * The messages. `isKept`: was the conversation read from a chat request, so that extras are in chat's words?
 */
export function encodeTurns(turns: readonly Turn[], isKept: boolean): Fields[] {
  return turns.flatMap((turn): Fields[] => {
    if (turn.role === "tool") return turn.blocks.map((result) => encodeResult(result, isKept));
    if (turn.role === "assistant") return [encodeAssistant(turn, isKept)];
    const role = turn.role === "system" && turn.isDeveloper ? "developer" : turn.role;
    const content = encodeContent(turn.blocks, isKept);
    return [{ role, content, ...markOf(turn.cache), ...extrasOf(turn.extras, isKept) }];
  });
}
