/**
 * Adapts answers of services that deviate from OpenAI's protocol. Events without a deviation are passed on as
 * their original bytes; only the others are parsed and written again. Names no service; `rules.ts` describes
 * the deviations.
 */

import { isShallow } from "../../lib/json/exact-json.ts";
import { isRecord, parseJson } from "../../lib/record.ts";
import { createSseReaderFactory, flagComment, flagMultiData, type SseReader } from "../../lib/sse/sse.ts";
import type { AnswerTranslation, StreamTranslator } from "../../protocols/protocol.ts";
import {
  type AdaptContext,
  adaptPiece,
  hasFinishReason,
  type Piece,
  type PieceState,
} from "./adapt-piece.ts";
import type { AnswerRules } from "./rules.ts";

const eventBytesMax = 8 * 1024 * 1024;
const nothing = Buffer.alloc(0);
const partsMarks = [Buffer.from('"content":['), Buffer.from('"content": [')];
const noTime = Buffer.from('"created":0,');

/** Chunks nested deeper cannot be serialized again and are passed on unchanged. */
const depthMax = 256;
const parseShallow = (text: string): unknown => (isShallow(text, depthMax) ? parseJson(text) : undefined);

/** The keys that mark a chunk as one to parse. */
function marksOf(rules: AnswerRules): string[] {
  const keys = ["finish_reason", "tool_calls", ...(rules.strips ?? [])];
  if (rules.reasoning !== undefined) keys.push(rules.reasoning);
  if (rules.isRemembered === true) keys.push("reasoning_content");
  if (rules.hasChoiceUsage === true) keys.push("usage");
  return keys;
}

/** An error event that `fault` reads as an upstream failure with this reason. */
const failure = (reason: string): string =>
  `event: error\ndata: ${JSON.stringify({ error: { type: "server_error", code: reason.slice(0, 100), message: "" } })}\n\n`;

class Adapter implements StreamTranslator {
  readonly #reader: SseReader;
  readonly #rules: AnswerRules;
  readonly #state: PieceState;
  /** Slices of the reader's buffer and rewritten chunks, in order. */
  #out: Buffer[] = [];
  #isOver = false;
  /** The head of the first chunk, for a finish reason that has to be added. */
  #head: Piece | undefined;
  #hasFinish = false;

  constructor(reader: SseReader, rules: AnswerRules, context: AdaptContext) {
    this.#reader = reader;
    this.#rules = rules;
    this.#state = { context, isStream: true, calls: new Map(), thoughts: new Map() };
  }

  push(chunk: Buffer): Buffer {
    const fits = this.#reader.push(chunk);
    const bytes = this.#take();
    if (fits || this.#isOver) return bytes;
    this.#isOver = true;
    return Buffer.concat([bytes, Buffer.from(failure("chunk_too_large"))]);
  }

  end(): Buffer {
    this.#reader.end();
    return this.#take();
  }

  #take(): Buffer {
    const reader = this.#reader;
    const { buffer, count } = reader;
    let from = -1;
    let to = -1;
    for (let index = 0; index < count && !this.#isOver; index += 1) {
      const start = reader.eventStart(index);
      const end = reader.eventEnd(index);
      if (this.#rules.endsWithoutFinish === true && this.#endsHere(index)) {
        if (from >= 0) this.#out.push(buffer.subarray(from, to));
        from = -1;
        this.#out.push(this.#finish());
      }
      if (!this.#mustRead(index, start, end)) {
        if (from < 0) from = start;
        to = end;
        continue;
      }
      if (from >= 0) this.#out.push(buffer.subarray(from, to));
      from = -1;
      this.#adapt(index, start, end);
    }
    if (from >= 0) this.#out.push(buffer.subarray(from, to));
    const [only] = this.#out;
    const bytes = only === undefined ? nothing : this.#out.length === 1 ? only : Buffer.concat(this.#out);
    this.#out = [];
    return bytes;
  }

  /**
   * True when this event is the terminal marker and no chunk had a finish reason. Also remembers the head of
   * the first chunk.
   */
  #endsHere(index: number): boolean {
    const reader = this.#reader;
    if (this.#hasFinish || reader.flags(index) === flagComment) return false;
    if (this.#head === undefined) {
      const piece = parseShallow(reader.dataText(index));
      if (isRecord(piece) && Array.isArray(piece["choices"])) {
        const { id, object, created, model } = piece;
        this.#head = { id, object, created, model };
      }
      return false;
    }
    return reader.dataText(index) === "[DONE]";
  }

  /** Finish chunks for all known choices. */
  #finish(): Buffer {
    this.#hasFinish = true;
    const { calls } = this.#state;
    const choices = [...new Set([0, ...calls.keys()])].map((index) => ({
      index,
      delta: {},
      logprobs: null,
      finish_reason: calls.has(index) ? "tool_calls" : "stop",
    }));
    return Buffer.from(`data: ${JSON.stringify({ ...this.#head, choices })}\n\n`);
  }

  #mustRead(index: number, start: number, end: number): boolean {
    const flags = this.#reader.flags(index);
    if (flags === flagComment) return false;
    if ((flags & 0xffffff) !== 0 || (flags & flagMultiData) !== 0) return true;
    const { hasParts, tidies } = this.#rules;
    if (hasParts !== true && tidies !== true) return false;
    const bytes = this.#reader.buffer.subarray(start, end);
    return (
      (hasParts === true && partsMarks.some((mark) => bytes.includes(mark))) ||
      (tidies === true && bytes.includes(noTime))
    );
  }

  #adapt(index: number, start: number, end: number): void {
    const raw = this.#reader.buffer.subarray(start, end);
    const piece = parseShallow(this.#reader.dataText(index));
    // Errors are left unchanged for `fault` to read.
    if (!isRecord(piece) || (piece["error"] ?? null) !== null || this.#reader.eventName(index) === "error") {
      this.#out.push(raw);
      return;
    }
    const outcome = adaptPiece(piece as Piece, this.#rules, this.#state);
    this.#hasFinish ||= hasFinishReason(piece as Piece);
    if (outcome === "same") this.#out.push(raw);
    else if (outcome === "changed") this.#out.push(Buffer.from(`data: ${JSON.stringify(piece)}\n\n`));
    else if (outcome !== "empty") {
      this.#out.push(Buffer.from(failure(outcome.failed)));
      this.#isOver = true;
    }
  }
}

/**
 * Adapts a whole answer. Returns the same buffer when nothing deviates; undefined when the answer reports a
 * failure.
 */
function adaptWhole(body: Buffer, rules: AnswerRules, context: AdaptContext): Buffer | undefined {
  const piece = parseShallow(body.toString("utf8"));
  if (!isRecord(piece) || (piece["error"] ?? null) !== null) return body;
  const outcome = adaptPiece(piece as Piece, rules, {
    context,
    isStream: false,
    calls: new Map(),
    thoughts: new Map(),
  });
  if (outcome === "changed") return Buffer.from(JSON.stringify(piece));
  return outcome === "same" || outcome === "empty" ? body : undefined;
}

/** A translation that asks little of the request. */
export interface AnswerAdapter extends AnswerTranslation {
  stream(context: AdaptContext): StreamTranslator;
  whole(body: Buffer, context: AdaptContext): Buffer | undefined;
}

/** Prepared once per upstream. */
export function createAnswerTranslation(rules: AnswerRules): AnswerAdapter {
  const readers = createSseReaderFactory({ marks: marksOf(rules), eventBytesMax });
  return {
    streamType: "text/event-stream",
    stream: (context) => new Adapter(readers.create(), rules, context),
    whole: (body, context) => adaptWhole(body, rules, context),
  };
}
