/**
 * Decodes the contents of a Gemini request into turns (docs/wire/gemini.md sections 2 and 12). Function
 * results become separate turns, calls without ids get ids from their positions, and payloads in Plaza's
 * signatures are restored to their turn.
 */
import { message as messageOf } from "@plaza/contract/messages/message.ts";
import type {
  AssistantBlock,
  ContentBlock,
  ReasoningBlock,
  ToolResultBlock,
} from "../../../conversation/blocks.ts";
import type { Parameter, Turn } from "../../../conversation/conversation.ts";
import { isRecord, type JsonRecord, textIn } from "../../../lib/record.ts";
import { geminiPayloads } from "../../payloads/marks.ts";
import type { Seal } from "../../payloads/seal.ts";
import { invalid } from "../../untranslatable.ts";
import { codeIn, isOfUnknownKind, mediaOf, resultBlocks, said } from "./decode-parts.ts";
import { membersOf } from "./spelling.ts";

/** Google's own signatures, in the format of `signatures.ts`. */
const nativeFormat = "google-gemini-v1";

interface Awaited {
  readonly id: string;
  readonly givenId: string | undefined;
  readonly name: string;
}

const base = (path: string) => ({ path, cache: undefined, extras: undefined });

const thoughtOf = (given: Partial<ReasoningBlock>): ReasoningBlock => ({
  kind: "reasoning",
  text: given.text,
  signature: given.signature,
  data: given.data,
  format: given.format,
  model: given.model,
  id: given.id,
});

/** The assistant's turn that is being read. */
interface OpenTurn {
  readonly path: string;
  readonly blocks: AssistantBlock[];
  images: number;
}

class ContentReader {
  readonly #turns: Turn[] = [];
  /** Part members that no other format has, by path. */
  readonly apart: Parameter[] = [];
  readonly #seal: Seal;
  /** Calls that wait for their results. */
  #awaited: Awaited[] = [];
  #open: OpenTurn | undefined;

  constructor(seal: Seal) {
    this.#seal = seal;
  }

  add(value: unknown, path: string): void {
    if (!isRecord(value)) throw invalid(path, messageOf("wire.notObject", { param: path }));
    const content = membersOf(value);
    const parts = content["parts"] ?? [];
    if (!Array.isArray(parts)) throw invalid(`${path}.parts`, messageOf("wire.geminiParts", { param: path }));
    const role = content["role"] ?? "user";
    const list = parts.map((part: unknown, index) => this.#part(part, `${path}.parts[${index}]`));
    if (role === "model") {
      this.#model(list, path);
    } else if (role === "user" || role === "function" || role === "tool") {
      this.#close();
      this.#user(list, path);
    } else throw invalid(`${path}.role`, messageOf("wire.geminiRole", { param: path }));
  }

  /** The turns of all contents. */
  finish(): readonly Turn[] {
    this.#close();
    return this.#turns;
  }

  #close(): void {
    const turn = this.#open;
    if (turn === undefined) return;
    this.#open = undefined;
    const { path, blocks } = turn;
    const callsPath = `${path}.parts`;
    this.#turns.push({ role: "assistant", ...base(path), blocks: withoutTwice(blocks), callsPath });
  }

