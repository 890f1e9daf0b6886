/**
 * Decodes `system` and `messages` of a Messages request into turns (docs/wire/anthropic-messages.md section
 * 13). Consecutive assistant messages become one turn. Between two assistant turns, tool results come before
 * everything else.
 */
import { message as messageOf } from "@plaza/contract/messages/message.ts";
import type {
  AssistantBlock,
  CitationBlock,
  ContentBlock,
  MadeImageBlock,
  ReasoningBlock,
  ToolCallBlock,
  ToolResultBlock,
} from "../../../conversation/blocks.ts";
import type {
  AssistantTurn,
  SystemTurn,
  ToolTurn,
  Turn,
  UserTurn,
} from "../../../conversation/conversation.ts";
import { isRecord, type JsonRecord, recordOf, textIn } from "../../../lib/record.ts";
import { imageUrlIn } from "../../made-images.ts";
import { messagesPayloads } from "../../payloads/marks.ts";
import type { PayloadPart } from "../../payloads/payload.ts";
import type { Seal } from "../../payloads/seal.ts";
import { invalid } from "../../untranslatable.ts";
import { billingMark } from "../endpoint/fields.ts";
import { cacheOf, type Notes, othersOf, readBlocks, readSaid, typeOf } from "./content.ts";

/** The format of Claude's own signatures, on every route. */
const claudeFormat = "anthropic-claude-v1";

const messageFields = new Set(["role", "content"]);
const callFields = new Set(["type", "id", "name", "input", "cache_control"]);
const resultFields = new Set(["type", "tool_use_id", "content", "is_error", "cache_control"]);

interface Message {
  readonly raw: JsonRecord;
  readonly role: "user" | "assistant" | "system";
  readonly path: string;
}

/** The content between two assistant turns. */
interface Interval {
  readonly results: ToolResultBlock[];
  readonly turns: (UserTurn | SystemTurn)[];
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

/** The image in a text that Plaza wrote for one. */
function madeImage(text: unknown, urlPath: string): MadeImageBlock[] | undefined {
  const url = typeof text === "string" ? imageUrlIn(text) : undefined;
  return url === undefined ? undefined : [{ kind: "made image", url, urlPath }];
}

const missing = (param: string) => invalid(param, messageOf("wire.missingText", { param }));

class TurnReader {
  readonly turns: Turn[] = [];
  readonly #seal: Seal;
  readonly #notes: Notes;
  readonly #called = new Map<string, string>();
  /** Data that vendors need back with a call, by call id. It arrives in a thinking block before the call. */
  readonly #signatures = new Map<string, string>();
  #interval: Interval = { results: [], turns: [] };
  /** Characters of text in the current assistant turn; citation positions count from its start. */
  #textLength = 0;

  constructor(seal: Seal, notes: Notes) {
    this.#seal = seal;
    this.#notes = notes;
  }

  addSystem(content: unknown, path: string, extras?: JsonRecord): void {
    const blocks = readBlocks(content, path, this.#notes).filter(
      (block) => block.kind !== "text" || !block.text.startsWith(billingMark),
    );
    const place = { path, cache: undefined, extras };
    this.#interval.turns.push({ role: "system", isDeveloper: false, ...place, blocks });
  }

  add({ raw, role, path }: Message): void {
    const extras = othersOf(raw, messageFields);
    if (role === "assistant") this.#addAssistant(raw, path, extras);
    else if (role === "system") this.addSystem(raw["content"], `${path}.content`, extras);
    else this.#addUser(raw, path, extras);
  }

  /** Adds everything since the last assistant turn: the results of its calls first. */
  flush(): void {
    const { results, turns } = this.#interval;
    const [first] = results;
    if (first !== undefined) {
      const place = { path: first.path, cache: undefined, extras: undefined };
      const turn: ToolTurn = { role: "tool", ...place, blocks: results };
      this.turns.push(turn);
    }
    this.turns.push(...turns);
    this.#interval = { results: [], turns: [] };
  }

