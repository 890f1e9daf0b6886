/**
 * Decodes answers of chat upstreams (docs/wire/openai-chat.md section 12), streamed and whole, for callers of
 * every other format. Upstreams are not trusted: missing values are filled in where that is safe, unknown
 * ones are ignored.
 */
import type { AnswerSink, StreamSink } from "../../conversation/answer.ts";
import { isShallow, parseExact } from "../../lib/json/exact-json.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import { createEventReader } from "../../lib/sse/event-reader.ts";
import type { AnswerDecoder, DecodeContext, StreamDecoder } from "../protocol.ts";
import { recordsIn, sourcesIn, textIn } from "./answers/choice-parts.ts";
import { ChoiceReader, type ChoiceRules } from "./answers/choice-reader.ts";
import { readUsage } from "./usage.ts";

/** Chunks and bodies nested deeper are rejected, because they cannot be serialized again. */
const depthMax = 256;
/** More choices cannot be requested. */
const choicesMax = 128;

/** An error that `fault` reads as an upstream failure with this reason. */
const failure = (reason: string): string =>
  JSON.stringify({ error: { type: "server_error", code: reason.slice(0, 100), message: "" } });

/** Arguments that are not a string must keep their numbers' spelling. */
const objectArguments = /"arguments"\s*:\s*[{[]/;

function parsed(text: string): unknown {
  if (!isShallow(text, depthMax)) return undefined;
  return objectArguments.test(text) ? parseExact(text) : parseJson(text);
}

const isError = ({ error, object }: JsonRecord): boolean =>
  (error !== undefined && error !== null && error !== "" && error !== false) || object === "error";

function rulesOf({ conversation, model, memory, answerId }: DecodeContext): ChoiceRules {
  const { tools, isParallel, hasRoomForOne } = conversation.toolUse;
  return {
    calls: {
      customTools: new Set(tools.filter(({ isCustom }) => isCustom).map(({ name }) => name)),
      isSingle: isParallel === false || hasRoomForOne,
      answerId,
      ids: new Set(),
    },
    thoughts: { model, memory },
    wantsLogprobs: conversation.logprobs.isWanted,
  };
}

/** Reads the chunks, or the one body, of an answer. */
class AnswerReader {
  readonly #sink: AnswerSink;
  readonly #rules: ChoiceRules;
  readonly #most: number;
  readonly #choices = new Map<number, ChoiceReader>();
  readonly #begin: ((choice: number) => void) | undefined;
  #hasModel = false;
  #usage: unknown;
  #sources: ReturnType<typeof sourcesIn> = [];

  /** `begin`: called for each choice that begins. */
  constructor(sink: AnswerSink, context: DecodeContext, begin?: (choice: number) => void) {
    this.#sink = sink;
    this.#rules = rulesOf(context);
    this.#most = Math.min(Math.max(context.conversation.choices, 1), choicesMax);
    this.#begin = begin;
  }

  take(piece: JsonRecord, isWhole: boolean): void {
    const model = textIn(piece["model"]);
    if (!this.#hasModel && model !== "") {
      this.#hasModel = true;
      this.#sink.model(model);
    }
    const choices = recordsIn(piece["choices"]);
    for (const [place, choice] of choices.entries()) this.#takeChoice(choice, place, isWhole);
    this.takeUsage(piece);
    const sources = sourcesIn(piece);
    if (sources.length > 0) this.#sources = sources;
  }

  /** Takes a report of usage; the last one counts. Returns false when there is none. */
  takeUsage(piece: JsonRecord): boolean {
    const usage = piece["usage"] ?? recordOf(piece["x_groq"])["usage"];
    if (!isRecord(usage)) return false;
    this.#usage = usage;
    return true;
  }

  /** True when every choice that began has ended. */
  get isOver(): boolean {
    for (const { reason } of this.#choices.values()) if (reason === undefined) return false;
    return this.#choices.size > 0;
  }

  get hasUsage(): boolean {
    return this.#usage !== undefined;
  }

  /**
   * Reports the choices' end reasons and the usage. Returns the upstream's word for its failure, if it
   * failed.
   */
  finish(): string | undefined {
    for (const [index, choice] of this.#choices) {
      if (!choice.hasCitations) choice.takeSources(this.#sources);
      const reason = choice.end();
      if (reason === "failed") return choice.reason ?? reason;
      this.#sink.finish(reason, index);
    }
    this.account();
    return undefined;
  }

  /** Reports the usage so far. */
  account(): void {
    const usage = readUsage(this.#usage);
    if (usage !== undefined) this.#sink.usage(usage);
  }

  #takeChoice(choice: JsonRecord, place: number, isWhole: boolean): void {
    const given = choice["index"];
    const index = typeof given === "number" && Number.isInteger(given) && given >= 0 ? given : place;
    if (index >= this.#most) return;
    let reader = this.#choices.get(index);
    if (reader === undefined) {
      reader = new ChoiceReader(this.#sink, index, this.#rules);
      this.#choices.set(index, reader);
      this.#begin?.(index);
    }
    reader.take(choice, isWhole);
    if (isRecord(choice["usage"])) this.#usage = choice["usage"];
  }
}

/** Reads one stream. It has ended only when every choice has a finish reason. */
class AnswerStream {
  readonly #sink: StreamSink;
  readonly #answer: AnswerReader;
  /** True when end reasons and usage were reported. */
  #isConcluded = false;
  #isOver = false;
  #isBodyOver = false;

  constructor(sink: StreamSink, context: DecodeContext) {
    this.#sink = sink;
    this.#answer = new AnswerReader(sink, context, (choice) => sink.begin(choice));
  }

  take(data: string, name: string | undefined): void {
    if (this.#isOver || data === "") return;
    if (data === "[DONE]") {
      this.end();
      return;
    }
    const chunk = parsed(data);
    if (!isRecord(chunk)) {
      // A chunk cut off by the end of the body is not a malformed chunk.
      if (!this.#isBodyOver) this.breakOff(failure("malformed_chunk"));
    } else if (isError(chunk) || name === "error") this.breakOff(data);
    else if (!this.#isConcluded) this.#takeChunk(chunk);
    else if (this.#answer.takeUsage(chunk)) {
      // A further report replaces the one before it, as it does where chunks pass.
      this.#answer.account();
      this.#sink.reportUsage();
    }
  }

  /** No more bytes follow; the remaining ones may be half an event. */
  bodyIsOver(): void {
    this.#isBodyOver = true;
  }

  /** Handles the marker, or the end of the body. */
  end(): void {
    if (this.#isOver) return;
    if (!this.#answer.isOver) {
      this.breakOff();
      return;
    }
    this.#conclude();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink.close();
  }

  /** Ends an answer without an end of its own. Its tokens are still counted. */
  breakOff(error?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#isConcluded) {
      this.#answer.account();
      this.#sink.reportUsage();
    }
    if (error !== undefined) this.#sink.error(error);
  }

  #takeChunk(chunk: JsonRecord): void {
    this.#answer.take(chunk, false);
    const isLast = this.#answer.hasUsage && recordsIn(chunk["choices"]).length === 0;
    if (isLast && this.#answer.isOver) this.#conclude();
  }

  #conclude(): void {
    if (this.#isConcluded) return;
    const failed = this.#answer.finish();
    if (failed !== undefined) {
      this.breakOff(failure(failed));
      return;
    }
    this.#isConcluded = true;
    this.#sink.conclude();
  }
}

function decodeStream(context: DecodeContext, sink: StreamSink): StreamDecoder {
  const answer = new AnswerStream(sink, context);
  const reader = createEventReader((data, name) => answer.take(data, name));
  return {
    push(chunk) {
      if (!reader.push(chunk)) answer.breakOff(failure("chunk_too_large"));
    },
    end() {
      answer.bodyIsOver();
      reader.end();
      answer.end();
    },
  };
}

function decodeWhole(body: Buffer, context: DecodeContext, sink: AnswerSink): boolean {
  const answer = parsed(body.toString("utf8"));
  if (!isRecord(answer) || isError(answer) || recordsIn(answer["choices"]).length === 0) return false;
  const reader = new AnswerReader(sink, context);
  reader.take(answer, true);
  return reader.finish() === undefined;
}

/** Reads answers of chat upstreams, for callers of every other format. */
export const chatDecoder: AnswerDecoder = {
  streamType: "text/event-stream",
  stream: decodeStream,
  whole: decodeWhole,
};