  #part(value: unknown, path: string): { readonly part: JsonRecord; readonly path: string } {
    if (!isRecord(value)) throw invalid(path, messageOf("wire.notObject", { param: path }));
    const part = membersOf(value);
    if (isOfUnknownKind(part)) this.apart.push({ name: path, setting: "manner", value: part });
    for (const name of ["videoMetadata", "mediaResolution"] as const) {
      if (part[name] !== undefined)
        this.apart.push({ name: `${path}.${name}`, setting: "manner", value: part[name] });
    }
    return { part, path };
  }

  /** Results come first, because every call must be answered before the next turn. */
  #user(list: readonly { part: JsonRecord; path: string }[], path: string): void {
    const results: ToolResultBlock[] = [];
    const blocks: ContentBlock[] = [];
    for (const { part, path: at } of list) {
      if (isRecord(part["functionResponse"])) results.push(this.#result(part["functionResponse"], at));
      else if (typeof part["text"] === "string") blocks.push(said(part["text"], at));
      else {
        const block = mediaOf(part, at) ?? said(codeIn(part, at), at);
        if (block.kind !== "text" || block.text !== "") blocks.push(block);
      }
    }
    if (results.length > 0) this.#turns.push({ role: "tool", ...base(path), blocks: results });
    if (blocks.length > 0 || results.length === 0) this.#turns.push({ role: "user", ...base(path), blocks });
  }

  #result(value: JsonRecord, path: string): ToolResultBlock {
    const given = membersOf(value);
    const at = `${path}.functionResponse`;
    const id = textIn(given["id"]);
    const name = textIn(given["name"]);
    const place = this.#awaited.findIndex((call) =>
      id === undefined || call.givenId === undefined ? call.name === name : call.givenId === id,
    );
    const [call] = place < 0 ? [] : this.#awaited.splice(place, 1);
    const callId = call?.id ?? id;
    if (callId === undefined) throw invalid(at, messageOf("wire.geminiResponseAlone", { param: at }));
    const { content, isError } = resultBlocks(given, at);
    const idPath = `${at}.id`;
    return { kind: "tool result", callId, name: call?.name ?? name, content, isError, idPath, ...base(at) };
  }

  /**
   * Contents of the model one after the other are one turn: SDKs keep every object of a stream as its own.
   */
  #model(list: readonly { part: JsonRecord; path: string }[], path: string): void {
    if (this.#open === undefined) {
      this.#open = { path, blocks: [], images: 0 };
      this.#awaited = [];
    }
    const { blocks } = this.#open;
    for (const { part, path: at } of list) {
      const signature = textIn(part["thoughtSignature"]);
      const read = signature === undefined ? undefined : geminiPayloads.read(signature, this.#seal);
      const pieces = read?.kind === "parts" ? read.parts : [];
      for (const { call, ...piece } of pieces) if (call === undefined) blocks.push(thoughtOf(piece));
      const native = read?.kind === "native" ? signature : undefined;
      if (isRecord(part["functionCall"])) {
        const own = pieces.find(({ call }) => call !== undefined)?.data ?? native;
        blocks.push(this.#call(part["functionCall"], at, own));
        continue;
      }
      const media = mediaOf(part, at);
      if (media?.kind === "image" && media.source.kind === "inline") {
        const { mediaType, base64 } = media.source;
        blocks.push({ kind: "made image", url: `data:${mediaType};base64,${base64}`, urlPath: at });
        if (native !== undefined)
          blocks.push(thoughtOf({ format: nativeFormat, id: `image:${this.#open.images}`, data: native }));
        this.#open.images += 1;
      } else if (media !== undefined) blocks.push(media);
      else {
        const text = typeof part["text"] === "string" ? part["text"] : codeIn(part, at);
        if (part["thought"] === true) addThought(blocks, text);
        else if (text !== "") addText(blocks, text, at);
        if (native !== undefined && part["thought"] !== true)
          blocks.push(thoughtOf({ format: nativeFormat, id: "text", data: native }));
      }
    }
  }

  #call(value: JsonRecord, path: string, signature: string | undefined): AssistantBlock {
    const given = membersOf(value);
    const namePath = `${path}.functionCall.name`;
    const name = textIn(given["name"]);
    if (name === undefined) throw invalid(namePath, messageOf("wire.toolCallWithoutName"));
    const givenId = textIn(given["id"]);
    const id = givenId ?? `call_${path.replace(/\D+/g, "_").replace(/^_|_$/g, "")}`;
    this.#awaited.push({ id, givenId, name });
    return {
      kind: "tool call",
      id,
      name,
      arguments: JSON.stringify(given["args"] ?? {}),
      isCustom: false,
      signature,
      namePath,
      extras: undefined,
    };
  }
}

/**
 * Adds a text, to the one before where it goes on there: SDKs keep each piece of a stream as a part of its
 * own.
 */
function addText(blocks: AssistantBlock[], text: string, path: string): void {
  const last = blocks.at(-1);
  if (last?.kind === "text") blocks.splice(-1, 1, { ...last, text: last.text + text });
  else blocks.push(said(text, path));
}

function addThought(blocks: AssistantBlock[], text: string): void {
  const last = blocks.at(-1);
  const isPlain = last?.kind === "reasoning" && last.format === undefined && last.signature === undefined;
  if (isPlain && last.text !== undefined) blocks.splice(-1, 1, thoughtOf({ text: last.text + text }));
  else blocks.push(thoughtOf({ text }));
}

/** Removes plain thoughts that are repeated by a signed one. */
function withoutTwice(blocks: readonly AssistantBlock[]): AssistantBlock[] {
  const isOpaque = (block: AssistantBlock): boolean =>
    block.kind === "reasoning" && block.text !== undefined && block.signature !== undefined;
  if (!blocks.some(isOpaque)) return [...blocks];
  return blocks.filter(
    (block) => block.kind !== "reasoning" || block.format !== undefined || block.signature !== undefined,
  );
}

export interface DecodedContents {
  readonly turns: readonly Turn[];
  readonly apart: readonly Parameter[];
}

/** Reads a text, a list of parts, or a content. */
function systemOf(value: unknown, path: string): Turn[] {
  if (value === undefined) return [];
  const parts = typeof value === "string" ? [{ text: value }] : (membersOf(value)["parts"] ?? value);
  const list: readonly unknown[] = Array.isArray(parts) ? parts : [parts];
  const blocks = list.flatMap((part, index): ContentBlock[] => {
    const at = `${path}.parts[${index}]`;
    const { text } = membersOf(part);
    if (typeof text !== "string") throw invalid(at, messageOf("wire.textNotText", { param: at }));
    return text === "" ? [] : [said(text, at)];
  });
  return blocks.length === 0 ? [] : [{ role: "system", ...base(path), blocks, isDeveloper: false }];
}

/** The turns of `systemInstruction` and `contents`. Throws `Untranslatable` for what no protocol accepts. */
export function decodeContents(raw: JsonRecord, seal: Seal): DecodedContents {
  const { contents, systemInstruction } = raw;
  if (!Array.isArray(contents) || contents.length === 0)
    throw invalid("contents", messageOf("wire.geminiContents"));
  const reader = new ContentReader(seal);
  for (const [index, content] of contents.entries()) reader.add(content, `contents[${index}]`);
  return {
    turns: [...systemOf(systemInstruction, "systemInstruction"), ...reader.finish()],
    apart: reader.apart,
  };
}
