/**
 * Decodes the messages of a chat request into turns. Old roles and names (`function`, `function_call`) become
 * the new ones.
 */
import { message as messageOf } from "@plaza/contract/messages/message.ts";
import type { AssistantBlock, ToolCallBlock } from "../../conversation/blocks.ts";
import type { AssistantTurn, ToolTurn, Turn } from "../../conversation/conversation.ts";
import { isRecord, type JsonRecord, recordOf, textIn } from "../../lib/record.ts";
import { invalid } from "../untranslatable.ts";
import { cacheOf, decodeContent, decodeRefusal, extrasOf } from "./decode-content.ts";
import { decodeReasoning } from "./decode-reasoning.ts";

const callFields = new Set(["id", "type", "function", "custom"]);
const plainFields = new Set(["role", "content", "cache_control"]);
const resultFields = new Set([...plainFields, "tool_call_id", "name"]);
const assistantFields = new Set([
  ...plainFields,
  "refusal",
  "tool_calls",
  "function_call",
  "reasoning_content",
  "reasoning_details",
  "thinking_blocks",
  "images",
  "annotations",
]);

/** A call's signature, nested as Google's OpenAI-compatible route writes it, or flat. */
const signatureOf = (raw: JsonRecord): string | undefined =>
  textIn(recordOf(recordOf(raw["extra_content"])["google"])["thought_signature"]) ??
  textIn(raw["thought_signature"]);

/** Old calls have no id; one is derived from their position. */
const legacyId = (path: string): string => `call_${path.replace(/\D+/g, "")}`;

function readLegacyCall(called: JsonRecord, path: string, index: number): ToolCallBlock {
  const { name, arguments: given } = called;
  if (typeof name !== "string" || name === "") {
    throw invalid(`${path}.function_call.name`, messageOf("wire.functionCallWithoutName"));
  }
  return {
    kind: "tool call",
    id: legacyId(path),
    name,
    arguments: typeof given === "string" ? given : "",
    isCustom: false,
    signature: signatureOf(called),
    namePath: `${path}.tool_calls[${index}].function.name`,
    extras: undefined,
  };
}

function readCall(value: unknown, at: string): ToolCallBlock {
  const raw = recordOf(value);
  const isCustom = raw["type"] === "custom";
  const called = recordOf(isCustom ? raw["custom"] : raw["function"]);
  const given = isCustom ? called["input"] : called["arguments"];
  const { name } = called;
  const namePath = `${at}.function.name`;
  if (typeof name !== "string" || name === "") throw invalid(namePath, messageOf("wire.toolCallWithoutName"));
  if (typeof raw["id"] !== "string" || raw["id"] === "")
    throw invalid(`${at}.id`, messageOf("wire.toolCallWithoutId"));
  return {
    kind: "tool call",
    id: raw["id"],
    name,
    arguments: typeof given === "string" ? given : "",
    isCustom,
    signature: signatureOf(raw),
    namePath,
    extras: extrasOf(raw, callFields),
  };
}

function readCalls(message: JsonRecord, path: string): ToolCallBlock[] {
  const calls: ToolCallBlock[] = [];
  const list = message["tool_calls"] ?? calls;
  if (!Array.isArray(list)) throw invalid(`${path}.tool_calls`, messageOf("wire.toolCallsNotList"));
  for (let index = 0; index < list.length; index += 1)
    calls.push(readCall(list[index], `${path}.tool_calls[${index}]`));
  const legacy = message["function_call"];
  if (isRecord(legacy)) calls.push(readLegacyCall(legacy, path, calls.length));
  return calls;
}

function addMadeImages(blocks: AssistantBlock[], images: unknown, path: string): void {
  if (!Array.isArray(images)) return;
  for (const [index, image] of images.entries()) {
    const url = textIn(recordOf(recordOf(image)["image_url"])["url"]) ?? "";
    blocks.push({ kind: "made image", url, urlPath: `${path}.images[${index}].image_url.url` });
  }
}

