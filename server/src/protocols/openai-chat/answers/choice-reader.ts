/**
 * Reports one choice of an upstream's answer to a sink, for deltas and whole messages alike, in the order
 * thoughts, text, images, calls. Knows neither events nor transport.
 */
import type { AnswerSink, EndReason } from "../../../conversation/answer.ts";
import { isRecord, type JsonRecord, recordOf } from "../../../lib/record.ts";
import { CallReader, type CallRules } from "./call-reader.ts";
import { citationsIn, imagesIn, inlineImage, piecesOf, recordsIn, textIn, tokensIn } from "./choice-parts.ts";
import { ThoughtReader, type ThoughtRules } from "./thought-reader.ts";

export interface ChoiceRules {
  readonly calls: Omit<CallRules, "onCall">;
  readonly thoughts: ThoughtRules;
  readonly wantsLogprobs: boolean;
}

const citationsMax = 200;

/** Finish reasons of all services with chat; `failed`: there is no answer. */
const reasons: Readonly<Record<string, EndReason | "failed">> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  complete: "stop",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  max_output_tokens: "length",
  model_context_window_exceeded: "length",
  tool_calls: "tool_calls",
  tool_call: "tool_calls",
  tool_use: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
  sensitive: "content_filter",
  safety: "content_filter",
  prohibited_content: "content_filter",
  recitation: "content_filter",
  blocklist: "content_filter",
  error: "failed",
  abort: "failed",
  timeout: "failed",
  network_error: "failed",
  insufficient_system_resource: "failed",
  malformed_function_call: "failed",
};

export class ChoiceReader {
  readonly #sink: AnswerSink;
  readonly #index: number;
  readonly #wantsLogprobs: boolean;
  readonly #thoughts: ThoughtReader;
  readonly #calls: CallReader;
  readonly #cited = new Set<string>();
  /** Characters of text reported. */
  #length = 0;
  /** The upstream's finish reason; undefined while the choice is open. */
  reason: string | undefined;

  constructor(sink: AnswerSink, index: number, rules: ChoiceRules) {
    this.#sink = sink;
    this.#index = index;
    this.#wantsLogprobs = rules.wantsLogprobs;
    const thoughts = new ThoughtReader(sink, index, rules.thoughts);
    this.#thoughts = thoughts;
    this.#calls = new CallReader(sink, index, { ...rules.calls, onCall: (id) => thoughts.called(id) });
  }

  /** True when it has its own citations. */
  get hasCitations(): boolean {
    return this.#cited.size > 0;
  }

  /** Reads a delta, or a whole message (`isWhole`). */
  take(choice: JsonRecord, isWhole: boolean): void {
    const holder = recordOf(choice["delta"] ?? choice["message"]);
    this.#thoughts.take(holder, this.#calls.said);
    if (this.#wantsLogprobs) {
      const tokens = tokensIn(choice["logprobs"]);
      if (tokens.length > 0) this.#sink.logprobs(tokens, this.#index);
    }
    this.#takeContent(holder);
    for (const citation of citationsIn(holder["annotations"])) this.#cite(citation);
    for (const url of imagesIn(holder["images"])) this.#image(url);
    for (const call of recordsIn(holder["tool_calls"])) this.#calls.take(call, isWhole);
    if (isRecord(holder["function_call"])) this.#calls.takeLegacy(holder["function_call"]);
    const reason = textIn(choice["finish_reason"]);
    if (reason !== "") this.reason = reason;
  }

  /** Reports pages listed for the whole answer, as citations of all of its text. */
  takeSources(sources: readonly { readonly url: string; readonly title: string }[]): void {
    for (const { url, title } of sources) this.#cite({ url, title, start: 0, end: this.#length });
  }

  /**
   * Reports what was held and returns the end reason; `failed` when the upstream says that there is no
   * answer.
   */
  end(): EndReason | "failed" {
    const word = this.reason?.toLowerCase() ?? "stop";
    const reason = (Object.hasOwn(reasons, word) ? reasons[word] : undefined) ?? "stop";
    if (reason === "failed") return reason;
    this.#calls.end();
    this.#thoughts.end();
    const hasCalls = this.#calls.said > 0;
    if (reason === "stop" && hasCalls) return "tool_calls";
    return reason === "tool_calls" && !hasCalls ? "stop" : reason;
  }

  #takeContent(holder: JsonRecord): void {
    const { content, refusal, audio } = holder;
    if (typeof content === "string") this.#text(content);
    else
      for (const piece of piecesOf(content)) {
        if (piece.kind === "text") this.#text(piece.text);
        else if (piece.kind === "thought") this.#thoughts.say(piece.text);
        else if (piece.kind === "image") this.#image(piece.url);
        else this.#refuse(piece.text);
      }
    if (typeof refusal === "string") this.#refuse(refusal);
    // Other formats have no audio output, so its transcript is reported as text.
    if (isRecord(audio)) this.#text(textIn(audio["transcript"]));
  }

  #text(text: string): void {
    if (text === "") return;
    this.#length += text.length;
    this.#sink.text(text, this.#index);
  }

  #refuse(text: string): void {
    if (text !== "") this.#sink.refusal(text, this.#index);
  }

  #image(url: string): void {
    const inline = inlineImage(url);
    if (inline !== undefined) this.#sink.image(inline.mediaType, inline.base64, this.#index);
    else if (/^https?:\/\/\S{1,4000}$/i.test(url)) this.#text(`\n![](${url})\n`);
  }

  #cite(citation: { url: string; title: string; start: number; end: number }): void {
    const key = `${citation.start} ${citation.end} ${citation.url}`;
    if (this.#cited.has(key) || this.#cited.size >= citationsMax) return;
    this.#cited.add(key);
    this.#sink.citation(citation, this.#index);
  }
}
