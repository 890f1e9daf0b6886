/**
 * Answers of upstreams that speak chat (docs/wire/openai-chat.md section 12), streamed and whole, said to a
 * sink, so that callers of every other format are served by them. No upstream is trusted: what is missing is
 * made up where that is safe, what is not known is passed over.
 */
import type { AnswerSink, StreamSink } from "../../conversation/answer.ts";
import { isShallow, parseExact } from "../../lib/json/exact-json.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import { createEventReader } from "../../lib/sse/event-reader.ts";
import type { AnswerDecoder, DecodeContext, StreamDecoder } from "../protocol.ts";
import { recordsIn, sourcesIn, textIn } from "./answers/choice-parts.ts";
import { ChoiceReader, type ChoiceRules } from "./answers/choice-reader.ts";
import { readUsage } from "./usage.ts";

/** Deeper nested chunks and bodies are none: they could not be written again. */
const depthMax = 256;
/** Nobody can ask for more. */
const choicesMax = 128;

/** What `fault` reads as a failure of the upstream's, in its own word for it. */
const failure = (reason: string): string =>
  JSON.stringify({ error: { type: "server_error", code: reason.slice(0, 100), message: "" } });

/** Arguments that are no text keep their numbers as they are written. */
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

  /** `begin`: is told of each choice that begins. */
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
    const usage = piece["usage"] ?? recordOf(piece["x_groq"])["usage"];
    if (isRecord(usage)) this.#usage = usage;
    const sources = sourcesIn(piece);
    if (sources.length > 0) this.#sources = sources;
  }

  /** Is every choice over that has begun? */
  get isOver(): boolean {
    for (const { reason } of this.#choices.values()) if (reason === undefined) return false;
    return this.#choices.size > 0;
  }

  get hasUsage(): boolean {
    return this.#usage !== undefined;
  }

  /** Says how the choices ended and what was used. Otherwise the word the upstream failed with. */
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

  /** Says what was used so far. */
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

/** One stream: an end is claimed only where every choice said why it is over. */
class AnswerStream {
  readonly #sink: StreamSink;
  readonly #answer: AnswerReader;
  /** Are ends and usage said? */
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
      // What the end of the body cut through is no mistake of its own.
      if (!this.#isBodyOver) this.breakOff(failure("malformed_chunk"));
    } else if (isError(chunk) || name === "error") this.breakOff(data);
    else if (!this.#isConcluded) this.#takeChunk(chunk);
  }

  /** No more bytes come: what is left of them may be half an event. */
  bodyIsOver(): void {
    this.#isBodyOver = true;
  }

  /** The marker, or the end of the body. */
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

  /** The answer comes to no end of its own. Its tokens are counted all the same. */
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
