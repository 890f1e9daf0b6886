/**
 * The blocks of a message while they are said, one after another (docs/wire/anthropic-messages.md sections 3
 * and 4): as events of a stream, or kept as the JSON of a whole message. Knows no order but that one: which
 * block comes when is the writer's.
 */
import type { Citation } from "../../../conversation/blocks.ts";
import { type Seal, type ThoughtPart, writePayload } from "../thought-payload.ts";
import {
  blockStart,
  blockStop,
  citationOnWire,
  deltaBefore,
  deltaEnd,
  redactedOnWire,
  textOnWire,
  thinkingOnWire,
  toolUseOnWire,
} from "./events.ts";

/** Characters of an answer that are kept: of a whole one, and of calls that wait for their turn. */
const keptMax = 32 * 1024 * 1024;

/** A tool call. `json`: of its arguments, as far as they came. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly signature: string | undefined;
  json: string;
}

/** The block that is being said. `delta`: what its deltas begin with. */
type Open =
  | { readonly kind: "text"; readonly delta: string; text: string; readonly citations: string[] }
  | { readonly kind: "thinking"; readonly delta: string; text: string; readonly parts: ThoughtPart[] }
  | { readonly kind: "call"; readonly delta: string; readonly call: Call };

export class BlockWriter {
  /** Events written, to be taken. */
  out = "";
  /** Of a whole message: the JSON of its blocks. */
  readonly content: string[] = [];
  readonly #isStream: boolean;
  readonly #seal: Seal;
  #open: Open | undefined;
  #blocks = 0;
  #kept = 0;

  constructor(isStream: boolean, seal: Seal) {
    this.#isStream = isStream;
    this.#seal = seal;
  }

  get openKind(): Open["kind"] | undefined {
    return this.#open?.kind;
  }

  /** The call that is being said. */
  get openCall(): Call | undefined {
    return this.#open?.kind === "call" ? this.#open.call : undefined;
  }

  /** Counts what is kept. Throws where an answer is longer than anybody reads. */
  keep(text: string): string {
    this.#kept += text.length;
    if (this.#kept > keptMax) throw new Error("the answer is too long to be kept");
    return text;
  }

  /** Words, in the open text. */
  text(text: string): void {
    const open = this.#open;
    if (open?.kind !== "text") return;
    if (this.#isStream) this.out += open.delta + JSON.stringify(text) + deltaEnd;
    else open.text += this.keep(text);
  }

  citation(citation: Citation): void {
    const open = this.#open;
    if (open?.kind !== "text") return;
    const onWire = citationOnWire(citation);
    if (this.#isStream)
      this.out += deltaBefore(this.#blocks - 1, "citations_delta", "citation") + onWire + deltaEnd;
    else open.citations.push(this.keep(onWire));
  }

  beginText(): void {
    const delta = deltaBefore(this.#start(textOnWire("", [])), "text_delta", "text");
    this.#open = { kind: "text", delta, text: "", citations: [] };
  }

  beginThinking(): void {
    const delta = deltaBefore(this.#start(thinkingOnWire("", "")), "thinking_delta", "thinking");
    this.#open = { kind: "thinking", delta, text: "", parts: [] };
  }

  /** Thoughts in words, in the open thinking. */
  think(text: string): void {
    const open = this.#open;
    if (open?.kind !== "thinking") return;
    if (this.#isStream) this.out += open.delta + JSON.stringify(text) + deltaEnd;
    else open.text += this.keep(text);
  }

  /** An opaque piece, for the open thinking's signature. */
  keepPart(part: ThoughtPart): void {
    if (this.#open?.kind === "thinking") this.#open.parts.push(part);
  }

  /** Ends the open thinking with a signature. */
  sign(signature: string): void {
    const open = this.#open;
    if (open?.kind !== "thinking") return;
    this.#open = undefined;
    if (this.#isStream)
      this.out +=
        deltaBefore(this.#blocks - 1, "signature_delta", "signature") + JSON.stringify(signature) + deltaEnd;
    this.#stop(() => thinkingOnWire(open.text, signature));
  }

  /** A whole block of hidden thoughts. */
  redacted(data: string): void {
    const block = redactedOnWire(data);
    this.#start(block);
    this.#stop(() => block);
  }

  beginCall(call: Call): void {
    const index = this.#start(toolUseOnWire(call.id, call.name, ""));
    this.#open = { kind: "call", call, delta: deltaBefore(index, "input_json_delta", "partial_json") };
    if (call.json !== "") this.fragment(call.json);
  }

  /** A piece of the open call's arguments. */
  fragment(json: string): void {
    if (this.#isStream && this.#open?.kind === "call")
      this.out += this.#open.delta + JSON.stringify(json) + deltaEnd;
  }

  /** Ends the open block, where there is one. */
  close(): void {
    const open = this.#open;
    if (open?.kind === "thinking") {
      this.sign(writePayload(open.parts, this.#seal));
      return;
    }
    this.#open = undefined;
    if (open?.kind === "text") this.#stop(() => textOnWire(open.text, open.citations));
    else if (open !== undefined)
      this.#stop(() => toolUseOnWire(open.call.id, open.call.name, open.call.json));
  }

  /** Begins a block; its number. */
  #start(block: string): number {
    if (this.#isStream) this.out += blockStart(this.#blocks, block);
    this.#blocks += 1;
    return this.#blocks - 1;
  }

  /** Ends a block. `block`: all of it, where that is wanted. */
  #stop(block: () => string): void {
    if (this.#isStream) this.out += blockStop(this.#blocks - 1);
    else this.content.push(block());
  }
}