function addCitations(blocks: AssistantBlock[], annotations: unknown): void {
  if (!Array.isArray(annotations)) return;
  const place = (value: unknown): number => (typeof value === "number" ? value : 0);
  for (const annotation of annotations) {
    const { url, title, start_index: start, end_index: end } = recordOf(recordOf(annotation)["url_citation"]);
    if (typeof url !== "string") continue;
    const citation = { url, title: textIn(title) ?? "", start: place(start), end: place(end) };
    blocks.push({ kind: "citation", citation });
  }
}

/** Calls so far: names by id, and the last old one. */
interface Called {
  readonly names: Map<string, string>;
  legacy: string | undefined;
}

/** Reasoning first, then text, then the calls, with reasoning between them where it was. */
function readAssistant(raw: JsonRecord, path: string, called: Called): AssistantTurn {
  const calls = readCalls(raw, path);
  for (const { id, name } of calls) called.names.set(id, name);
  if (isRecord(raw["function_call"])) called.legacy = calls.at(-1)?.id;
  const reasoning = decodeReasoning(raw, calls.length);
  const blocks: AssistantBlock[] = decodeContent(raw["content"], path);
  if (reasoning !== undefined) blocks.unshift(...(reasoning[0] ?? []));
  const refusal = textIn(raw["refusal"]);
  if (refusal !== undefined) blocks.push(decodeRefusal(refusal, path));
  addCitations(blocks, raw["annotations"]);
  addMadeImages(blocks, raw["images"], path);
  for (let index = 0; index < calls.length; index += 1) {
    blocks.push(calls[index] as ToolCallBlock);
    if (reasoning !== undefined) blocks.push(...(reasoning[index + 1] ?? []));
  }
  const callsPath = `${path}.tool_calls`;
  const extras = extrasOf(raw, assistantFields);
  return { role: "assistant", path, cache: cacheOf(raw, path), extras, blocks, callsPath };
}

function readResult(raw: JsonRecord, path: string, called: Called): ToolTurn {
  const isLegacy = raw["role"] === "function";
  const id = isLegacy ? called.legacy : raw["tool_call_id"];
  const idPath = isLegacy ? path : `${path}.tool_call_id`;
  if (typeof id !== "string" || id === "") {
    throw isLegacy
      ? invalid(path, messageOf("wire.functionAlone"))
      : invalid(idPath, messageOf("wire.toolMessageWithoutId"));
  }
  const name = called.names.get(id) ?? textIn(raw["name"]);
  const content = decodeContent(raw["content"], path);
  const cache = cacheOf(raw, path);
  const extras = extrasOf(raw, resultFields);
  const isError = undefined;
  const blocks = [
    { kind: "tool result", callId: id, name, content, isError, cache, path, idPath, extras } as const,
  ];
  return { role: "tool", path, cache: undefined, extras: undefined, blocks };
}

function readMessage(value: unknown, path: string, called: Called): Turn {
  if (!isRecord(value)) throw invalid(path, messageOf("wire.notObject", { param: path }));
  const raw = value;
  switch (raw["role"]) {
    case "system":
    case "developer":
    case "user": {
      const blocks = decodeContent(raw["content"], path);
      const cache = cacheOf(raw, path);
      const extras = extrasOf(raw, plainFields);
      if (raw["role"] === "user") return { role: "user", path, cache, extras, blocks };
      return { role: "system", path, cache, extras, blocks, isDeveloper: raw["role"] === "developer" };
    }
    case "assistant":
      return readAssistant(raw, path, called);
    case "tool":
    case "function":
      return readResult(raw, path, called);
    default:
      throw invalid(`${path}.role`, messageOf("wire.role", { param: path }));
  }
}

/** The turns of `messages`. Throws `Untranslatable` for what no protocol accepts. */
export function decodeTurns(messages: unknown): Turn[] {
  const called: Called = { names: new Map(), legacy: undefined };
  return (Array.isArray(messages) ? messages : []).map((message, index) =>
    readMessage(message, `messages[${index}]`, called),
  );
}
