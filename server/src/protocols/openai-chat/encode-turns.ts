/**
 * Encodes a conversation's turns as chat messages, for turns that came as chat and for those of other
 * protocols.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type {
  CacheMark,
  ContentBlock,
  Source,
  ToolCallBlock,
  ToolResultBlock,
} from "../../conversation/blocks.ts";
import { isContent, resultTextOf } from "../../conversation/blocks.ts";
import type { AssistantTurn, Turn } from "../../conversation/conversation.ts";
import { type JsonRecord, recordOf } from "../../lib/record.ts";
import { unsupported } from "../untranslatable.ts";
import type { TurnRules } from "./dialect.ts";
import { reasoningOf } from "./encode-reasoning.ts";

type Fields = Record<string, unknown>;

/** The mark as the caller sent it; chat has no such field of its own. */
export function marksOf(cache: CacheMark | undefined, { isKept, dialect }: TurnRules): Fields {
  if (cache === undefined) return {};
  if (isKept) return { cache_control: cache.given };
  const isMark = dialect.takesCacheMarks && recordOf(cache.given)["type"] === "ephemeral";
  return isMark ? { cache_control: cache.given } : {};
}

/** The extras, if they are in chat's own format (`isKept`). */
const extrasOf = (extras: JsonRecord | undefined, { isKept }: TurnRules): JsonRecord =>
  isKept && extras !== undefined ? extras : {};

