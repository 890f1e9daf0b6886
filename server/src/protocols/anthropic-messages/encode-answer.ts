/**
 * An answer's events → a message of Anthropic's, streamed and whole by the same steps
 * (docs/wire/anthropic-messages.md sections 3, 4 and 13): one block at a time, in the order they begin, each
 * with all of its events; then why it is over and what it used.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import type {
  CallHead,
  EndReason,
  OpaqueReasoning,
  StreamSink,
  TokenLogprob,
} from "../../conversation/answer.ts";
import type { Citation } from "../../conversation/blocks.ts";
import { BlockWriter, type Call } from "./message/blocks.ts";
import {
  isWhole,
  messageDelta,
  messageOnWire,
  messageStart,
  messageStop,
  ping,
  type Stop,
  stopOf,
} from "./message/events.ts";
import type { Seal } from "./thought-payload.ts";

/** Who answers, and how. */
export interface AnswerHead {
  /** Of the message, `msg_…`; ids of calls that have none are made from it. */
  readonly id: string;
  /** The model's name at the upstream, where the answer itself says none. */
  readonly model: string;
  /** Did the caller ask for thoughts? Others get none, but for what a tool's result has to bring back. */
  readonly showsThoughts: boolean;
  /** Are thoughts to be told without their words? */
  readonly hidesWords: boolean;
  readonly seal: Seal;
}

const refusalMax = 64 * 1024;

const nothing = Buffer.alloc(0);

const isClaude = ({ format }: OpaqueReasoning): boolean => format.startsWith("anthropic");

export class MessageWriter implements StreamSink {
  readonly #head: AnswerHead;
  readonly #isStream: boolean;
  readonly #idBase: string;
  readonly #blocks: BlockWriter;
  #model: string;
  readonly #calls = new Map<number, Call>();
  readonly #callIds = new Set<string>();
  /** Calls that began before the open one was over: blocks come one after another. */
  readonly #waiting: Call[] = [];
  /** Opaque reasoning that waits for the open text's end, or for a call to stand before. */
  #held: OpaqueReasoning[] = [];
  #refusal = "";
  #usage: Usage | undefined;
  #end: { readonly reason: EndReason; readonly stopText: string | undefined } | undefined;
  #hasBegun = false;
  #isConcluded = false;
  #isClosed = false;

  constructor(head: AnswerHead, isStream: boolean) {
    this.#head = head;
    this.#isStream = isStream;
    this.#blocks = new BlockWriter(isStream, head.seal);
    this.#model = head.model;
    this.#idBase = head.id.replace(/^[a-z]+_(?:req_)?/, "").replace(/[^\w-]/g, "_");
  }

