/**
 * A streamed answer: whole events go down by reference as they come, while a reader beside the relay looks for usage, the
 * finish reason, in-band errors and the terminal marker. Nothing is sent before the first content, and the marker itself
 * is kept back for settlement: a cut stream can never look like a finished one.
 */
import type { Delivered } from "../../domain/money/estimate.ts";
import { flagComment, flagNamed, type SseReader, type SseReaderFactory } from "../../lib/sse/sse.ts";
import { withoutNullUsage } from "../../protocols/openai-chat/answers/null-usage.ts";
import { OutputCount } from "../../protocols/openai-chat/answers/output-count.ts";
import type { Fault, StreamTranslator, UpstreamHeaders } from "../../protocols/protocol.ts";
import { Attempt, type AttemptContext, type AttemptOptions } from "./attempt.ts";
import { mediaTypeOf } from "./media-type.ts";

/** Keys of a chunk the relay must look at; their order gives the flag bits below. */
export const streamMarks = ["usage", "finish_reason", "error"] as const;
const flagUsage = 1;

/** Events kept back before the first content: role chunks and comments. More than this is not a stream of chunks. */
const heldBytesMax = 256 * 1024;
/** What may still arrive after the terminal marker before the connection is closed instead of used again. */
const lateBytesMax = 64 * 1024;
const lateMsMax = 1_000;

const openBrace = 0x7b;

/** The parts of a parsed chunk the relay reads. Everything is untrusted. */
interface Chunk {
  readonly choices?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
  readonly object?: unknown;
  readonly x_groq?: { readonly usage?: unknown } | null;
}

interface Choice {
  readonly finish_reason?: unknown;
  readonly delta?: Readonly<Record<string, unknown>> | null;
}

const choicesOf = (chunk: Chunk): readonly Choice[] =>
  Array.isArray(chunk.choices)
    ? chunk.choices.filter((choice) => typeof choice === "object" && choice !== null)
    : [];

/** Some upstreams write an empty text where others write null. */
const isFinished = ({ finish_reason: reason }: Choice): boolean =>
  typeof reason === "string" && reason !== "";

/** Does a delta carry anything a caller would show or act on? A role alone, or empty values, do not count. */
function hasContent(chunk: Chunk): boolean {
  return choicesOf(chunk).some((choice) => {
    if (isFinished(choice)) return true;
    return Object.entries(choice.delta ?? {}).some(
      ([key, value]) =>
        key !== "role" && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0),
    );
  });
}

