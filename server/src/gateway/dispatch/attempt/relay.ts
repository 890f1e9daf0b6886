/**
 * Relays a streamed answer: events pass through without copying while a reader looks for usage, finish
 * reason, errors and the terminal marker; what is kept is copied. Nothing is sent before the first content.
 * The marker is held until settlement, so an interrupted stream never looks complete.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import type { Delivered } from "../../../domain/money/estimate.ts";
import { isPossible } from "../../../domain/money/usage-trust.ts";
import type { AnswerController } from "../../../lib/net/http-client.ts";
import { flagComment, flagNamed, type SseReader, type SseReaderFactory } from "../../../lib/sse/sse.ts";
import type { Fault, StreamTranslator, UpstreamHeaders } from "../../../protocols/protocol.ts";
import type { StreamEvent, StreamReader } from "../../../protocols/wire-protocol.ts";
import { Attempt, type AttemptContext, type AttemptEnd, type AttemptOptions } from "./attempt.ts";
import { mediaTypeOf } from "./media-type.ts";

/** Maximum bytes held before the first content (role chunks, comments). A real stream has content sooner. */
const heldBytesMax = 256 * 1024;
/** What may still arrive after the terminal marker before the connection is closed instead of reused. */
const lateBytesMax = 64 * 1024;
/** How long it may; and how long the end of a stream may take that has no marker, once its answer is over. */
const lateMsMax = 1_000;

const nothing = Buffer.alloc(0);

/** A view of the bytes, or themselves where that is all of them, as it is when each event comes alone. */
const partOf = (bytes: Buffer, start: number, end: number): Buffer =>
  start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);

export class StreamAttempt extends Attempt {
  readonly #reader: SseReader;
  readonly #translator: StreamTranslator | undefined;
  /** Events held until the first content. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  readonly #heldBytesMax: number;
  #hasContent = false;
  /** True when events are sent to the caller as they arrive. */
  #isFlowing = false;
  readonly #answer: StreamReader;
  #lateBytes = 0;
  #lateTimer: NodeJS.Timeout | undefined;
  #quietTimer: NodeJS.Timeout | undefined;

  constructor(context: AttemptContext, options: AttemptOptions, readers: SseReaderFactory) {
    super(context, options);
    this.#reader = readers.create();
    this.#answer = options.protocol.readStream();
    this.#translator = options.translation?.stream();
    this.#heldBytesMax = options.protocol.heldBytesMax?.(options.bodyBytes) ?? heldBytesMax;
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
    if (this.#translator !== undefined) this.#awaitEnd();
    if (!fits && !this.isOver) this.fail({ kind: "server", note: "an event larger than the limit" });
  }

  /**
   * Of a translated stream without a marker: once its answer is whole, the body's end need not be long. A
   * connection that breaks meanwhile is no end.
   */
  #awaitEnd(): void {
    clearTimeout(this.#quietTimer);
    if (this.isOver || this.#translator?.isWhole !== true) return;
    this.#quietTimer = setTimeout(() => {
      if (!this.isOver) this.#finish();
      this.controller?.abort(new Error("open after the end"));
    }, lateMsMax);
    this.#quietTimer.unref();
  }

  /** Does as if the body had ended. */
  #finish(): void {
    if (this.#translator?.finish === undefined) this.takeEnd();
    else this.#translator.finish();
  }

