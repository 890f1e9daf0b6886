/** A streamed answer in OpenAI's chunks. What was said since the last `take` comes out as whole events. */
import type { Usage } from "@plaza/contract/usage.ts";
import {
  type AnswerWriter,
  type FinishReason,
  type TokenLogprob,
  usageOnWire,
  type WriterHead,
} from "./writer.ts";

type Fields = Readonly<Record<string, unknown>>;

const nothing = Buffer.alloc(0);

export class ChunkWriter implements AnswerWriter {
  readonly #before: string;
  readonly #isLegacy: boolean;
  readonly #begun = new Set<number>();
  readonly #finishes = new Map<number, FinishReason>();
  /** Tokens that wait for the text they make up, by choice. */
  readonly #tokens = new Map<number, TokenLogprob[]>();
  #usage: Usage | undefined;
  #out = "";
  #isConcluded = false;
  #isClosed = false;

  constructor({ id, createdSeconds, model, isLegacy }: WriterHead) {
    const head = { id, object: "chat.completion.chunk", created: createdSeconds, model };
    this.#before = `data: ${JSON.stringify(head).slice(0, -1)},"choices":[`;
    this.#isLegacy = isLegacy;
  }

  /** The chunks written since the last call. */
  take(): Buffer {
    if (this.#out === "") return nothing;
    const bytes = Buffer.from(this.#out);
    this.#out = "";
    return bytes;
  }

  /** The role chunk of a choice, where nothing was said in it yet. */
  begin(choice = 0): void {
    if (this.#begun.has(choice)) return;
    this.#begun.add(choice);
    this.#chunk('{"role":"assistant","content":""}', choice);
  }

  text(text: string, choice = 0): void {
    if (text !== "") this.#delta({ content: text }, choice, this.#logprobs(choice));
  }

  logprobs(tokens: readonly TokenLogprob[], choice = 0): void {
    if (tokens.length > 0) this.#tokens.set(choice, [...(this.#tokens.get(choice) ?? []), ...tokens]);
  }

  refusal(text: string, choice = 0): void {
    if (text !== "") this.#delta({ refusal: text }, choice);
  }

  reasoning(text: string, choice = 0): void {
    if (text !== "") this.#delta({ reasoning_content: text }, choice);
  }

  reasoningDetail(detail: Fields, choice = 0): void {
    this.#delta({ reasoning_details: [detail] }, choice);
  }

  toolCall(
    index: number,
    { id, name, extra }: { id: string; name: string; extra?: Fields },
    choice = 0,
  ): void {
    if (this.#isLegacy) {
      if (index === 0) this.#delta({ function_call: { name, arguments: "" } }, choice);
      return;
    }
    const call = { index, id, type: "function", function: { name, arguments: "" }, ...extra };
    this.#delta({ tool_calls: [call] }, choice);
  }

  toolArguments(index: number, fragment: string, choice = 0): void {
    if (fragment === "") return;
    if (!this.#isLegacy) this.#delta({ tool_calls: [{ index, function: { arguments: fragment } }] }, choice);
    else if (index === 0) this.#delta({ function_call: { arguments: fragment } }, choice);
  }

  image(url: string, choice = 0): void {
    this.#delta({ images: [{ type: "image_url", image_url: { url } }] }, choice);
  }

  annotation(annotation: Fields, choice = 0): void {
    this.#delta({ annotations: [annotation] }, choice);
  }

  finish(reason: FinishReason, choice = 0): void {
    this.begin(choice);
    this.#finishes.set(choice, reason);
  }

  usage(usage: Usage): void {
    this.#usage = usage;
  }

  /** What was used so far, of an answer that comes to no end: nothing but an error, or nothing at all, comes after it. */
  tellUsage(): void {
    if (this.#isClosed || this.#usage === undefined) return;
    this.#out += this.#usageChunk(this.#usage);
  }

  /** A comment: something lives, but there is nothing to say. */
  comment(): void {
    this.#out += ": \n\n";
  }

  /** The upstream's own error, for `fault` to read. Nothing comes after it. */
  error(json: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#out += `event: error\ndata: ${json.replace(/[\r\n]+/g, " ")}\n\n`;
  }

  /** All is said and counted, but the protocol's own end is still to come: should that be cut off, the count is known all the same. */
  conclude(): void {
    if (this.#isClosed || this.#isConcluded || this.#finishes.size === 0) return;
    this.#isConcluded = true;
    for (const [choice, reason] of this.#finishes) {
      const told = this.#isLegacy && reason === "tool_calls" ? "function_call" : reason;
      this.#out += `${this.#before}{"index":${choice},"delta":{},"logprobs":${this.#logprobs(choice)},"finish_reason":"${told}"}]}\n\n`;
    }
    if (this.#usage !== undefined) this.#out += this.#usageChunk(this.#usage);
  }

  /** The protocol's own end was seen: finish reasons, usage, terminal marker. Without any finish reason no end is claimed. */
  close(): void {
    if (this.#isClosed || this.#finishes.size === 0) return;
    this.conclude();
    this.#isClosed = true;
    this.#out += "data: [DONE]\n\n";
  }

  #usageChunk(usage: Usage): string {
    return `${this.#before}],"usage":${JSON.stringify(usageOnWire(usage))}}\n\n`;
  }

  /** What waits of a choice's tokens, as JSON. */
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
    this.#out += `${this.#before}{"index":${choice},"delta":${delta},"logprobs":${logprobs},"finish_reason":null}]}\n\n`;
  }
}
