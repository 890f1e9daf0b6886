/**
 * Encodes a conversation's turns as `systemInstruction` and `contents` (docs/wire/gemini.md section 5):
 * system texts of the beginning separately, adjacent turns of one role joined, and a turn's tool results in
 * one turn in the order of the calls. Texts are never changed.
 */
import { message } from "@plaza/contract/messages/message.ts";
import {
  isContent,
  isWords,
  resultTextOf,
  type ToolCallBlock,
  type ToolResultBlock,
} from "../../conversation/blocks.ts";
import {
  type AssistantTurn,
  type Conversation,
  type ToolTurn,
  type Turn,
  withLeadingSystem,
} from "../../conversation/conversation.ts";
import { isShallow, parseExact } from "../../lib/json/exact-json.ts";
import { isRecord } from "../../lib/record.ts";
import type { ReplayMemory } from "../protocol.ts";
import { readSource } from "../sources.ts";
import { invalid, unsupported } from "../untranslatable.ts";
import { imagePart, type MediaFiles, partOf, partsOf } from "./encode-content.ts";
import { signatureOfPart, signaturesOf } from "./signatures.ts";
import type { Content, Part } from "./wire.ts";

/** What the encoding of turns needs besides them. */
export interface TurnContext {
  readonly model: string;
  readonly media: MediaFiles;
  readonly memory: ReplayMemory | undefined;
  readonly needsSignatures: boolean;
  readonly takesSystem: boolean;
  /** False for Vertex, which has no call ids: results are matched to calls by their order. */
  readonly hasCallIds: boolean;
}

export interface EncodedTurns {
  readonly systemInstruction: { readonly parts: Part[] } | undefined;
  readonly contents: Content[];
}

/** Inserted before a conversation that begins with the model, because the user must be first. */
const opening: Part = { text: "…" };

/** Deeper than any schema of a request, and deeper than Google's parser accepts. */
const depthMax = 64;

/** A JSON object with its numbers unchanged; undefined for any other text. */
function objectIn(text: string): object | undefined {
  if (!text.trimStart().startsWith("{") || !isShallow(text, depthMax)) return undefined;
  const value = parseExact(text);
  return isRecord(value) ? value : undefined;
}

/**
 * A call's arguments as an object. Anything else is wrapped in one, because a model wrote it and may read it
 * again.
 */
function argsOf(call: ToolCallBlock): object {
  if (!call.isCustom && call.arguments.trim() === "") return {};
  return (call.isCustom ? undefined : objectIn(call.arguments)) ?? { input: call.arguments };
}

/**
 * A tool's result as an object: a JSON object as it is, everything else as its `output`; what a tool that
 * failed says, as its `error`.
 */
function responseOf({ content, isError }: ToolResultBlock): object {
  const text = resultTextOf(content);
  const object = objectIn(text);
  return isError === true ? { error: object ?? text } : (object ?? { output: text });
}

/** Images made by the model, as Plaza returned them in an earlier answer. */
function madeImages(turn: AssistantTurn): Part[] {
  const images = turn.blocks.filter((block) => block.kind === "made image");
  return images.map(({ url, urlPath }, index): Part => {
    const part = imagePart(readSource(url, urlPath, "image/png"), undefined, urlPath);
    const thoughtSignature = signatureOfPart(turn, `image:${index}`);
    return thoughtSignature === undefined ? part : { ...part, thoughtSignature };
  });
}

const callsOf = ({ blocks }: AssistantTurn): ToolCallBlock[] =>
  blocks.filter((block) => block.kind === "tool call");

/** Text, images and calls of one assistant turn. A signature stays on the part it came with. */
function modelParts(turn: AssistantTurn, context: TurnContext): Part[] {
  const parts = partsOf(turn.blocks.filter(isContent), context.media);
  const signature = signatureOfPart(turn, "text");
  const last = parts.at(-1);
  if (signature !== undefined && last?.text !== undefined) {
    parts[parts.length - 1] = { ...last, thoughtSignature: signature };
  }
  parts.push(...madeImages(turn));
  const calls = callsOf(turn);
  const signatures = signaturesOf(calls, context.memory, {
    model: context.model,
    isNeeded: context.needsSignatures,
  });
  calls.forEach((call, index) => {
    const thoughtSignature = signatures[index];
    parts.push({
      functionCall: { ...(context.hasCallIds ? { id: call.id } : {}), name: call.name, args: argsOf(call) },
      ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
    });
  });
  return parts;
}

