/**
 * Encodes a conversation's turns as items of a Responses request (docs/wire/openai-responses.md section 4). A
 * turn's items do not depend on later turns, so a longer conversation starts with the same bytes.
 */
import { createHash } from "node:crypto";
import { message } from "@plaza/contract/messages/message.ts";
import {
  type ContentBlock,
  isContent,
  isWords,
  type Source,
  type ToolCallBlock,
  type ToolResultBlock,
} from "../../conversation/blocks.ts";
import type {
  AssistantTurn,
  Conversation,
  SystemTurn,
  Turn,
  UserTurn,
} from "../../conversation/conversation.ts";
import type { JsonRecord } from "../../lib/record.ts";
import type { Leftovers } from "../leftovers.ts";
import type { ReplayMemory } from "../protocol.ts";
import { invalid } from "../untranslatable.ts";
import { type Reader, reasoningOf } from "./opaque-reasoning.ts";
import type { BlockExtras } from "./request/decode-content.ts";
import type { TurnExtras } from "./request/decode-items.ts";

export interface InputRules {
  readonly reader: Reader;
  readonly memory: ReplayMemory | undefined;
  readonly leftovers: Leftovers;
  /** True when the conversation came in this format, so that extras are already in its terms. */
  readonly isKept: boolean;
}

/** OpenAI's limit for call ids; other vendors' ids may be longer. */
const callIdMax = 64;

const callIdOf = (id: string): string =>
  id.length <= callIdMax ? id : `call_${createHash("sha256").update(id).digest("hex").slice(0, 40)}`;

