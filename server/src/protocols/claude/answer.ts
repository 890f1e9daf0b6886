/**
 * Reports the pieces of a Claude message to a sink (docs/wire/anthropic-messages.md sections 3, 4 and 8), for
 * streams and whole answers alike. Knows neither events nor transport.
 */
import type { AnswerSink, EndReason } from "../../conversation/answer.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import type { ReplayMemory } from "../protocol.ts";
import { Fence } from "./fence.ts";
import { opaqueOf, rememberThoughts, type ThoughtBlock } from "./thoughts.ts";

/** What the request says about reading its answer. */
export interface AnswerRules {
  /** The model's name as it was called. */
  readonly model: string;
  /** Tools whose only argument is plain text. */
  readonly customTools: ReadonlySet<string>;
  /** The tool whose arguments are the answer. */
  readonly answerTool: string | undefined;
  /** True when a code fence around the answer has to be removed. */
  readonly isUnfenced: boolean;
  readonly memory: ReplayMemory | undefined;
  /** Calls without an id of their own get one derived from this. */
  readonly answerId: string;
}

/** The names of a conversation's custom tools. */
export const customToolsOf = ({ toolUse }: Conversation): ReadonlySet<string> =>
  new Set(toolUse.tools.filter(({ isCustom }) => isCustom).map(({ name }) => name));

const finishReasons: Readonly<Record<string, EndReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};

/** Thoughts longer than this (UTF-16 units) are shown but not remembered for later turns. */
const keptMax = 1024 * 1024;
/** Longest plain text of a custom tool. */
const customMax = 16 * 1024 * 1024;