/**
 * The results of a turn's calls in the calls' order, followed by their files. Throws when a result is missing
 * or there are too many.
 */
function resultParts(turn: AssistantTurn, results: readonly ToolResultBlock[], context: TurnContext): Part[] {
  const waiting = new Map<string, ToolResultBlock[]>();
  for (const result of results) {
    const list = waiting.get(result.callId);
    if (list === undefined) waiting.set(result.callId, [result]);
    else list.push(result);
  }
  const files: Part[] = [];
  const answered = callsOf(turn).map((call): Part => {
    const result = waiting.get(call.id)?.shift();
    if (result === undefined) {
      throw invalid(turn.callsPath, message("wire.callUnanswered"));
    }
    for (const block of result.content) {
      const part = isWords(block) ? undefined : partOf(block, context.media);
      if (part !== undefined) files.push(part);
    }
    const id = context.hasCallIds ? { id: call.id } : {};
    return { functionResponse: { ...id, name: call.name, response: responseOf(result) } };
  });
  const extra = [...waiting.values()].flat()[0];
  if (extra !== undefined) throw orphan(extra);
  return [...answered, ...files];
}

const orphan = ({ idPath }: ToolResultBlock) => invalid(idPath, message("wire.answerWithoutCall"));

function systemParts(turns: readonly Turn[]): Part[] {
  return turns.flatMap((turn) => {
    if (turn.role !== "system") return [];
    const other = turn.blocks.find((block) => !isWords(block));
    if (other !== undefined) throw unsupported(other.path, message("wire.systemTexts"));
    return partsOf(turn.blocks, undefined);
  });
}

/** Adds parts as a turn, or to the last turn if it has the same role. */
function add(contents: Content[], role: Content["role"], parts: readonly Part[]): void {
  if (parts.length === 0) return;
  const last = contents.at(-1);
  if (last?.role === role) last.parts.push(...parts);
  else contents.push({ role, parts: [...parts] });
}

/** The tool turns that follow a position, in order. */
function toolTurnsAfter(turns: readonly Turn[], at: number): ToolTurn[] {
  const found: ToolTurn[] = [];
  for (let next = turns[at + 1]; next?.role === "tool"; next = turns[at + 1 + found.length]) found.push(next);
  return found;
}

function contentsOf(turns: readonly Turn[], context: TurnContext): Content[] {
  const contents: Content[] = [];
  for (let at = 0; at < turns.length; at += 1) {
    const turn = turns[at];
    if (turn === undefined || turn.role === "system") continue;
    if (turn.role === "tool") {
      const [result] = turn.blocks;
      if (result !== undefined) throw orphan(result);
    } else if (turn.role === "assistant") {
      if (contents.length === 0) add(contents, "user", [opening]);
      add(contents, "model", modelParts(turn, context));
      if (callsOf(turn).length === 0) continue;
      const answers = toolTurnsAfter(turns, at);
      const results = answers.flatMap(({ blocks }) => blocks);
      add(contents, "user", resultParts(turn, results, context));
      at += answers.length;
    } else {
      add(contents, "user", partsOf(turn.blocks, context.media));
    }
  }
  return contents;
}

/** Throws `Untranslatable` for an empty conversation, or when calls and results do not match. */
export function encodeTurns({ turns: said, names }: Conversation, context: TurnContext): EncodedTurns {
  const turns = withLeadingSystem(said);
  const system = systemParts(turns);
  const contents = contentsOf(turns, context);
  if (contents.length === 0 && system.length === 0) {
    throw unsupported(names.turns, message("wire.allEmpty"));
  }
  // There are only system texts; the request needs a user turn.
  if (contents.length === 0)
    return { systemInstruction: undefined, contents: [{ role: "user", parts: system }] };
  if (system.length === 0) return { systemInstruction: undefined, contents };
  if (context.takesSystem) return { systemInstruction: { parts: system }, contents };
  contents[0]?.parts.unshift(...system);
  return { systemInstruction: undefined, contents };
}