export class StreamAttempt extends Attempt {
  readonly #reader: SseReader;
  readonly #translator: StreamTranslator | undefined;
  /** Whole events waiting for the first content. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #hasContent = false;
  #hasFinish = false;
  readonly #output = new OutputCount();
  #lateBytes = 0;
  #lateTimer: NodeJS.Timeout | undefined;

  constructor(context: AttemptContext, options: AttemptOptions, readers: SseReaderFactory) {
    super(context, options);
    this.#reader = readers.create();
    this.#translator = options.translation?.stream();
    if (options.reply.lastWriteMs === 0) options.reply.lastWriteMs = context.clock.elapsedMs();
  }

  protected acceptHead(headers: UpstreamHeaders): Fault | undefined {
    const type = String(headers["content-type"] ?? "");
    const wanted = this.options.translation?.streamType;
    if (wanted === undefined ? /^text\/event-stream\b/i.test(type) : mediaTypeOf(headers) === wanted) {
      return undefined;
    }
    return { kind: "server", status: 200, note: `content type ${mediaTypeOf(headers)} for a stream` };
  }

  protected takeBody(chunk: Buffer): void {
    const fits = this.#reader.push(this.#translator === undefined ? chunk : this.#translator.push(chunk));
    this.#takeEvents();
    if (!fits && !this.isOver) this.fail({ kind: "server", note: "an event larger than the limit" });
  }

  protected takeEnd(): void {
    if (this.#translator !== undefined) {
      this.#reader.push(this.#translator.end());
      this.#takeEvents();
      if (this.isOver) return;
    }
    this.#reader.end();
    this.#takeEvents();
    if (!this.isOver) this.fail({ kind: "server", note: "the stream ended without its terminal marker" });
  }

  protected delivered(): Delivered {
    return this.#output.delivered;
  }

  protected isAwaitingContent(): boolean {
    return !this.#hasContent;
  }

  protected hasDelivered(): boolean {
    return this.#hasContent;
  }

  protected onReadingOn(): void {
    this.callerCaughtUp();
  }

  protected onTick(nowMs: number): void {
    const { settings } = this.context;
    const { reply } = this.options;
    if (this.pausedMs !== undefined) {
      if (nowMs - this.pausedMs > settings.stalledReaderMs) reply.destroy();
    } else if (nowMs - reply.lastWriteMs >= settings.keepAliveCommentMs) {
      reply.lastWriteMs = nowMs;
      reply.comment();
    }
  }

  protected override takeLate(chunk: Buffer): void {
    this.#lateBytes += chunk.length;
    if (this.#lateBytes > lateBytesMax) super.takeLate(chunk);
  }

  override onResponseEnd(): void {
    clearTimeout(this.#lateTimer);
    super.onResponseEnd();
  }

  /** Forwards runs of plain content events as one slice each; everything else gets a look of its own. */
  #takeEvents(): void {
    const reader = this.#reader;
    const { buffer, count } = reader;
    let runStart = -1;
    let runEnd = -1;
    for (let index = 0; index < count; index += 1) {
      const flags = reader.flags(index);
      const isChunk = flags === 0 && buffer[reader.dataStart(index)] === openBrace;
      if (this.#hasContent && (isChunk || flags === flagComment)) {
        const start = reader.eventStart(index);
        runEnd = reader.eventEnd(index);
        if (isChunk) this.#output.count(buffer, start, runEnd, reader.dataStart(index));
        if (runStart < 0) runStart = start;
        continue;
      }
      if (runStart >= 0) this.#forward(buffer.subarray(runStart, runEnd));
      runStart = -1;
      this.#takeSpecial(index, flags);
      if (this.isOver) return;
    }
    if (runStart >= 0) this.#forward(buffer.subarray(runStart, runEnd));
  }

  /** An event before the first content, or one that may end, fail or account for the stream. */
  #takeSpecial(index: number, flags: number): void {
    const reader = this.#reader;
    const bytes = reader.buffer.subarray(reader.eventStart(index), reader.eventEnd(index));
    if (flags === flagComment) {
      this.#hold(bytes);
      return;
    }
    const text = reader.dataText(index);
    if (text === "[DONE]") {
      this.#complete(bytes);
      return;
    }
    const isNamedError = (flags & flagNamed) !== 0 && reader.eventName(index) === "error";
    const chunk = parseChunk(text);
    if (chunk === undefined || isNamedError || isError(chunk)) {
      this.failWith(200, {}, text.slice(0, 64 * 1024));
      return;
    }
    if ((flags & flagUsage) !== 0) this.#takeUsage(chunk);
    const choices = choicesOf(chunk);
    if (choices.some(isFinished)) this.#hasFinish = true;
    const isUsageOnly = choices.length === 0 && typeof chunk.usage === "object" && chunk.usage !== null;
    if (isUsageOnly && !this.options.showsUsage) return;
    if (this.#hasContent) {
      this.#output.countParsed(chunk);
      this.#forward(bytes);
    } else if (hasContent(chunk)) {
      this.#begin(bytes, chunk);
    } else {
      this.#hold(bytes);
    }
  }

  #takeUsage(chunk: Chunk): void {
    this.usage = this.readUsage(chunk.usage ?? chunk.x_groq?.usage) ?? this.usage;
  }

  /** Keeps an event back until the first content. Comments are let go first when there are too many. */
  #hold(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > heldBytesMax) {
      this.fail({ kind: "server", note: "no content in the first events" });
      return;
    }
    this.#held.push(bytes);
  }

  /** The first content is here: sends the head, what was held, and it. From now on there is no other attempt. */
  #begin(bytes: Buffer, chunk: Chunk): void {
    if (!this.claim()) return;
    this.#hasContent = true;
    this.firstContentMs = this.context.clock.elapsedMs();
    this.options.choice?.answered(this.firstContentMs);
    this.#output.countParsed(chunk);
    this.#output.remember(chunk, bytes, 0, bytes.length);
    this.options.reply.beginStream();
    this.#forward(this.#held.length === 0 ? bytes : Buffer.concat([...this.#held, bytes]));
    this.#held = [];
  }

  #forward(bytes: Buffer): void {
    const { reply } = this.options;
    const nowMs = this.context.clock.elapsedMs();
    reply.lastWriteMs = nowMs;
    const shown = this.options.showsUsage ? bytes : withoutNullUsage(bytes);
    if (reply.write(shown) || this.pausedMs !== undefined) return;
    this.pausedMs = nowMs;
    this.controller?.pause();
  }

  callerCaughtUp(): void {
    if (this.pausedMs === undefined) return;
    this.pausedMs = undefined;
    this.touch();
    this.controller?.resume();
  }

  /** The terminal marker: a finished stream, if a finish reason came before it. */
  #complete(tail: Buffer): void {
    if (!this.#hasFinish) {
      this.fail({ kind: "server", note: "the terminal marker came without a finish reason" });
      return;
    }
    this.#lateTimer = setTimeout(() => this.controller?.abort(new Error("open after the end")), lateMsMax);
    this.#lateTimer.unref();
    if (this.pausedMs !== undefined) this.controller?.resume();
    this.end({ kind: "stream", tail, usage: this.usage, delivered: this.delivered() });
  }
}

function parseChunk(text: string): Chunk | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isError(chunk: Chunk): boolean {
  const { error } = chunk;
  return (error !== undefined && error !== null && error !== "") || chunk.object === "error";
}
