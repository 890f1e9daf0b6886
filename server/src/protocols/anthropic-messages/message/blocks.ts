/**
 * Writes the blocks of a message one after another (docs/wire/anthropic-messages.md sections 3 and 4), as
 * stream events or as the JSON of a whole message. The caller of this class decides the order of the blocks.
 */
import type { Citation } from "../../../conversation/blocks.ts";
import { messagesPayloads } from "../../payloads/marks.ts";
import type { PayloadPart } from "../../payloads/payload.ts";
import type { Seal } from "../../payloads/seal.ts";
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

/** Most characters of an answer kept in memory: a whole answer, or calls that wait for their turn. */
const keptMax = 32 * 1024 * 1024;

/** A tool call. `json`: its arguments received so far. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly signature: string | undefined;
  json: string;
}

/** The open block. `delta`: the start of its delta events. */
type Open =
  | { readonly kind: "text"; readonly delta: string; text: string; readonly citations: string[] }
  | { readonly kind: "thinking"; readonly delta: string; text: string; readonly parts: PayloadPart[] }
  | { readonly kind: "call"; readonly delta: string; readonly call: Call };

export class BlockWriter {
  /** Events not yet taken. */
  out = "";
  /** The JSON of each finished block, for a whole message. */
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

  /** The open call. */
  get openCall(): Call | undefined {
    return this.#open?.kind === "call" ? this.#open.call : undefined;
  }

  /** Counts kept characters. Throws when the answer exceeds `keptMax`. */
  keep(text: string): string {
    this.#kept += text.length;
    if (this.#kept > keptMax) throw new Error("the answer is too long to be kept");
    return text;
  }

  /** Writes text to the open text block, or opens one. */
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

  /** Writes thoughts to the open thinking block, or opens one. */
  think(text: string): void {
    const open = this.#open;
    if (open?.kind !== "thinking") return;
    if (this.#isStream) this.out += open.delta + JSON.stringify(text) + deltaEnd;
    else open.text += this.keep(text);
  }

  /** Keeps an opaque part for the signature of the open thinking block. */
  keepPart(part: PayloadPart): void {
    if (this.#open?.kind === "thinking") this.#open.parts.push(part);
  }

  /** Ends the open thinking block with a signature. */
  sign(signature: string): void {
    const open = this.#open;
    if (open?.kind !== "thinking") return;
    this.#open = undefined;
    if (this.#isStream)
      this.out +=
        deltaBefore(this.#blocks - 1, "signature_delta", "signature") + JSON.stringify(signature) + deltaEnd;
    this.#stop(() => thinkingOnWire(open.text, signature));
  }

  /** Writes a complete block of hidden thoughts. */
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

  /** Writes a fragment of the open call's arguments. */
  fragment(json: string): void {
    if (this.#isStream && this.#open?.kind === "call")
      this.out += this.#open.delta + JSON.stringify(json) + deltaEnd;
  }

  /** Ends the open block, if there is one. */
  close(): void {
    const open = this.#open;
    if (open?.kind === "thinking") {
      this.sign(messagesPayloads.write(open.parts, this.#seal) ?? "");
      return;
    }
    this.#open = undefined;
    if (open?.kind === "text") this.#stop(() => textOnWire(open.text, open.citations));
    else if (open !== undefined)
      this.#stop(() => toolUseOnWire(open.call.id, open.call.name, open.call.json));
  }

  /** Begins a block and returns its index. */
  #start(block: string): number {
    if (this.#isStream) this.out += blockStart(this.#blocks, block);
    this.#blocks += 1;
    return this.#blocks - 1;
  }

  /** Ends a block. `block`: returns its JSON, called only when it is needed. */
  #stop(block: () => string): void {
    if (this.#isStream) this.out += blockStop(this.#blocks - 1);
    else this.content.push(block());
  }
}
