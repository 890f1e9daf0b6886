/**
 * Writes a streamed answer as OpenAI's chunks. Everything reported since the last `take` is returned as whole
 * events.
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
import {
  type AnswerHead,
  callOnWire,
  citationOnWire,
  customCallOnWire,
  type Fields,
  finishOnWire,
  imageOnWire,
  logprobOnWire,
  reasoningOnWire,
  usageOnWire,
} from "./encode-answer.ts";

const nothing = Buffer.alloc(0);

/** The start of every chunk. */
function beforeChoices({ id, createdSeconds, model }: AnswerHead): string {
  const head = { id, object: "chat.completion.chunk", created: createdSeconds, model };
  return `data: ${JSON.stringify(head).slice(0, -1)},"choices":[`;
}

export class ChunkWriter implements StreamSink {
  #before: string;
  readonly #head: AnswerHead;
  readonly #begun = new Set<number>();
  readonly #finishes = new Map<number, EndReason>();
  /** Token probabilities that wait for their text, by choice. */
  readonly #tokens = new Map<number, Fields[]>();
  #usage: Usage | undefined;
  #out = "";
  /** True once something was written. The model's name is fixed from then on. */
  #hasBegun = false;
  #isConcluded = false;
  #isClosed = false;

  constructor(head: AnswerHead) {
    this.#head = head;
    this.#before = beforeChoices(head);
  }

  model(name: string): void {
    if (!this.#hasBegun) this.#before = beforeChoices({ ...this.#head, model: name });
  }

  /** Returns the chunks written since the last call and clears them. */
  take(): Buffer {
    if (this.#out === "") return nothing;
    const bytes = Buffer.from(this.#out);
    this.#out = "";
    return bytes;
  }

  /** Writes the role chunk of a choice, if nothing was written for it yet. */
  begin(choice = 0): void {
    if (this.#begun.has(choice)) return;
    this.#begun.add(choice);
    this.#chunk('{"role":"assistant","content":""}', choice);
  }

  text(text: string, choice = 0): void {
    if (text !== "") this.#delta({ content: text }, choice, this.#logprobs(choice));
  }

  logprobs(tokens: readonly TokenLogprob[], choice = 0): void {
    if (tokens.length === 0) return;
    this.#tokens.set(choice, [...(this.#tokens.get(choice) ?? []), ...tokens.map(logprobOnWire)]);
  }

  refusal(text: string, choice = 0): void {
    if (text !== "") this.#delta({ refusal: text }, choice);
  }

  reasoning(text: string, choice = 0): void {
    if (text !== "") this.#delta({ reasoning_content: text }, choice);
  }

  opaqueReasoning(reasoning: OpaqueReasoning, choice = 0): void {
    this.#delta({ reasoning_details: [reasoningOnWire(reasoning)] }, choice);
  }

  toolCall(index: number, call: CallHead, choice = 0): void {
    if (this.#head.isLegacy) this.#legacyCall(index, call, choice);
    else this.#delta({ tool_calls: [{ index, ...callOnWire(call, "") }] }, choice);
  }

  customCall(index: number, call: CallHead & { readonly input: string }, choice = 0): void {
    if (this.#head.isLegacy) this.#legacyCall(index, call, choice);
    else this.#delta({ tool_calls: [{ index, ...customCallOnWire(call) }] }, choice);
  }

  toolArguments(index: number, fragment: string, choice = 0): void {
    if (fragment === "") return;
    if (!this.#head.isLegacy)
      this.#delta({ tool_calls: [{ index, function: { arguments: fragment } }] }, choice);
    else if (index === 0) this.#delta({ function_call: { arguments: fragment } }, choice);
  }

  image(mediaType: string, base64: string, choice = 0): void {
    this.#delta({ images: [imageOnWire(mediaType, base64)] }, choice);
  }

  citation(citation: Citation, choice = 0): void {
    this.#delta({ annotations: [citationOnWire(citation)] }, choice);
  }

  finish(reason: EndReason, choice = 0): void {
    this.begin(choice);
    this.#finishes.set(choice, reason);
  }

  usage(usage: Usage): void {
    this.#usage = usage;
  }

  reportUsage(): void {
    if (this.#isClosed || this.#usage === undefined) return;
    this.#out += this.#usageChunk(this.#usage);
  }

  /** Writes a comment. */
  idle(): void {
    this.#hasBegun = true;
    this.#out += ": \n\n";
  }

  /** Writes an error for `fault` to read. */
  error(json: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#out += `event: error\ndata: ${json.replace(/[\r\n]+/g, " ")}\n\n`;
  }

  /** Writes the finish reasons and usage early, so that they are known even if the end is cut off. */
  conclude(): void {
    if (this.#isClosed || this.#isConcluded || this.#finishes.size === 0) return;
    this.#isConcluded = true;
    for (const [choice, reason] of this.#finishes) {
      this.#out += `${this.#before}{"index":${choice},"delta":{},"logprobs":${this.#logprobs(choice)},"finish_reason":"${finishOnWire(reason, this.#head)}"}]}\n\n`;
    }
    if (this.#usage !== undefined) this.#out += this.#usageChunk(this.#usage);
  }

  /** Writes finish reasons, usage and terminal marker. Without any finish reason no end is written. */
  close(): void {
    if (this.#isClosed || this.#finishes.size === 0) return;
    this.conclude();
    this.#isClosed = true;
    this.#out += "data: [DONE]\n\n";
  }

  /** The old `function_call` can hold only one call. */
  #legacyCall(index: number, { name }: CallHead, choice: number): void {
    if (index === 0) this.#delta({ function_call: { name, arguments: "" } }, choice);
  }

  #usageChunk(usage: Usage): string {
    return `${this.#before}],"usage":${JSON.stringify(usageOnWire(usage))}}\n\n`;
  }

  /** A choice's waiting token probabilities as JSON. */
  #logprobs(choice: number): string {
    const content = this.#tokens.get(choice);
    this.#tokens.delete(choice);
    return content === undefined ? "null" : JSON.stringify({ content, refusal: null });
  }

  #delta(delta: Fields, choice: number, logprobs = "null"): void {
    this.begin(choice);
    this.#chunk(JSON.stringify(delta), choice, logprobs);
  }

  #chunk(delta: string, choice: number, logprobs = "null"): void {
    if (this.#isClosed) return;
    this.#hasBegun = true;
    this.#out += `${this.#before}{"index":${choice},"delta":${delta},"logprobs":${logprobs},"finish_reason":null}]}\n\n`;
  }
}
