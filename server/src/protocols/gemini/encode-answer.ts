/**
 * Writes an answer as Gemini's response objects (docs/wire/gemini.md section 13), whole or streamed by the
 * same code.
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
import type { Seal } from "../payloads/seal.ts";
import { Candidate } from "./answers/candidate.ts";
import { usageOnWire } from "./usage.ts";

/** Values an answer needs from the request. */
export interface AnswerHead {
  /** Sent as `responseId`. */
  readonly id: string;
  /** The upstream model's name, used when the answer names none. */
  readonly model: string;
  /** True when the caller asked for thoughts (`includeThoughts`); otherwise their text is left out. */
  readonly showsThoughts: boolean;
  readonly seal: Seal;
  /**
   * True for a stream: each text is an object of its own, as it came, also where several came in one read. By
   * these pieces tokens are estimated when the answer breaks off.
   */
  readonly isStreamed?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const finishReasons: Readonly<Record<EndReason, string>> = {
  stop: "STOP",
  tool_calls: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
};

/** Marks an object for the gateway only, which removes it before the caller. */
export const usageOnly = "usageOnly";

const nothing = Buffer.alloc(0);

export class ResponseWriter implements StreamSink {
  readonly #head: AnswerHead;
  readonly #candidates = new Map<number, Candidate>();
  #model: string;
  #usage: Usage | undefined;
  /** Events other than the answer's objects. */
  #aside = "";
  #hasWritten = false;
  #isClosed = false;

  constructor(head: AnswerHead) {
    this.#head = head;
    this.#model = head.model;
  }

  model(name: string): void {
    if (!this.#hasWritten) this.#model = name;
  }

  begin(choice = 0): void {
    this.#candidate(choice);
  }

  text(text: string, choice = 0): void {
    const candidate = this.#candidate(choice);
    if (this.#head.isStreamed === true && candidate.hasReady) this.#flush();
    candidate.text(text);
  }

  logprobs(tokens: readonly TokenLogprob[], choice = 0): void {
    this.#candidate(choice).tokens(tokens);
  }

  /** A refusal is ordinary text in this format. */
  refusal(text: string, choice = 0): void {
    this.#candidate(choice).text(text);
  }

  reasoning(text: string, choice = 0): void {
    if (!this.#head.showsThoughts) return;
    const candidate = this.#candidate(choice);
    if (this.#head.isStreamed === true && candidate.hasReady) this.#flush();
    candidate.thought(text);
  }

  opaqueReasoning(reasoning: OpaqueReasoning, choice = 0): void {
    this.#candidate(choice).opaque(reasoning);
  }

  toolCall(index: number, call: CallHead, choice = 0): void {
    this.#candidate(choice).call(index, call);
  }

  /** The call waits until it is complete. */
  toolArguments(index: number, fragment: string, choice = 0): void {
    this.#candidate(choice).fragment(index, fragment);
  }

  customCall(index: number, call: CallHead & { readonly input: string }, choice = 0): void {
    this.#candidate(choice).call(index, call, call.input);
  }

  image(mediaType: string, base64: string, choice = 0): void {
    this.#candidate(choice).image(mediaType, base64);
  }

  citation(citation: Citation, choice = 0): void {
    this.#candidate(choice).citation(citation);
  }

  finish(reason: EndReason, choice = 0): void {
    this.#candidate(choice).finish(reason);
  }

  usage(usage: Usage): void {
    this.#usage = usage;
  }

  /** Writes nothing: Google's older SDKs cannot read comments, and the gateway keeps the stream alive. */
  idle(): void {}

  reportUsage(): void {
    if (this.#isClosed || this.#usage === undefined) return;
    this.#flush();
    this.#aside += event(this.#response([], { [usageOnly]: true }));
  }

  /** Writes an error for `fault` to read. */
  error(json: string): void {
    if (this.#isClosed) return;
    this.#flush();
    this.#isClosed = true;
    this.#aside += `event: error\ndata: ${json.replace(/[\r\n]+/g, " ")}\n\n`;
  }

  /**
   * The finish reasons and the usage go in one object, which is written with the end itself. If the end is
   * cut off, the gateway still knows the usage.
   */
  conclude(): void {
    this.reportUsage();
  }

  /** Ends the answer. Without any finish reason no end is written. */
  close(): void {
    if (this.#isClosed || ![...this.#candidates.values()].some(({ reason }) => reason !== undefined)) return;
    this.#flush();
    this.#isClosed = true;
    this.#aside += event(this.#last());
  }

  /** Returns the events written since the last call and clears them. */
  take(): Buffer {
    if (!this.#isClosed) this.#flush();
    if (this.#aside === "") return nothing;
    const bytes = Buffer.from(this.#aside);
    this.#aside = "";
    return bytes;
  }

  /** The object of a whole answer; undefined when no candidate has ended. */
  build(): Buffer | undefined {
    const isOver = [...this.#candidates.values()].some(({ reason }) => reason !== undefined);
    return isOver ? Buffer.from(JSON.stringify(this.#last())) : undefined;
  }

  /** Writes the content since the last call as one object. */
  #flush(): void {
    const candidates: Fields[] = [];
    for (const [index, candidate] of this.#candidates) {
      const said = candidate.take();
      if (said !== undefined) candidates.push({ ...said, index });
    }
    if (candidates.length === 0) return;
    this.#hasWritten = true;
    this.#aside += event(this.#response(candidates));
  }

  /** The object with the finish reasons and the usage. A prompt without any output was blocked. */
  #last(): Fields {
    const all = [...this.#candidates];
    const isBlocked = all.every(([, { hasParts, reason }]) => !hasParts && reason === "content_filter");
    if (isBlocked) return this.#response(undefined, { promptFeedback: { blockReason: "SAFETY" } });
    const candidates = all.flatMap(([index, candidate]) => {
      const { reason } = candidate;
      if (reason === undefined) return [];
      candidate.close();
      const said = candidate.take() ?? { content: { parts: [], role: "model" } };
      const grounding = candidate.grounding();
      const sources = grounding === undefined ? {} : { groundingMetadata: grounding };
      return [{ ...said, finishReason: finishReasons[reason], index, ...sources }];
    });
    return this.#response(candidates);
  }

  #response(candidates: readonly Fields[] | undefined, more: Fields = {}): Fields {
    return {
      ...(candidates === undefined || candidates.length === 0 ? {} : { candidates }),
      ...more,
      ...(this.#usage === undefined ? {} : { usageMetadata: usageOnWire(this.#usage) }),
      modelVersion: this.#model,
      responseId: this.#head.id,
    };
  }

  #candidate(choice: number): Candidate {
    let candidate = this.#candidates.get(choice);
    if (candidate === undefined) {
      candidate = new Candidate(this.#head.seal);
      this.#candidates.set(choice, candidate);
    }
    return candidate;
  }
}

/** Uses Google's line ends. */
const event = (response: Fields): string => `data: ${JSON.stringify(response)}\r\n\r\n`;
