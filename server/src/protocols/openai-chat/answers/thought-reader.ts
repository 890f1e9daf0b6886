/**
 * Reads the thoughts of one choice (docs/wire/openai-chat.md sections 10 and 12): as text under any of its
 * names, without repetition, and in the vendor's opaque form, to be sent back. The details before a tool call
 * are remembered by that call, because many clients drop them.
 */
import type { AnswerSink } from "../../../conversation/answer.ts";
import { isRecord, type JsonRecord } from "../../../lib/record.ts";
import type { ReplayMemory } from "../../protocol.ts";
import { recordsIn, textIn } from "./choice-parts.ts";

/** Thoughts longer than this (UTF-16 units) are shown but not remembered for later turns. */
const keptMax = 1024 * 1024;
const detailsMax = 256;

export interface ThoughtRules {
  /** The model's name as it was called. */
  readonly model: string;
  readonly memory: ReplayMemory | undefined;
}

/** The details to send back with a call's turn. */
export interface KeptDetails {
  readonly chat: readonly unknown[];
  readonly model: string;
}

/** Text that belongs to one signature, so far. */
interface Open {
  text: string;
  readonly first: JsonRecord;
}

const wordsIn = (entry: JsonRecord): string =>
  textIn(entry["text"]) || textIn(entry["thinking"]) || textIn(entry["summary"]);

/** Thoughts as plain text, beside the details. */
const plainIn = (holder: JsonRecord): string =>
  textIn(holder["reasoning_content"]) || textIn(holder["reasoning"]) || textIn(holder["thinking"]);

/** Joins the pieces of one text into one entry. */
function joinedTo(open: Open | undefined, text: string): string {
  if (open === undefined) return text;
  return text.startsWith(open.text) ? text : open.text + text;
}

export class ThoughtReader {
  readonly #sink: AnswerSink;
  readonly #choice: number;
  readonly #rules: ThoughtRules;
  readonly #open = new Map<unknown, Open>();
  /** Complete details since the last tool call, as received. */
  #details: JsonRecord[] = [];
  #kept = 0;
  #isTooLong = false;
  /** The last call and the details remembered with it. */
  #last: { readonly id: string; readonly details: readonly JsonRecord[] } | undefined;
  /** True when thoughts are also sent as plain text, which the details then repeat. */
  #hasPlain = false;

  constructor(sink: AnswerSink, choice: number, rules: ThoughtRules) {
    this.#sink = sink;
    this.#choice = choice;
    this.#rules = rules;
  }

  /** Reads a delta or message. `calls`: number of the choice's tool calls before it. */
  take(holder: JsonRecord, calls: number): void {
    const plain = plainIn(holder);
    if (plain !== "") {
      this.#hasPlain = true;
      this.#sink.reasoning(plain, this.#choice);
    }
    const { reasoning_details: details, thinking_blocks: blocks } = holder;
    if (details === undefined && blocks === undefined) return;
    for (const entry of recordsIn(details ?? blocks)) this.#takeDetail(entry, calls);
  }

  /** Reports thoughts among the parts of the content. */
  say(text: string): void {
    if (text !== "") this.#sink.reasoning(text, this.#choice);
  }

  /** A call was reported: the thoughts before it belong to it. */
  called(id: string): void {
    this.#closeAll();
    const details = this.#isTooLong ? [] : this.#details;
    if (details.length > 0) this.#remember(id, details);
    this.#last = { id, details };
    this.#details = [];
    this.#kept = 0;
    this.#isTooLong = false;
  }

  /** Ends the choice. Thoughts after the last call are remembered with that call. */
  end(): void {
    this.#closeAll();
    if (this.#last === undefined || this.#details.length === 0 || this.#isTooLong) return;
    this.#remember(this.#last.id, [...this.#last.details, ...this.#details]);
  }

  #remember(id: string, chat: readonly JsonRecord[]): void {
    const { memory, model } = this.#rules;
    const kept: KeptDetails = { chat, model };
    memory?.remember(id, JSON.stringify(kept));
  }

  #takeDetail(entry: JsonRecord, calls: number): void {
    const { type } = entry;
    const data = textIn(entry["data"]);
    if (type === "reasoning.encrypted" || type === "redacted_thinking") {
      if (data !== "") this.#opaque(entry, calls, { data });
      return;
    }
    const words = wordsIn(entry);
    if (words !== "" && !this.#hasPlain) this.#sink.reasoning(words, this.#choice);
    const key = entry["index"] ?? type;
    const open = this.#open.get(key);
    const text = joinedTo(open, words);
    const signature = textIn(entry["signature"]);
    if (signature === "") {
      if (text.length > keptMax) this.#isTooLong = true;
      else this.#open.set(key, { text, first: open?.first ?? entry });
      return;
    }
    this.#open.delete(key);
    if (!this.#isTooLong) this.#opaque({ ...open?.first, ...entry, text }, calls, { text, signature });
  }

  #opaque(
    entry: JsonRecord,
    calls: number,
    said: { readonly data: string } | { readonly text: string; readonly signature: string },
  ): void {
    const [format, model, id] = [entry["format"], entry["model"], entry["id"]].map(textIn);
    const callsBefore = placeOf(entry, calls);
    this.#sink.opaqueReasoning(
      {
        format: format || formatOf(entry),
        ...(model ? { model } : {}),
        ...(id ? { id } : {}),
        ...said,
        ...(callsBefore === 0 ? {} : { callsBefore }),
      },
      this.#choice,
    );
    this.#keep(entry);
  }

  #keep(entry: JsonRecord): void {
    this.#kept += textIn(entry["text"]).length + textIn(entry["data"]).length;
    if (this.#details.length >= detailsMax || this.#kept > keptMax) this.#isTooLong = true;
    else this.#details.push(entry);
  }

  /** Unsigned text is sent back as it is, beside the opaque data. */
  #closeAll(): void {
    for (const { text, first } of this.#open.values()) {
      if (text === "") continue;
      const isSummary = typeof first["summary"] === "string";
      this.#keep({ ...first, [isSummary ? "summary" : "text"]: text });
    }
    this.#open.clear();
  }
}

/** LiteLLM's blocks are Claude's and name no format. */
const formatOf = ({ type }: JsonRecord): string =>
  type === "thinking" || type === "redacted_thinking" ? "anthropic-claude-v1" : "unknown";

/** Plaza's details state the number of calls before them; others are placed where they occur. */
function placeOf({ calls_before: before }: JsonRecord, calls: number): number {
  return typeof before === "number" && Number.isInteger(before) && before >= 0 ? before : calls;
}

/** The details remembered for a call, if they are usable for this model; else empty. */
export function detailsIn(kept: unknown, model: string): readonly JsonRecord[] {
  if (!isRecord(kept) || kept["model"] !== model) return [];
  return recordsIn(kept["chat"]);
}
