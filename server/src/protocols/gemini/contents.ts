/**
 * The messages of a conversation → `systemInstruction` and `contents` (docs/wire/gemini.md section 5): system
 * texts apart, turns of one role together, the results of a turn's calls in one turn, in the order of the
 * calls. Texts are never changed.
 */

import { isShallow, parseExact } from "../../lib/json/exact-json.ts";
import { isRecord, recordOf } from "../../lib/record.ts";
import { type ContentPart, readSource, textOf } from "../openai-chat/content.ts";
import type { ChatMessage, ToolCall } from "../openai-chat/request.ts";
import type { ReplayMemory } from "../protocol.ts";
import { invalid, unsupported } from "../untranslatable.ts";
import { type MediaFiles, partOf, partsOf } from "./parts.ts";
import { detailSignature, signaturesOf } from "./signatures.ts";
import type { Content, Part } from "./wire.ts";

type Assistant = Extract<ChatMessage, { role: "assistant" }>;
type ToolResult = Extract<ChatMessage, { role: "tool" }>;

/** What the translation of messages has to know besides them. */
export interface ContentsContext {
  readonly model: string;
  readonly media: MediaFiles;
  readonly memory: ReplayMemory | undefined;
  readonly needsSignatures: boolean;
  readonly takesSystem: boolean;
  /** Vertex knows no ids of calls: there, the order tells which result belongs to which call. */
  readonly hasCallIds: boolean;
}

export interface Conversation {
  readonly systemInstruction: { readonly parts: Part[] } | undefined;
  readonly contents: Content[];
}

/** Stands before a conversation that begins with the model: it has to begin with the user. */
const opening: Part = { text: "…" };

/** Nested deeper than any schema of a request could be, and than Google's own parser follows. */
const depthMax = 64;

/** A JSON object, with its numbers as they are written; undefined for any other text. */
function objectIn(text: string): object | undefined {
  if (!text.trimStart().startsWith("{") || !isShallow(text, depthMax)) return undefined;
  const value = parseExact(text);
  return isRecord(value) ? value : undefined;
}

/** A call's arguments as an object. What is none, or no JSON at all, is wrapped: a model wrote it, and may see it again. */
function argsOf(call: ToolCall): object {
  if (!call.isCustom && call.arguments.trim() === "") return {};
  return (call.isCustom ? undefined : objectIn(call.arguments)) ?? { input: call.arguments };
}

/** A tool's result has to be an object: a JSON object is itself, everything else is its `output`. */
function responseOf(content: readonly ContentPart[]): object {
  const text = textOf(content);
  return objectIn(text) ?? { output: text };
}

/** Images the model made, as an earlier answer of ours showed them. */
function madeImages({ raw, path }: Assistant): Part[] {
  const images = raw["images"];
  if (!Array.isArray(images)) return [];
  return images.flatMap((image, index): Part[] => {
    const at = `${path}.images[${index}]`;
    const url = recordOf(recordOf(image)["image_url"])["url"];
    const source = readSource(url, `${at}.image_url.url`, "image/png");
    const part = partOf({ kind: "image", source, detail: undefined, path: at, raw: undefined }, undefined);
    const signature = detailSignature(raw, `image:${index}`);
    return part === undefined
      ? []
      : [signature === undefined ? part : { ...part, thoughtSignature: signature }];
  });
}

/** Texts, images and calls of one assistant message. A signature stays on the part it came with. */
function modelParts(message: Assistant, context: ContentsContext): Part[] {
  const parts = partsOf(message.content, context.media);
  const signature = detailSignature(message.raw, "text");
  const last = parts.at(-1);
  if (signature !== undefined && last?.text !== undefined) {
    parts[parts.length - 1] = { ...last, thoughtSignature: signature };
  }
  parts.push(...madeImages(message));
  const signatures = signaturesOf(message.toolCalls, context.memory, {
    model: context.model,
    isNeeded: context.needsSignatures,
  });
  message.toolCalls.forEach((call, index) => {
    const thoughtSignature = signatures[index];
    parts.push({
      functionCall: { ...(context.hasCallIds ? { id: call.id } : {}), name: call.name, args: argsOf(call) },
      ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
    });
  });
  return parts;
}

