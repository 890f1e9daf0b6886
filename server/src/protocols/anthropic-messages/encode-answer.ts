/**
 * An answer's events → an Anthropic message, streamed or whole by the same code
 * (docs/wire/anthropic-messages.md sections 3, 4 and 13). Blocks are written one at a time, in the order they
 * begin, each with all of its events; then the finish reason and the usage.
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
import { imageText } from "../made-images.ts";
import type { Seal } from "../payloads/seal.ts";
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

/** Values an answer needs from the request. */
export interface AnswerHead {
  /** The message's id, `msg_…`. Calls without an id get one derived from it. */
  readonly id: string;
  /** The upstream model's name, used when the answer names none. */
  readonly model: string;
  /**
   * True when the caller asked for thoughts. Others get only the opaque parts that must come back with tool
   * results.
   */
  readonly showsThoughts: boolean;
  /** True when thoughts are sent without their text. */
  readonly hidesWords: boolean;
  readonly seal: Seal;
  /** Tokens the prompt probably has, for the start of a stream whose upstream says it at the end only. */
  readonly promptTokens: number;
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
  /** Calls that began before the open block ended; blocks are written one after another. */
  readonly #waiting: Call[] = [];
  /** Opaque reasoning that waits for the block it precedes; at the end of the message it is not needed. */
  #held: OpaqueReasoning[] = [];
  #refusal = "";
  /** True when the last text block is an image, to which no text is added. */
  #isImage = false;
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

  /** Returns the events written since the last call and clears them. */
  take(): Buffer {
    if (this.#blocks.out === "") return nothing;
    const bytes = Buffer.from(this.#blocks.out);
    this.#blocks.out = "";
    return bytes;
  }

  /** The whole message; undefined when the answer has not ended. */
  build(): Buffer | undefined {
    const stop = this.#stop();
    if (stop === undefined) return undefined;
    this.#closeLast();
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
    this.#write(messageStart(this.#message(undefined, usage, this.#head.promptTokens)));
  }

  text(text: string, choice = 0): void {
    if (text === "" || !this.#speaks(choice)) return;
    if (this.#blocks.openKind !== "text" || this.#isImage) {
      this.#closeAll();
      this.#blocks.beginText();
      this.#isImage = false;
    }
    this.#blocks.text(text);
  }

  /** Not part of this format. */
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
    // What belongs to something said before must not split it, nor stand after the last block: programs read
    // the last block as the result.
    const { openKind } = this.#blocks;
    const isOfSaid = openKind === "text" || (openKind === "call" && reasoning.callsBefore === undefined);
    if (!this.#head.showsThoughts || (isOfSaid && !isClaude(reasoning))) this.#held.push(reasoning);
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

  /** A custom tool's text becomes the only member of the arguments object. */
  customCall(index: number, head: CallHead & { readonly input: string }, choice = 0): void {
    this.toolCall(index, head, choice);
    this.toolArguments(index, JSON.stringify({ input: head.input }), choice);
  }

  /** Messages have no block for generated images, so each becomes a text block, which comes back as one. */
  image(mediaType: string, base64: string, choice = 0): void {
    if (!this.#speaks(choice)) return;
    this.#closeAll();
    this.#blocks.beginText();
    this.#blocks.text(imageText(mediaType, base64));
    this.#isImage = true;
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

  /** For an answer without an end: writes the usage known so far, in an event that states no end. */
  reportUsage(): void {
    if (this.#isClosed || this.#usage === undefined || !this.#hasBegun) return;
    this.#write(messageDelta(this.#isConcluded ? this.#stop() : undefined, this.#usage));
  }

  idle(): void {
    if (this.#hasBegun && !this.#isClosed) this.#write(ping);
  }

  /** Writes an error for `fault` to read. */
  error(json: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#write(`event: error\ndata: ${json.replace(/[\r\n]+/g, " ")}\n\n`);
  }

  conclude(): void {
    const stop = this.#stop();
    if (this.#isClosed || this.#isConcluded || stop === undefined) return;
    this.#closeLast();
    this.#isConcluded = true;
    this.#write(messageDelta(stop, this.#usage));
  }

  /** Ends the message. Without a finish reason no end is written. */
  close(): void {
    if (this.#isClosed || this.#end === undefined) return;
    this.conclude();
    this.#isClosed = true;
    this.#write(messageStop);
  }

  #write(event: string): void {
    if (this.#isStream) this.#blocks.out += event;
  }

  /** True for choice 0, the only one this format has. */
  #speaks(choice: number): boolean {
    if (choice !== 0 || this.#isClosed || this.#isConcluded) return false;
    if (!this.#hasBegun) this.begin();
    return true;
  }

  #stop(): Stop | undefined {
    if (this.#end === undefined) return undefined;
    return stopOf({ ...this.#end, hasCalls: this.#calls.size > 0, refusal: this.#refusal });
  }

  #message(stop: Stop | undefined, usage: Usage | undefined, promptTokens = 0): string {
    const { content } = this.#blocks;
    return messageOnWire({ id: this.#head.id, model: this.#model, content, stop, usage, promptTokens });
  }

  /** Keeps an id unless this format does not allow it. */
  #callId(given: string): string {
    const isFree = /^[\w-]{1,256}$/.test(given) && !this.#callIds.has(given);
    const id = isFree ? given : `toolu_${this.#idBase}_${this.#callIds.size}`;
    this.#callIds.add(id);
    return id;
  }

  /** Writes the data its vendor needs back with a call as a thinking block before the call. */
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

  /** Starts the next waiting call when the open one is complete. */
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

  /** Writes opaque reasoning. `isSaid`: the text it signs was already written. */
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
    // A signature covers its text. When the text must stay hidden, both are sent as an opaque payload.
    if (signature === undefined || !isClaude(reasoning) || (this.#head.hidesWords && text !== ""))
      blocks.keepPart(part);
    else {
      if (!isSaid && text !== "") blocks.think(text);
      blocks.sign(signature);
    }
  }

  /** Closes the open block and writes the waiting calls. */
  #closeLast(): void {
    this.#blocks.close();
    for (const call of this.#waiting.splice(0)) {
      this.#sayCall(call);
      this.#blocks.close();
    }
  }

  /** The same where another block follows, after what was held. */
  #closeAll(): void {
    this.#closeLast();
    if (this.#head.showsThoughts) this.#sayHeld();
    this.#blocks.close();
  }
}