const addressOf = (source: Source): string =>
  source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.base64}`;

function contentOf(block: ContentBlock, { isKept }: TurnRules): Fields {
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
      const { source, sourcePath } = block;
      // A file given by URL must have been fetched before: chat accepts only its bytes.
      if (!isKept && source.kind === "url")
        throw unsupported(sourcePath, message("wire.addressNotFetched", { param: sourcePath }));
      const filename = block.filename === undefined ? {} : { filename: block.filename };
      return { type: "file", file: { file_data: addressOf(block.source), ...filename } };
    }
    case "stored file":
      // The id belongs to another upstream.
      if (!isKept) throw unsupported(block.idPath, message("wire.storedFilesInline"));
      return { type: "file", file: { file_id: block.fileId } };
  }
}

/** A list of parts, or a plain string if that is enough. */
function encodeContent(blocks: readonly ContentBlock[], rules: TurnRules): unknown {
  const [only] = blocks;
  if (blocks.length === 1 && only?.kind === "text" && isBare(only, rules)) return only.text;
  return blocks.map((block) => ({
    ...contentOf(block, rules),
    ...marksOf(block.cache, rules),
    ...extrasOf(block.extras, rules),
  }));
}

/** True when a block has nothing but its text. */
const isBare = ({ cache, extras }: ContentBlock, { isKept, dialect }: TurnRules): boolean =>
  isKept ? cache === undefined && extras === undefined : !dialect.takesCacheMarks;

function madeCall(call: ToolCallBlock, { isKept, dialect }: TurnRules): Fields {
  const { id, name, arguments: text, isCustom } = call;
  if (isCustom && (isKept || dialect.takesCustomTools))
    return { id, type: "custom", custom: { name, input: text } };
  const given = isCustom ? JSON.stringify({ input: text }) : text;
  return { id, type: "function", function: { name, arguments: !isKept && given === "" ? "{}" : given } };
}

function callOf(call: ToolCallBlock, rules: TurnRules): Fields {
  const { signature } = call;
  const made = madeCall(call, rules);
  const kept = extrasOf(call.extras, rules);
  const isSigned = "extra_content" in kept || "thought_signature" in kept;
  // Upstreams that accept no thoughts refuse signatures too.
  const isTaken = rules.isKept || rules.dialect.thoughts !== undefined;
  if (signature === undefined || isSigned || !isTaken) return { ...made, ...kept };
  return { ...made, ...kept, extra_content: { google: { thought_signature: signature } } };
}

function encodeAssistant(turn: AssistantTurn, rules: TurnRules): Fields {
  const content: ContentBlock[] = [];
  const calls: Fields[] = [];
  const images: Fields[] = [];
  const annotations: Fields[] = [];
  for (const block of turn.blocks) {
    if (block.kind === "tool call") calls.push(callOf(block, rules));
    else if (block.kind === "made image") {
      if (rules.isKept || rules.dialect.takesMadeImages)
        images.push({ type: "image_url", image_url: { url: block.url } });
      else rules.leftovers.note(block.urlPath);
    } else if (block.kind === "citation") {
      const { url, title, start, end } = block.citation;
      const citation = { url, title, start_index: start, end_index: end };
      annotations.push({ type: "url_citation", url_citation: citation });
    } else if (isContent(block)) content.push(block);
  }
  // A message without calls must have content.
  const silence = rules.isKept || calls.length > 0 ? null : "";
  return {
    role: "assistant",
    content: content.length === 0 ? silence : encodeContent(content, rules),
    ...reasoningOf(turn.blocks, rules),
    ...(images.length === 0 ? {} : { images }),
    ...(annotations.length === 0 || !rules.isKept ? {} : { annotations }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...marksOf(turn.cache, rules),
    ...extrasOf(turn.extras, rules),
  };
}

const isText = ({ kind }: ContentBlock): boolean => kind === "text" || kind === "refusal";

/** Splits a result into its own content and what only a user message may hold. */
function partsOf({ content }: ToolResultBlock, { isKept, dialect }: TurnRules) {
  if (isKept || dialect.takesToolImages) return { own: content, others: [] };
  return { own: content.filter(isText), others: content.filter((block) => !isText(block)) };
}

function encodeResult(result: ToolResultBlock, own: readonly ContentBlock[], rules: TurnRules): Fields {
  const isMoved = own.length < result.content.length;
  const content = own.length === 0 && isMoved ? "(attached below)" : encodeContent(own, rules);
  const text = !rules.isKept && Array.isArray(content) && own.every(isText) ? resultTextOf(own) : content;
  return {
    role: "tool",
    tool_call_id: result.callId,
    ...(result.name === undefined || !rules.isKept ? {} : { name: result.name }),
    // Chat has no field for a failure, so the text says it.
    content: !rules.isKept && result.isError === true ? failed(text) : text,
    ...marksOf(result.cache, rules),
    ...extrasOf(result.extras, rules),
  };
}

function failed(content: unknown): unknown {
  if (typeof content !== "string") return [{ type: "text", text: "Error:" }, ...(content as Fields[])];
  return /^\W{0,3}error/i.test(content) ? content : `Error: ${content}`;
}

/** The results of one step; content no result may hold follows in a user message. */
function encodeResults(results: readonly ToolResultBlock[], rules: TurnRules): Fields[] {
  const attached: Fields[] = [];
  const messages = results.map((result) => {
    const { own, others } = partsOf(result, rules);
    if (others.length > 0) {
      attached.push({ type: "text", text: `Attached to the result of ${result.callId}:` });
      for (const block of others) attached.push(contentOf(block, rules));
    }
    return encodeResult(result, own, rules);
  });
  return attached.length === 0 ? messages : [...messages, { role: "user", content: attached }];
}

function encodeTurn(turn: Exclude<Turn, { role: "tool" }>, rules: TurnRules): Fields {
  if (turn.role === "assistant") return encodeAssistant(turn, rules);
  const isDeveloper =
    turn.role === "system" && turn.isDeveloper && (rules.isKept || rules.dialect.takesDeveloper);
  const role = isDeveloper ? "developer" : turn.role;
  const content = encodeContent(turn.blocks, rules);
  return { role, content, ...marksOf(turn.cache, rules), ...extrasOf(turn.extras, rules) };
}

/** The messages. The results of one step stand together, before anything else. */
export function encodeTurns(turns: readonly Turn[], rules: TurnRules): Fields[] {
  const messages: Fields[] = [];
  let waiting: ToolResultBlock[] = [];
  for (const turn of turns) {
    if (turn.role === "tool") {
      waiting.push(...turn.blocks);
      continue;
    }
    messages.push(...encodeResults(waiting, rules), encodeTurn(turn, rules));
    waiting = [];
  }
  return [...messages, ...encodeResults(waiting, rules)];
}