  /** The events written since the last call. */
  take(): Buffer {
    if (this.#blocks.out === "") return nothing;
    const bytes = Buffer.from(this.#blocks.out);
    this.#blocks.out = "";
    return bytes;
  }

  /** The whole message; undefined when the answer has come to no end. */
  build(): Buffer | undefined {
    const stop = this.#stop();
    if (stop === undefined) return undefined;
    this.#closeAll();
    return Buffer.from(this.#message(stop, this.#usage));
  }

  model(name: string): void {
    if (!this.#hasBegun) this.#model = name;
  }

  begin(choice = 0, known?: Usage): void {
    if (this.#hasBegun || choice !== 0) return;
    this.#hasBegun = true;
    const prompt = known ?? this.#usage;
    const usage = prompt === undefined ? undefined : { ...prompt, output: 0, reasoning: 0 };
    this.#write(messageStart(this.#message(undefined, usage)));
  }

  text(text: string, choice = 0): void {
    if (text === "" || !this.#speaks(choice)) return;
    if (this.#blocks.openKind !== "text") {
      this.#closeAll();
      this.#blocks.beginText();
    }
    this.#blocks.text(text);
  }

  /** Nobody who speaks this format asks for them. */
  logprobs(_tokens: readonly TokenLogprob[], _choice = 0): void {}

  refusal(text: string, choice = 0): void {
    if (this.#speaks(choice) && this.#refusal.length < refusalMax) this.#refusal += text;
  }

  reasoning(text: string, choice = 0): void {
    if (text === "" || !this.#speaks(choice) || !this.#head.showsThoughts) return;
    if (this.#blocks.openKind !== "thinking") {
      this.#closeAll();
      this.#blocks.beginThinking();
    }
    if (!this.#head.hidesWords) this.#blocks.think(text);
  }

  opaqueReasoning(reasoning: OpaqueReasoning, choice = 0): void {
    if (!this.#speaks(choice)) return;
    this.#blocks.keep(reasoning.data ?? reasoning.text ?? "");
    // The signature of a part of the open text must not cut it in two.
    const isOfText = this.#blocks.openKind === "text" && reasoning.id !== undefined && !isClaude(reasoning);
    if (!this.#head.showsThoughts || isOfText) this.#held.push(reasoning);
    else this.#sayOpaque(reasoning, true);
  }

  toolCall(index: number, { id, name, signature }: CallHead, choice = 0): void {
    if (!this.#speaks(choice) || this.#calls.has(index)) return;
    const call: Call = { id: this.#callId(id), name, signature, json: "" };
    this.#calls.set(index, call);
    if (this.#blocks.openCall === undefined) this.#sayCall(call);
    else {
      this.#waiting.push(call);
      this.#advance();
    }
  }

  toolArguments(index: number, fragment: string, choice = 0): void {
    const call = this.#calls.get(index);
    if (fragment === "" || call === undefined || !this.#speaks(choice)) return;
    call.json += this.#blocks.keep(fragment);
    if (this.#blocks.openCall !== call) return;
    this.#blocks.fragment(fragment);
    if (this.#waiting.length > 0) this.#advance();
  }

  /** A custom tool's text, as the only field of an object. */
  customCall(index: number, head: CallHead & { readonly input: string }, choice = 0): void {
    this.toolCall(index, head, choice);
    this.toolArguments(index, JSON.stringify({ input: head.input }), choice);
  }

  /** Messages have no place for an image but a text. */
  image(mediaType: string, base64: string, choice = 0): void {
    this.text(`![image](data:${mediaType};base64,${base64})`, choice);
  }

  citation(citation: Citation, choice = 0): void {
    if (this.#speaks(choice)) this.#blocks.citation(citation);
  }

  finish(reason: EndReason, choice = 0, stopText?: string): void {
    if (choice !== 0 || this.#isConcluded) return;
    this.begin();
    this.#end = { reason, stopText };
  }

  usage(usage: Usage): void {
    this.#usage = usage;
  }

  /** Of an answer without an end: what is known by now, in an event that says no end. */
  reportUsage(): void {
    if (this.#isClosed || this.#usage === undefined || !this.#hasBegun) return;
    this.#write(messageDelta(this.#isConcluded ? this.#stop() : undefined, this.#usage));
  }

  idle(): void {
    if (this.#hasBegun && !this.#isClosed) this.#write(ping);
  }

  /** For `fault` to read. */
  error(json: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#write(`event: error\ndata: ${json.replace(/[\r\n]+/g, " ")}\n\n`);
  }

  conclude(): void {
    const stop = this.#stop();
    if (this.#isClosed || this.#isConcluded || stop === undefined) return;
    this.#closeAll();
    this.#isConcluded = true;
    this.#write(messageDelta(stop, this.#usage));
  }

  /** The end. Without a finish none is claimed. */
  close(): void {
    if (this.#isClosed || this.#end === undefined) return;
    this.conclude();
    this.#isClosed = true;
    this.#write(messageStop);
  }

  #write(event: string): void {
    if (this.#isStream) this.#blocks.out += event;
  }

  /** Is this to be said? There is one choice. */
  #speaks(choice: number): boolean {
    if (choice !== 0 || this.#isClosed || this.#isConcluded) return false;
    if (!this.#hasBegun) this.begin();
    return true;
  }

  #stop(): Stop | undefined {
    if (this.#end === undefined) return undefined;
    return stopOf({ ...this.#end, hasCalls: this.#calls.size > 0, refusal: this.#refusal });
  }

  #message(stop: Stop | undefined, usage: Usage | undefined): string {
    const { content } = this.#blocks;
    return messageOnWire({ id: this.#head.id, model: this.#model, content, stop, usage });
  }

  /** Ids go back and forth as they are, where this format takes them. */
  #callId(given: string): string {
    const isFree = /^[\w-]{1,256}$/.test(given) && !this.#callIds.has(given);
    const id = isFree ? given : `toolu_${this.#idBase}_${this.#callIds.size}`;
    this.#callIds.add(id);
    return id;
  }

  /** What its vendor wants to see again with a call stands in a thinking block before it. */
  #sayCall(call: Call): void {
    const blocks = this.#blocks;
    if (blocks.openKind !== "thinking") blocks.close();
    this.#sayHeld();
    if (call.signature !== undefined) {
      if (blocks.openKind !== "thinking") blocks.beginThinking();
      blocks.keepPart({ call: call.id, data: call.signature });
    }
    blocks.close();
    blocks.beginCall(call);
  }

  /** The next call that waits, once the open one is whole. */
  #advance(): void {
    let open = this.#blocks.openCall;
    while (open !== undefined && isWhole(open.json)) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#sayCall(next);
      open = this.#blocks.openCall;
    }
  }

  #sayHeld(): void {
    const held = this.#held;
    this.#held = [];
    for (const reasoning of held) this.#sayOpaque(reasoning, false);
  }

  /** `isSaid`: the words it vouches for were said before. */
  #sayOpaque(reasoning: OpaqueReasoning, isSaid: boolean): void {
    const { callsBefore: _, ...part } = reasoning;
    const { text = "", signature, data } = part;
    const blocks = this.#blocks;
    if (isClaude(reasoning) && signature === undefined) {
      blocks.close();
      if (data !== undefined) blocks.redacted(data);
      return;
    }
    if (blocks.openKind !== "thinking") {
      blocks.close();
      blocks.beginThinking();
    }
    // A signature vouches for its words: where they are not to be told, both travel unseen.
    if (signature === undefined || !isClaude(reasoning) || (this.#head.hidesWords && text !== ""))
      blocks.keepPart(part);
    else {
      if (!isSaid && text !== "") blocks.think(text);
      blocks.sign(signature);
    }
  }

  /** What is open, the calls that wait, and what was held for the end of a text. */
  #closeAll(): void {
    this.#blocks.close();
    for (const call of this.#waiting.splice(0)) {
      this.#sayCall(call);
      this.#blocks.close();
    }
    if (this.#head.showsThoughts) this.#sayHeld();
    this.#blocks.close();
  }
}