/** The results of a turn's calls, in their order; files among them follow. Throws where one is missing or there are too many. */
function resultParts(calls: Assistant, results: readonly ToolResult[], context: ContentsContext): Part[] {
  const waiting = new Map<string, ToolResult[]>();
  for (const result of results) {
    const list = waiting.get(result.toolCallId);
    if (list === undefined) waiting.set(result.toolCallId, [result]);
    else list.push(result);
  }
  const files: Part[] = [];
  const answered = calls.toolCalls.map((call): Part => {
    const result = waiting.get(call.id)?.shift();
    if (result === undefined) {
      throw invalid(
        `${calls.path}.tool_calls`,
        "Every tool call must be followed by a tool message that answers it.",
      );
    }
    const isText = ({ kind }: ContentPart): boolean => kind === "text" || kind === "refusal";
    files.push(
      ...partsOf(
        result.content.filter((part) => !isText(part)),
        context.media,
      ),
    );
    const response = responseOf(result.content.filter(isText));
    const id = context.hasCallIds ? { id: call.id } : {};
    return { functionResponse: { ...id, name: call.name, response } };
  });
  const extra = [...waiting.values()].flat()[0];
  if (extra !== undefined) throw orphan(extra);
  return [...answered, ...files];
}

const orphan = ({ path }: ToolResult) =>
  invalid(`${path}.tool_call_id`, "A tool message must answer a call of the assistant message before it.");

function systemParts(messages: readonly ChatMessage[]): Part[] {
  return messages.flatMap((message) => {
    if (message.role !== "system") return [];
    const other = message.content.find(({ kind }) => kind !== "text" && kind !== "refusal");
    if (other !== undefined) throw unsupported(other.path, "A system message can only hold texts here.");
    return partsOf(message.content, undefined);
  });
}

/** Adds parts as a turn, or to the last turn where it is of the same role. */
function add(contents: Content[], role: Content["role"], parts: readonly Part[]): void {
  if (parts.length === 0) return;
  const last = contents.at(-1);
  if (last?.role === role) last.parts.push(...parts);
  else contents.push({ role, parts: [...parts] });
}

/** The tool messages that follow a place, in order. */
function resultsAfter(messages: readonly ChatMessage[], at: number): ToolResult[] {
  const results: ToolResult[] = [];
  for (let next = messages[at + 1]; next?.role === "tool"; next = messages[at + 1 + results.length]) {
    results.push(next);
  }
  return results;
}

function turnsOf(messages: readonly ChatMessage[], context: ContentsContext): Content[] {
  const contents: Content[] = [];
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at];
    if (message === undefined || message.role === "system") continue;
    if (message.role === "tool") throw orphan(message);
    if (message.role === "assistant") {
      if (contents.length === 0) add(contents, "user", [opening]);
      add(contents, "model", modelParts(message, context));
      if (message.toolCalls.length === 0) continue;
      const results = resultsAfter(messages, at);
      add(contents, "user", resultParts(message, results, context));
      at += results.length;
    } else {
      add(contents, "user", partsOf(message.content, context.media));
    }
  }
  return contents;
}

/** Throws `Untranslatable` for a conversation without a word, or whose calls and results do not fit together. */
export function conversationOf(messages: readonly ChatMessage[], context: ContentsContext): Conversation {
  const system = systemParts(messages);
  const contents = turnsOf(messages, context);
  if (contents.length === 0 && system.length === 0) {
    throw unsupported("messages", "This model's upstream needs at least one message that is not empty.");
  }
  // Only system texts: somebody has to have said them.
  if (contents.length === 0)
    return { systemInstruction: undefined, contents: [{ role: "user", parts: system }] };
  if (system.length === 0) return { systemInstruction: undefined, contents };
  if (context.takesSystem) return { systemInstruction: { parts: system }, contents };
  contents[0]?.parts.unshift(...system);
  return { systemInstruction: undefined, contents };
}