const addressOf = (source: Source): string =>
  source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.base64}`;

/** A file's bytes need a name that shows the file type. */
const nameOf = (mediaType: string): string => {
  const ending = /^[\w.+-]+\/([\w-]{1,10})$/.exec(mediaType)?.[1] ?? "bin";
  return `file.${ending === "plain" ? "txt" : ending}`;
};

/** A part of what a user or a tool sent; undefined when it cannot be expressed. */
function inputPart(block: ContentBlock, leftovers: Leftovers): JsonRecord | undefined {
  switch (block.kind) {
    case "text":
    case "refusal":
      return { type: "input_text", text: block.text };
    case "image":
      return { type: "input_image", image_url: addressOf(block.source), detail: block.detail ?? "auto" };
    case "file": {
      if (block.source.kind === "url") return { type: "input_file", file_url: block.source.url };
      const filename = block.filename ?? nameOf(block.source.mediaType);
      return { type: "input_file", filename, file_data: addressOf(block.source) };
    }
    case "stored file":
      return { type: "input_file", file_id: block.fileId };
    case "audio":
      leftovers.leaveOut(block.sourcePath, message("wire.noAudio"));
      return undefined;
  }
}

/**
 * Drops `id` and `status`, which belong to the earlier answer: this upstream has stored nothing under them.
 */
function itemExtras(item: JsonRecord | undefined): JsonRecord {
  if (item === undefined) return {};
  const { id: _, status: __, ...rest } = item;
  return rest;
}

class InputWriter {
  readonly items: JsonRecord[] = [];
  readonly #rules: InputRules;
  /** Calls that wait for their results, by the caller's id; true for custom tools. */
  readonly #awaited = new Map<string, boolean>();
  #callsPath = "";
  /** The last item, while it is an assistant message that parts can be added to. */
  #answered:
    | {
        readonly turn: AssistantTurn;
        readonly item: JsonRecord | undefined;
        readonly content: JsonRecord[];
        readonly at: number;
      }
    | undefined;

  constructor(rules: InputRules) {
    this.#rules = rules;
  }

  add(turn: Turn): void {
    switch (turn.role) {
      case "system":
      case "user":
        this.#checkResults();
        this.#addForeign(turn, 0);
        this.#addSaid(turn);
        this.#addForeign(turn, 1, Number.POSITIVE_INFINITY);
        break;
      case "tool":
        for (const [index, result] of turn.blocks.entries()) {
          this.#addForeign(turn, index);
          this.#addResult(result);
        }
        this.#addForeign(turn, turn.blocks.length, Number.POSITIVE_INFINITY);
        break;
      default:
        this.#checkResults();
        this.#addAssistant(turn);
    }
  }

  end(): JsonRecord[] {
    this.#checkResults();
    return this.items;
  }

  #checkResults(): void {
    if (this.#awaited.size === 0) return;
    throw invalid(this.#callsPath, message("wire.toolCallsUnanswered", { param: this.#callsPath }));
  }

  /** Adds items that only this format knows: those before block `from`, or between `from` and `to`. */
  #addForeign({ extras }: Turn, from: number, to = from): void {
    if (!this.#rules.isKept) return;
    const { foreign } = (extras ?? {}) as TurnExtras;
    for (const { at, item } of foreign ?? []) if (at >= from && at <= to) this.items.push(item);
  }

  #part(block: ContentBlock, made: JsonRecord): JsonRecord {
    const { part } = (block.extras ?? {}) as BlockExtras;
    return this.#rules.isKept && part !== undefined ? { ...made, ...part } : made;
  }

  #addSaid(turn: SystemTurn | UserTurn): void {
    const { leftovers, isKept } = this.#rules;
    const content = turn.blocks.flatMap((block): JsonRecord[] => {
      if (turn.role === "system" && !isWords(block)) {
        leftovers.leaveOut(block.path, message("wire.textsOnly"));
        return [];
      }
      const part = inputPart(block, leftovers);
      return part === undefined ? [] : [this.#part(block, part)];
    });
    if (content.length === 0) return;
    const role = turn.role === "system" && turn.isDeveloper ? "developer" : turn.role;
    const more = isKept ? itemExtras((turn.extras as TurnExtras | undefined)?.item) : {};
    this.items.push({ type: "message", role, content, ...more });
  }

  #addAssistant(turn: AssistantTurn): void {
    const { reader, memory } = this.#rules;
    const { own, recalled } = reasoningOf(turn, reader, memory);
    // Remembered reasoning of the start comes before all other content.
    this.items.push(...(recalled[0] ?? []));
    let calls = 0;
    for (const [index, block] of turn.blocks.entries()) {
      this.#addForeign(turn, index);
      if (block.kind === "reasoning") {
        const item = own.get(block);
        if (item !== undefined) this.items.push(item);
      } else if (block.kind === "tool call") {
        if (calls > 0) this.items.push(...(recalled[calls] ?? []));
        calls += 1;
        this.#addCall(block, turn.callsPath);
      } else if (block.kind === "made image") {
        // An image item of this format stands among the foreign ones.
        if (!this.#rules.isKept) this.#rules.leftovers.note(block.urlPath);
      } else if (isContent(block)) this.#addAnswered(block, turn);
    }
    this.#addForeign(turn, turn.blocks.length, Number.POSITIVE_INFINITY);
    this.#answered = undefined;
  }

  /** Adds assistant content; adjacent parts of one message become one item. */
  #addAnswered(block: ContentBlock, turn: AssistantTurn): void {
    if (!isWords(block)) {
      this.#rules.leftovers.leaveOut(block.path, message("wire.assistantTextOnly"));
      return;
    }
    const { item } = this.#rules.isKept ? ((block.extras ?? {}) as BlockExtras) : {};
    const made: JsonRecord =
      block.kind === "text"
        ? { type: "output_text", text: block.text }
        : { type: "refusal", refusal: block.text };
    const part = this.#part(block, made);
    const open = this.#answered;
    const isSame = open?.turn === turn && open.item === item && open.at === this.items.length;
    if (isSame) {
      open.content.push(part);
      return;
    }
    const content = [part];
    this.items.push({ type: "message", role: "assistant", content, ...itemExtras(item) });
    this.#answered = { turn, item, content, at: this.items.length };
  }

  #addCall({ id, name, arguments: text, isCustom, extras }: ToolCallBlock, callsPath: string): void {
    const callId = callIdOf(id);
    const more = this.#rules.isKept ? extras : {};
    if (this.#awaited.size === 0) this.#callsPath = callsPath;
    this.#awaited.set(id, isCustom);
    this.items.push(
      isCustom
        ? { type: "custom_tool_call", call_id: callId, name, input: text, ...more }
        : { type: "function_call", call_id: callId, name, arguments: text === "" ? "{}" : text, ...more },
    );
  }

  #addResult({ callId, content, isError, idPath, extras }: ToolResultBlock): void {
    const isCustom = this.#awaited.get(callId);
    if (isCustom === undefined) throw invalid(idPath, message("wire.toolCallUnknown", { param: idPath }));
    this.#awaited.delete(callId);
    const parts = content.flatMap((block): JsonRecord[] => {
      const part = inputPart(block, this.#rules.leftovers);
      return part === undefined ? [] : [this.#part(block, part)];
    });
    // The format has no field for a failed tool.
    if (isError === true) parts.unshift({ type: "input_text", text: "Error:" });
    const [only] = parts;
    const isPlain = parts.length === 1 && only?.["type"] === "input_text" && Object.keys(only).length === 2;
    const output = parts.length === 0 ? "" : isPlain ? only["text"] : parts;
    const type = isCustom ? "custom_tool_call_output" : "function_call_output";
    const more = this.#rules.isKept ? extras : {};
    this.items.push({ type, call_id: callIdOf(callId), output, ...more });
  }
}

/** Encodes the items. Throws `Untranslatable` when tool results do not match the calls. */
export function encodeInput({ turns, names }: Conversation, rules: InputRules): JsonRecord[] {
  if (turns.length === 0) throw invalid(names.turns, message("call.messagesEmpty", { param: names.turns }));
  const writer = new InputWriter(rules);
  for (const turn of turns) writer.add(turn);
  return writer.end();
}