/** An open content block. */
type Open =
  | { readonly kind: "text" | "ignored" }
  | { readonly kind: "thinking"; text: string; signature: string; isTooLong: boolean }
  | { readonly kind: "answer" | "call"; readonly index: number; readonly input: unknown; hasWritten: boolean }
  | {
      readonly kind: "custom";
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      json: string;
    };

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export class ClaudeAnswer {
  readonly #sink: AnswerSink;
  readonly #rules: AnswerRules;
  readonly #fence: Fence | undefined;
  /** Open blocks by their index in the message. */
  readonly #open = new Map<number, Open>();
  /** Thoughts since the last tool call. */
  #thoughts: ThoughtBlock[] = [];
  #thoughtsLength = 0;
  #calls = 0;
  readonly #callIds = new Set<string>();
  #hasAnswerTool = false;
  #hasText = false;
  /** Text beside a tool whose arguments are the answer; shown only if the tool is not called. */
  #aside = "";

  constructor(sink: AnswerSink, rules: AnswerRules) {
    this.#sink = sink;
    this.#rules = rules;
    this.#fence = rules.isUnfenced ? new Fence() : undefined;
  }

  /** Begins a content block. `block`: its first state, which in a whole message is all of it. */
  begin(place: number, block: JsonRecord): void {
    switch (block["type"]) {
      case "text":
        this.#open.set(place, { kind: "text" });
        this.#text(textOf(block["text"]));
        break;
      case "thinking": {
        const open: Open = {
          kind: "thinking",
          text: "",
          signature: textOf(block["signature"]),
          isTooLong: false,
        };
        this.#open.set(place, open);
        this.#think(open, textOf(block["thinking"]));
        break;
      }
      case "redacted_thinking":
        this.#keep({ type: "redacted_thinking", data: textOf(block["data"]) });
        break;
      case "tool_use":
        this.#open.set(place, this.#beginTool(block));
        break;
      default:
        // Server tools and unknown kinds: a chat answer has no place for them.
        this.#open.set(place, { kind: "ignored" });
    }
  }

  /** Adds a piece of a block; unknown kinds are ignored. */
  add(place: number, delta: JsonRecord): void {
    const open = this.#open.get(place);
    switch (delta["type"]) {
      case "text_delta":
        if (open?.kind !== "ignored") this.#text(textOf(delta["text"]));
        break;
      case "thinking_delta":
        if (open?.kind === "thinking") this.#think(open, textOf(delta["thinking"]));
        // Some servers put thoughts into a block of text.
        else if (open?.kind === "text") this.#sink.reasoning(textOf(delta["thinking"]));
        break;
      case "signature_delta":
        if (open?.kind === "thinking") open.signature += textOf(delta["signature"]);
        break;
      case "input_json_delta":
        if (open !== undefined) this.#input(open, textOf(delta["partial_json"]));
        break;
      default:
    }
  }

  /** Ends a block. */
  end(place: number): void {
    const open = this.#open.get(place);
    this.#open.delete(place);
    if (open === undefined) return;
    if (open.kind === "thinking" && !open.isTooLong && open.signature !== "") {
      this.#keep({ type: "thinking", thinking: open.text, signature: open.signature });
    } else if (open.kind === "call" || open.kind === "answer") {
      if (!open.hasWritten) this.#input(open, JSON.stringify(open.input));
    } else if (open.kind === "custom") this.#endCustom(open);
  }

  /** Reports why the message ended. `details`: `stop_details`. `sequence`: `stop_sequence`. */
  finish(reason: string, details: unknown, sequence?: unknown): void {
    for (const place of [...this.#open.keys()]) this.end(place);
    if (!this.#hasAnswerTool) this.#emit(this.#aside);
    this.#emit(this.#fence?.end() ?? "");
    let finishReason = (Object.hasOwn(finishReasons, reason) ? finishReasons[reason] : undefined) ?? "stop";
    if (finishReason === "tool_calls" && this.#calls === 0) finishReason = "stop";
    if (finishReason === "stop" && this.#calls > 0) finishReason = "tool_calls";
    if (finishReason === "content_filter" && !this.#hasText) {
      this.#sink.refusal(textOf(recordOf(details)["explanation"]));
    }
    const stopText = reason === "stop_sequence" && typeof sequence === "string" ? sequence : undefined;
    if (stopText === undefined) this.#sink.finish(finishReason);
    else this.#sink.finish(finishReason, 0, stopText);
  }

  #text(text: string): void {
    if (this.#rules.answerTool === undefined)
      this.#emit(this.#fence === undefined ? text : this.#fence.push(text));
    else if (this.#aside.length < keptMax) this.#aside += text;
  }

  #emit(text: string): void {
    if (text === "") return;
    this.#hasText = true;
    this.#sink.text(text);
  }

  #think(open: Open & { kind: "thinking" }, text: string): void {
    this.#sink.reasoning(text);
    if (this.#thoughtsLength + open.text.length + text.length > keptMax) open.isTooLong = true;
    else open.text += text;
  }

  #keep(block: ThoughtBlock): void {
    this.#sink.opaqueReasoning(opaqueOf(block, this.#rules.model, this.#calls));
    this.#thoughtsLength += block.type === "thinking" ? block.thinking.length : block.data.length;
    if (this.#thoughtsLength <= keptMax) this.#thoughts.push(block);
  }

  #beginTool({ id, name, input }: JsonRecord): Open {
    const called = textOf(name);
    if (called === this.#rules.answerTool) {
      this.#hasAnswerTool = true;
      return { kind: "answer", index: 0, input: input ?? {}, hasWritten: false };
    }
    const index = this.#calls;
    this.#calls += 1;
    const callId = this.#callId(textOf(id));
    rememberThoughts(this.#rules.memory, callId, this.#rules.model, this.#thoughts);
    this.#thoughts = [];
    if (this.#rules.customTools.has(called))
      return { kind: "custom", index, id: callId, name: called, input, json: "" };
    this.#sink.toolCall(index, { id: callId, name: called });
    return { kind: "call", index, input: input ?? {}, hasWritten: false };
  }

  /** An id that no other call has: what is remembered of a call is found by it. */
  #callId(given: string): string {
    const isFree = given !== "" && !this.#callIds.has(given);
    const base = this.#rules.answerId.replace(/^[a-z]+[-_](?:req_)?/, "");
    const id = isFree ? given : `call_${base}_${this.#callIds.size}`;
    this.#callIds.add(id);
    return id;
  }

  #input(open: Open, fragment: string): void {
    if (fragment === "") return;
    if (open.kind === "custom") {
      open.json += fragment;
      if (open.json.length > customMax) throw new Error("the input of a custom tool is too long");
    }
    if (open.kind !== "call" && open.kind !== "answer") return;
    open.hasWritten = true;
    if (open.kind === "answer") this.#emit(fragment);
    else this.#sink.toolArguments(open.index, fragment);
  }

  /** Reports a custom tool's call as a whole, because its text must be extracted from the JSON around it. */
  #endCustom({ index, id, name, input, json }: Open & { kind: "custom" }): void {
    const given = json === "" ? input : parseJson(json);
    const text = isRecord(given) && typeof given["input"] === "string" ? given["input"] : json;
    this.#sink.customCall(index, { id, name, input: text });
  }
}