  #addUser(raw: JsonRecord, path: string, extras: JsonRecord | undefined): void {
    const { content } = raw;
    const at = `${path}.content`;
    const said: ContentBlock[] = [];
    const before = this.#interval.results.length;
    if (Array.isArray(content)) {
      for (const [index, value] of content.entries()) said.push(...this.#userBlock(value, `${at}[${index}]`));
    } else said.push(...readBlocks(content, at, this.#notes));
    if (said.length === 0 && this.#interval.results.length > before) return;
    this.#interval.turns.push({ role: "user", path, cache: undefined, extras, blocks: said });
  }

  #userBlock(value: unknown, path: string): readonly ContentBlock[] {
    const { raw, type } = typeOf(value, path);
    if (type === "tool_result") {
      this.#interval.results.push(this.#result(raw, path));
      return [];
    }
    if (type === "tool_use" || type === "thinking" || type === "redacted_thinking")
      throw invalid(path, messageOf("wire.blockPlace", { param: path, type }));
    const said = readSaid(raw, type, path, this.#notes);
    if (said !== undefined) return said;
    // Files for tools that the upstream runs; no other upstream has the file or the tool.
    const isFile = type === "container_upload";
    this.#notes.push({
      name: path,
      setting: isFile ? undefined : "manner",
      value: type.slice(0, 100),
    });
    return [];
  }

  #result(raw: JsonRecord, path: string): ToolResultBlock {
    const idPath = `${path}.tool_use_id`;
    const callId = textIn(raw["tool_use_id"]);
    if (callId === undefined) throw missing(idPath);
    const isError = raw["is_error"];
    return {
      kind: "tool result",
      callId,
      name: this.#called.get(callId),
      content: readBlocks(raw["content"], `${path}.content`, this.#notes),
      isError: typeof isError === "boolean" ? isError : undefined,
      cache: cacheOf(raw, path),
      path,
      idPath,
      extras: othersOf(raw, resultFields),
    };
  }

  #addAssistant(raw: JsonRecord, path: string, extras: JsonRecord | undefined): void {
    const { content } = raw;
    const at = `${path}.content`;
    const isSameTurn = this.#interval.results.length === 0 && this.#interval.turns.length === 0;
    this.flush();
    const last = this.turns.at(-1);
    const before = isSameTurn && last?.role === "assistant" ? last : undefined;
    if (before === undefined) this.#textLength = 0;
    const blocks = Array.isArray(content)
      ? content.flatMap((value: unknown, index) => this.#assistantBlock(value, `${at}[${index}]`))
      : (madeImage(content, at) ?? readBlocks(content, at, this.#notes));
    if (before !== undefined) {
      this.turns[this.turns.length - 1] = { ...before, blocks: [...before.blocks, ...blocks] };
      return;
    }
    const turn: AssistantTurn = { role: "assistant", path, cache: undefined, extras, blocks, callsPath: at };
    this.turns.push(turn);
  }

  #assistantBlock(value: unknown, path: string): readonly AssistantBlock[] {
    const { raw, type } = typeOf(value, path);
    switch (type) {
      case "thinking":
        return this.#thought(raw);
      case "redacted_thinking": {
        const data = textIn(raw["data"]);
        return data === undefined ? [] : [thoughtOf({ data, format: claudeFormat })];
      }
      case "tool_use":
        return [this.#call(raw, path)];
      case "tool_result":
        throw invalid(path, messageOf("wire.blockPlace", { param: path, type }));
      // A summary that replaces the earlier conversation.
      case "compaction":
        return readBlocks(raw["content"], `${path}.content`, this.#notes);
      default: {
        const image = type === "text" ? madeImage(raw["text"], path) : undefined;
        if (image !== undefined) return image;
        const said = readSaid(raw, type, path, this.#notes);
        if (said !== undefined) return [...said, ...this.#citations(raw)];
        // Calls of tools that another upstream ran. The text after them states the outcome.
        this.#notes.push({ name: path, setting: "manner", value: type.slice(0, 100) });
        return [];
      }
    }
  }

  #citations(raw: JsonRecord): CitationBlock[] {
    const start = this.#textLength;
    this.#textLength += textIn(raw["text"])?.length ?? 0;
    const citations = Array.isArray(raw["citations"]) ? raw["citations"].map(recordOf) : [];
    return citations.flatMap(({ url, title }): CitationBlock[] => {
      const citation = { url: textIn(url) ?? "", title: textIn(title) ?? "", start, end: this.#textLength };
      return citation.url === "" ? [] : [{ kind: "citation", citation }];
    });
  }

  /** Thoughts with their signature: Anthropic's own, or the data another vendor needs back. */
  #thought(raw: JsonRecord): ReasoningBlock[] {
    const text = textIn(raw["thinking"]);
    const signature = textIn(raw["signature"]);
    const read = signature === undefined ? undefined : messagesPayloads.read(signature, this.#seal);
    if (read?.kind === "native") return [thoughtOf({ text: text ?? "", signature, format: claudeFormat })];
    const parts = read?.kind === "parts" ? read.parts.flatMap((part) => this.#part(part)) : [];
    // Avoids duplicates: a signed part repeats the text.
    const isSaid = text === undefined || parts.some((part) => part.text !== undefined);
    return isSaid ? parts : [thoughtOf({ text }), ...parts];
  }

  #part({ call, ...part }: PayloadPart): ReasoningBlock[] {
    if (call === undefined) return [thoughtOf(part)];
    if (part.data !== undefined) this.#signatures.set(call, part.data);
    return [];
  }

  #call(raw: JsonRecord, path: string): ToolCallBlock {
    const id = textIn(raw["id"]);
    const name = textIn(raw["name"]);
    if (id === undefined) throw missing(`${path}.id`);
    if (name === undefined) throw missing(`${path}.name`);
    this.#called.set(id, name);
    const { input } = raw;
    return {
      kind: "tool call",
      id,
      name,
      arguments: typeof input === "string" ? input : JSON.stringify(isRecord(input) ? input : {}),
      isCustom: false,
      signature: this.#signatures.get(id),
      namePath: `${path}.name`,
      extras: othersOf(raw, callFields),
    };
  }
}

function messageAt(value: unknown, path: string): Message {
  if (!isRecord(value)) throw invalid(path, messageOf("wire.notObject", { param: path }));
  const { role } = value;
  if (role !== "user" && role !== "assistant" && role !== "system")
    throw invalid(`${path}.role`, messageOf("wire.roleOfThree", { param: path }));
  return { raw: value, role, path };
}

/** Empty instructions are dropped. */
const isThere = ({ role, blocks }: Turn): boolean => role !== "system" || blocks.length > 0;

/** Decodes the turns. `notes` receives what could not be represented. Throws `Untranslatable`. */
export function decodeTurns({ system, messages }: JsonRecord, seal: Seal, notes: Notes): Turn[] {
  if (!Array.isArray(messages))
    throw invalid("messages", messageOf("wire.messagesNotList", { param: "messages" }));
  const reader = new TurnReader(seal, notes);
  if (system !== undefined && system !== null && system !== "") {
    reader.addSystem(system, "system");
    reader.flush();
  }
  for (const [index, value] of messages.entries()) reader.add(messageAt(value, `messages[${index}]`));
  reader.flush();
  return reader.turns.filter(isThere);
}
