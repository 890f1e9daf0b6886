/**
 * Decodes the items of a Responses request into turns (docs/wire/openai-responses.md sections 1 and 4). Text,
 * thoughts and calls of the model between two other turns are one assistant turn. Unknown items are kept
 * beside the turns as they came.
 */
import { message as messageOf } from "@plaza/contract/messages/message.ts";
import type {
  AssistantBlock,
  ReasoningBlock,
  ToolCallBlock,
  ToolResultBlock,
} from "../../../conversation/blocks.ts";
import type { Parameter, Turn } from "../../../conversation/conversation.ts";
import { isRecord, type JsonRecord, recordOf, textIn } from "../../../lib/record.ts";
import { imageTypeOf, isBase64 } from "../../made-images.ts";
import { responsesPayloads } from "../../payloads/marks.ts";
import type { Seal } from "../../payloads/seal.ts";
import { invalid, unsupported } from "../../untranslatable.ts";
import { nativeFormat } from "../models.ts";
import { type CallerTool, callerToolAnswered, callerToolCalled, resultText } from "./caller-tools.ts";
import { decodeContent, othersOf } from "./decode-content.ts";
import type { ToolNames } from "./tool-names.ts";

const messageFields = new Set(["type", "role", "content"]);
const callFields = new Set(["type", "call_id", "name", "arguments", "input", "namespace", "status", "id"]);
const resultFields = new Set(["type", "call_id", "output", "status", "id", "name", "namespace"]);

/** An item that only Responses knows, and the number of blocks before it in its turn. */
export interface ForeignItem {
  readonly at: number;
  readonly item: JsonRecord;
}

/** What a turn keeps in this format's own terms. */
export interface TurnExtras {
  readonly foreign?: readonly ForeignItem[];
  readonly item?: JsonRecord;
}

export interface DecodedItems {
  readonly turns: readonly Turn[];
  /** Items that other formats cannot express, by path. */
  readonly foreign: readonly Parameter[];
}

/** Options for reading items. */
export interface ItemRules {
  readonly names: ToolNames;
  readonly seal: Seal;
}

interface OpenTurn {
  readonly role: "user" | "system" | "assistant" | "tool";
  readonly isDeveloper: boolean;
  readonly path: string;
  readonly blocks: (AssistantBlock | ToolResultBlock)[];
  readonly foreign: ForeignItem[];
  readonly item: JsonRecord | undefined;
  callsPath: string;
}

interface Called {
  readonly name: string;
}

class ItemReader {
  readonly foreign: Parameter[] = [];
  readonly #rules: ItemRules;
  readonly #turns: OpenTurn[] = [];
  readonly #called = new Map<string, Called>();
  /** Call ids by the ids of their items. */
  readonly #calls = new Map<string, string>();
  /** Data that vendors need back with a call, by call id. It arrives in a reasoning item before the call. */
  readonly #signatures = new Map<string, string>();
  /** Unknown items before the first turn. */
  #early: JsonRecord[] = [];

  constructor(rules: ItemRules) {
    this.#rules = rules;
  }

  add(value: unknown, path: string): void {
    if (!isRecord(value)) throw invalid(path, messageOf("wire.notObject", { param: path }));
    const type = value["type"] ?? (value["role"] === undefined ? "item_reference" : "message");
    switch (type) {
      case "message":
        this.#message(value, path);
        break;
      case "function_call":
      case "custom_tool_call":
        this.#call(value, path);
        break;
      case "function_call_output":
      case "custom_tool_call_output":
        this.#turn("tool", path).blocks.push(this.#result(value, path));
        break;
      case "reasoning":
        this.#reasoning(value, path);
        break;
      case "image_generation_call":
        this.#image(value, path);
        break;
      case "item_reference":
        throw unsupported(path, messageOf("responses.reference", { param: path }));
      default:
        this.#other(value, path);
    }
  }

  /** Adds a text as a user message, or `instructions`. */
  addText(role: "user" | "system", text: string, path: string): void {
    this.#open(role, path).blocks.push(...decodeContent(text, path).filter(isSaid));
  }

  end(): Turn[] {
    return this.#turns.map(finished);
  }