  protected takeEnd(): void {
    clearTimeout(this.#quietTimer);
    if (this.#translator !== undefined) {
      this.#reader.push(this.#translator.end());
      this.#takeEvents();
      if (this.isOver) return;
    }
    this.#reader.end();
    this.#takeEvents();
    if (this.isOver) return;
    if (this.#answer.isWhole === true) this.#complete(nothing);
    else this.fail({ kind: "server", note: "the stream ended without its terminal marker" });
  }

  protected override usageSoFar(): Usage | undefined {
    const isGrowing = this.options.translation?.isUsageGrowing ?? this.#answer.isUsageGrowing;
    const usage = this.#reported() ?? this.#earlyUsage(false);
    return usage === undefined || isGrowing !== true ? usage : { ...usage, isOnTheWay: true };
  }

  protected override promptSoFar(): Usage | undefined {
    if (this.#translator !== undefined) return this.#earlyUsage(true);
    const { promptReport } = this.#answer;
    return promptReport === undefined ? undefined : this.readUsage(promptReport);
  }

  /** What the upstream of a translated stream reported before its end, where that is possible. */
  #earlyUsage(isPromptAlone: boolean): Usage | undefined {
    const early = this.#translator?.earlyUsage;
    if (early === undefined || early.isPromptAlone !== isPromptAlone) return undefined;
    return isPossible(early.usage, this.options.tokensMax) ? early.usage : undefined;
  }

  #reported(): Usage | undefined {
    const { lastReport } = this.#answer;
    return (lastReport === undefined ? undefined : this.readUsage(lastReport)) ?? this.usage;
  }

  protected delivered(): Delivered {
    return this.#translator?.said ?? this.#answer.delivered;
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

  /**
   * A translated answer that is over is whole, however its connection ends: the upstream's own mark was read.
   * Where bytes pass in a format without a marker, the end of the connection is the end.
   */
  override onResponseError(controller: AnswerController, error: Error): void {
    clearTimeout(this.#lateTimer);
    const isOver = this.#translator !== undefined && this.#lateTimer !== undefined;
    if (isOver && !this.isOver) this.#complete(nothing);
    else super.onResponseError(controller, error);
  }

  protected override end(end: AttemptEnd): void {
    clearTimeout(this.#quietTimer);
    if (!this.isOver && end.kind !== "stream") clearTimeout(this.#lateTimer);
    super.end(end);
  }

  /** Forwards runs of plain content events as one slice each; everything else gets a look of its own. */
  #takeEvents(): void {
    const reader = this.#reader;
    const answer = this.#answer;
    const { buffer, count } = reader;
    let runStart = -1;
    let runEnd = -1;
    for (let index = 0; index < count; index += 1) {
      const flags = reader.flags(index);
      const isPlain = answer.isPlain(flags, buffer[reader.dataStart(index)]);
      if (this.#isFlowing && (isPlain || flags === flagComment)) {
        const start = reader.eventStart(index);
        runEnd = reader.eventEnd(index);
        if (isPlain) answer.countPlain(buffer, start, runEnd, reader.dataStart(index));
        if (runStart < 0) runStart = start;
        continue;
      }
      if (runStart >= 0) this.#forward(partOf(buffer, runStart, runEnd));
      runStart = -1;
      this.#takeSpecial(index, flags);
      if (this.isOver) return;
    }
    if (runStart >= 0) this.#forward(partOf(buffer, runStart, runEnd));
  }

  /** Handles an event before the first content, or one that may carry usage, an error or the end. */
  #takeSpecial(index: number, flags: number): void {
    const reader = this.#reader;
    const bytes = reader.buffer.subarray(reader.eventStart(index), reader.eventEnd(index));
    if (flags === flagComment) {
      this.#hold(bytes);
      return;
    }
    const text = reader.dataText(index);
    const name = (flags & flagNamed) === 0 ? undefined : reader.eventName(index);
    const event = this.#answer.read(text, flags, name);
    if (event.kind === "end") {
      this.#takeEnding(event, bytes);
    } else if (event.kind === "unsound") {
      this.fail({ kind: "server", note: "the terminal marker came without a finish reason" });
    } else if (event.kind === "error") {
      if (event.usage !== undefined) this.usage = this.readUsage(event.usage) ?? this.usage;
      this.failWith(200, {}, text.slice(0, 64 * 1024));
    } else {
      this.#takePart(event, bytes);
    }
  }

  #takePart(event: StreamEvent, bytes: Buffer): void {
    if (event.usage !== undefined) this.usage = this.readUsage(event.usage) ?? this.usage;
    if (event.isUsageOnly && !this.options.showsUsage) return;
    const isClosing = event.isClosing === true;
    if (this.#isFlowing) {
      this.#answer.count(event);
      if (isClosing) this.#held.push(Buffer.from(bytes));
      else this.#forward(bytes);
    } else if (event.hasContent) {
      const isFirst = !this.#hasContent;
      if (isFirst && !this.#begin()) return;
      this.#answer.count(event, isFirst ? bytes : undefined);
      const held = this.#release();
      if (isClosing) this.#held.push(Buffer.from(bytes));
      else held.push(bytes);
      if (held.length > 0) this.#forward(held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held));
    } else {
      this.#hold(bytes);
    }
    if (isClosing) this.#close();
  }

  /**
   * Holds a copy of an event until the first content, or until the end. Fails the attempt when too many bytes
   * are held. The event that says that the answer is over does not count: it may have all of an image.
   */
  #hold(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > this.#heldBytesMax) {
      const note = this.#hasContent ? "no end after the last event" : "no content in the first events";
      this.fail({ kind: "server", note });
      return;
    }
    this.#held.push(Buffer.from(bytes));
  }

  /** What was held, for the caller. */
  #release(): Buffer[] {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    this.#isFlowing = true;
    clearTimeout(this.#lateTimer);
    this.#lateTimer = undefined;
    return held;
  }

  /**
   * The first content is here: sends the head. From now on there is no other attempt. False: another attempt
   * was faster.
   */
  #begin(): boolean {
    if (!this.claim()) return false;
    this.#hasContent = true;
    this.firstContentMs = this.context.clock.elapsedMs();
    this.options.choice?.answered(this.firstContentMs);
    const { reply } = this.options;
    reply.follow(this.#answer);
    reply.beginStream();
    return true;
  }

  /** The answer says that it is over: from here on all is held. Without a marker it need not be long. */
  #close(): void {
    this.#isFlowing = false;
    if (this.isOver || this.#answer.isWhole !== true || this.#lateTimer !== undefined) return;
    this.#lateTimer = setTimeout(() => this.#endLate(), lateMsMax);
    this.#lateTimer.unref();
  }

  /** A stream without a marker whose upstream says no more, and does not end it. */
  #endLate(): void {
    if (!this.isOver && !this.#isFlowing) this.#complete(nothing);
    this.controller?.abort(new Error("open after the end"));
  }

  #forward(bytes: Buffer): void {
    const { reply, showsUsage } = this.options;
    // Bytes are written as soon as they arrive, so this saves reading the clock.
    const nowMs = this.lastByteMs;
    reply.lastWriteMs = nowMs;
    const shown = showsUsage ? bytes : this.options.protocol.withoutUsage(bytes);
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

  /** Handles the terminal marker of a complete stream. */
  #takeEnding(event: StreamEvent, bytes: Buffer): void {
    if (event.usage !== undefined) this.usage = this.readUsage(event.usage) ?? this.usage;
    if (event.hasContent) this.#answer.count(event, this.#hasContent ? undefined : bytes);
    this.#lateTimer ??= setTimeout(() => this.controller?.abort(new Error("open after the end")), lateMsMax);
    this.#lateTimer.unref();
    this.#complete(bytes);
  }

  /** The answer is whole. `last`: its terminal marker. */
  #complete(last: Buffer): void {
    if (!this.#hasContent && !this.#begin()) return;
    if (this.pausedMs !== undefined) this.controller?.resume();
    const tail = this.#held.length === 0 ? Buffer.from(last) : Buffer.concat([...this.#held, last]);
    const usage = this.#reported();
    const prompt = usage === undefined ? this.promptSoFar() : undefined;
    const { keptIds, lacking } = this.#answer;
    this.end({ kind: "stream", tail, keptIds, lacking, usage, prompt, delivered: this.delivered() });
  }
}