  #open(role: OpenTurn["role"], path: string, isDeveloper = false, item?: JsonRecord): OpenTurn {
    const foreign = this.#early.map((one) => ({ at: 0, item: one }));
    this.#early = [];
    const turn: OpenTurn = { role, isDeveloper, path, blocks: [], foreign, item, callsPath: path };
    this.#turns.push(turn);
    return turn;
  }

  /** The open turn of this role, or a new one. */
  #turn(role: "assistant" | "tool", path: string): OpenTurn {
    const last = this.#turns.at(-1);
    return last?.role === role ? last : this.#open(role, path);
  }

  #message(raw: JsonRecord, path: string): void {
    const item = othersOf(raw, messageFields);
    const { role } = raw;
    const at = `${path}.content`;
    if (role === "assistant") {
      this.#turn("assistant", path).blocks.push(...decodeContent(raw["content"], at, item));
    } else if (role === "user" || role === "system" || role === "developer") {
      const isSystem = role !== "user";
      const turn = this.#open(isSystem ? "system" : "user", path, role === "developer", item);
      turn.blocks.push(...decodeContent(raw["content"], at));
    } else throw invalid(`${path}.role`, messageOf("responses.role", { param: path }));
  }

  #call(raw: JsonRecord, path: string): void {
    const id = textIn(raw["call_id"]) ?? textIn(raw["id"]);
    const own = textIn(raw["name"]);
    if (id === undefined)
      throw invalid(`${path}.call_id`, messageOf("responses.callWithoutId", { param: `${path}.call_id` }));
    if (own === undefined) throw invalid(`${path}.name`, messageOf("responses.callWithoutName"));
    const isCustom = raw["type"] === "custom_tool_call";
    const name = this.#rules.names.flatOf(own, textIn(raw["namespace"]));
    this.#called.set(id, { name });
    const turn = this.#turn("assistant", path);
    if (!turn.blocks.some((block) => block.kind === "tool call")) turn.callsPath = path;
    const call: ToolCallBlock = {
      kind: "tool call",
      id,
      name,
      arguments: argumentsOf(raw[isCustom ? "input" : "arguments"]),
      isCustom,
      signature: this.#signatures.get(id),
      namePath: `${path}.name`,
      extras: othersOf(raw, callFields),
    };
    turn.blocks.push(call);
  }

  /** An item of another type: one about a tool that became a function, or one that is kept as it came. */
  #other(raw: JsonRecord, path: string): void {
    const type = textIn(raw["type"]) ?? "";
    const called = callerToolCalled(type);
    const answered = callerToolAnswered(type);
    if (called !== undefined) this.#callerCall(raw, called, path);
    else if (answered !== undefined) this.#callerResult(raw, answered, path);
    else this.#foreign(raw, path);
  }

  #callerCall(raw: JsonRecord, tool: CallerTool, path: string): void {
    const item = textIn(raw["id"]);
    const call = textIn(raw["call_id"]);
    // A result may name the item instead of the call.
    if (item !== undefined && call !== undefined) this.#calls.set(item, call);
    const said = JSON.stringify(tool.argumentsOf(raw));
    this.#call({ type: "function_call", call_id: call ?? item, name: tool.type, arguments: said }, path);
  }

  #callerResult(raw: JsonRecord, tool: CallerTool, path: string): void {
    const given = textIn(raw["call_id"]) ?? textIn(raw["id"]);
    const call = given === undefined || this.#called.has(given) ? given : (this.#calls.get(given) ?? given);
    const output = resultText(raw);
    const result = this.#result({ call_id: call, name: tool.type, output }, path);
    const isError = raw["status"] === "failed" ? true : undefined;
    this.#turn("tool", path).blocks.push({ ...result, isError });
  }

  #result(raw: JsonRecord, path: string): ToolResultBlock {
    const idPath = `${path}.call_id`;
    const id = textIn(raw["call_id"]);
    if (id === undefined) throw invalid(idPath, messageOf("responses.callWithoutId", { param: idPath }));
    return {
      kind: "tool result",
      callId: id,
      name: this.#called.get(id)?.name ?? textIn(raw["name"]),
      content: decodeContent(raw["output"], `${path}.output`),
      isError: undefined,
      cache: undefined,
      path,
      idPath,
      extras: othersOf(raw, resultFields),
    };
  }

  #reasoning(raw: JsonRecord, path: string): void {
    const text = saidIn(raw["content"]) ?? saidIn(raw["summary"]);
    const blocks = this.#opaque(raw);
    // Avoids duplicates: a signed part repeats the text.
    if (text !== undefined && !blocks.some((block) => block.text !== undefined))
      blocks.unshift(thoughtOf({ text }));
    // An item with only a call's signature is not a thought.
    if (blocks.length > 0) this.#turn("assistant", path).blocks.push(...blocks);
  }

  #opaque(raw: JsonRecord): ReasoningBlock[] {
    const content = textIn(raw["encrypted_content"]);
    if (content === undefined) return [];
    const read = responsesPayloads.read(content, this.#rules.seal);
    if (read.kind === "native")
      return [thoughtOf({ data: content, format: nativeFormat, id: textIn(raw["id"]) })];
    if (read.kind === "unreadable") return [];
    return read.parts.flatMap(({ call, ...part }) => {
      if (call === undefined) return [thoughtOf(part)];
      if (part.data !== undefined) this.#signatures.set(call, part.data);
      return [];
    });
  }

  /** An image of the model. This format keeps the item as it came, others get the image. */
  #image(item: JsonRecord, path: string): void {
    const base64 = textIn(item["result"]);
    if (base64 === undefined || !isBase64(base64)) {
      this.#foreign(item, path);
      return;
    }
    const { blocks, foreign } = this.#turn("assistant", path);
    foreign.push({ at: blocks.length, item });
    const type = imageTypeOf(base64) ?? "image/png";
    blocks.push({ kind: "made image", url: `data:${type};base64,${base64}`, urlPath: path });
  }

  #foreign(item: JsonRecord, path: string): void {
    const type = String(item["type"]).slice(0, 100);
    this.foreign.push({ name: path, setting: "manner", value: type });
    const last = this.#turns.at(-1);
    if (last === undefined) this.#early.push(item);
    else last.foreign.push({ at: last.blocks.length, item });
  }
}

const isSaid = (block: AssistantBlock): boolean => block.kind !== "text" || block.text !== "";

/** OpenAI sends arguments as a string; some clients send the object itself. */
function argumentsOf(value: unknown): string {
  if (typeof value === "string") return value;
  return isRecord(value) ? JSON.stringify(value) : "";
}

const thoughtOf = (given: Partial<ReasoningBlock>): ReasoningBlock => ({
  kind: "reasoning",
  text: given.text,
  signature: given.signature,
  data: given.data,
  format: given.format,
  model: given.model,
  id: given.id,
});

/** The texts of a summary or of full thoughts; undefined when there are none. */
function saidIn(parts: unknown): string | undefined {
  if (!Array.isArray(parts)) return undefined;
  const texts = parts.map((part) => textIn(recordOf(part)["text"])).filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

function finished({ role, isDeveloper, path, blocks, foreign, item, callsPath }: OpenTurn): Turn {
  const extras: JsonRecord | undefined =
    foreign.length === 0 && item === undefined
      ? undefined
      : { ...(foreign.length === 0 ? {} : { foreign }), ...(item === undefined ? {} : { item }) };
  const base = { path, cache: undefined, extras };
  switch (role) {
    case "tool":
      return { role, ...base, blocks: blocks as ToolResultBlock[] };
    case "assistant":
      return { role, ...base, blocks: blocks as AssistantBlock[], callsPath };
    default: {
      const said = decodedBlocks(blocks);
      return role === "user" ? { role, ...base, blocks: said } : { role, ...base, blocks: said, isDeveloper };
    }
  }
}

/** User and system turns have content blocks only. */
const decodedBlocks = (blocks: OpenTurn["blocks"]) => blocks as ReturnType<typeof decodeContent>;

/** The turns of `instructions` and `input`. Throws `Untranslatable` for what no protocol accepts. */
export function decodeItems(raw: JsonRecord, rules: ItemRules): DecodedItems {
  const reader = new ItemReader(rules);
  const { instructions, input } = raw;
  if (typeof instructions === "string") reader.addText("system", instructions, "instructions");
  else if (Array.isArray(instructions))
    for (const [index, item] of instructions.entries()) reader.add(item, `instructions[${index}]`);
  if (typeof input === "string") reader.addText("user", input, "input");
  else if (Array.isArray(input))
    for (const [index, item] of input.entries()) reader.add(item, `input[${index}]`);
  else throw invalid("input", messageOf("responses.input"));
  return { turns: reader.end().filter(isThere), foreign: reader.foreign };
}

/** Empty instructions are dropped. */
const isThere = ({ role, blocks, extras }: Turn): boolean =>
  role !== "system" || blocks.length > 0 || extras !== undefined;
