/**
 * Reads a stream of Messages while it is relayed (docs/wire/anthropic-messages.md section 4): deltas by their
 * flags only, usage reports (which are cumulative), and the end. Does not know what the events are used for.
 */
import type { Delivered } from "../../../domain/money/estimate.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../../lib/record.ts";
import { flagNamed } from "../../../lib/sse/sse.ts";
import { type ContentSize, sizeOfRaw } from "../../content-size.ts";
import type { AnswerError, StreamEvent, StreamReader } from "../../wire-protocol.ts";
import { errorEvent } from "../endpoint/errors.ts";
import { isReport, promptOf } from "../usage.ts";
import { nearTextBytes, textAt, textBytesAt, writtenIn } from "./written.ts";

/** Keys that mark an event as worth reading. */
export const streamMarks = [
  "delta",
  "usage",
  "message",
  "content_block",
  "error",
  // An end without a report of usage is no ordinary delta.
  "stop_reason",
] as const;
const flagDelta = 1;

const openBrace = 0x7b;
/**
 * The bytes after a delta's text as Anthropic writes them: the closing quote, two closing braces, and the end
 * of the event.
 */
const tail = Buffer.from('"}}\n\n');
const tailStart = tail.readInt32LE(0);
/** An event with more bytes of text than this surely holds more than one token. */
const smallBytesMax = 64;

const without = { usage: undefined, hasContent: false, isUsageOnly: false, parsed: undefined } as const;
const end: StreamEvent = { kind: "end", ...without };
const unsound: StreamEvent = { kind: "unsound", ...without };
const failed: StreamEvent = { kind: "error", ...without };
const part: StreamEvent = { kind: "part", ...without };

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

export class MessagesStreamReader implements StreamReader {
  #events = 0;
  #bytes = 0;
  #mergedBytes = 0;
  #images = 0;
  /**
   * Offset of the last delta's text in its data, and the bytes before it. Most deltas start with the same
   * bytes.
   */
  #textAt = -1;
  #before = 0;
  #usage: JsonRecord = {};
  #hasStop = false;

  get delivered(): Delivered {
    return {
      events: this.#events,
      contentBytes: this.#bytes,
      mergedBytes: this.#mergedBytes,
      images: this.#images,
    };
  }

  get promptReport(): unknown {
    return isReport(this.#usage) ? promptOf(this.#usage) : undefined;
  }

  failure(error: AnswerError): Buffer {
    return errorEvent(error);
  }

  isPlain(flags: number, firstByte: number | undefined): boolean {
    return (flags & ~flagNamed) === flagDelta && firstByte === openBrace;
  }

  countPlain(bytes: Buffer, _start: number, eventEnd: number, dataStart: number): void {
    const at = dataStart + this.#textAt;
    const end = eventEnd - tail.length;
    const isAlike =
      this.#textAt > 0 &&
      at <= end &&
      bytes.readInt32LE(at - 4) === this.#before &&
      bytes.readInt32LE(end) === tailStart;
    const text = isAlike ? nearTextBytes(bytes, at, end) : this.#find(bytes, dataStart, eventEnd);
    if (text <= smallBytesMax) this.#add(text);
    else this.#addContent(sizeOfRaw(bytes, dataStart + this.#textAt, eventEnd, text));
  }

  /** Bytes of a delta's text, found anywhere in the event. Remembers the position for the next delta. */
  #find(bytes: Buffer, dataStart: number, eventEnd: number): number {
    const at = textAt(bytes, dataStart, eventEnd);
    if (at < 0) return 0;
    this.#textAt = at - dataStart;
    this.#before = bytes.readInt32LE(at - 4);
    return textBytesAt(bytes, at, eventEnd);
  }

  read(text: string, _flags: number, name: string | undefined): StreamEvent {
    const event = parseJson(text);
    if (!isRecord(event)) return text === "[DONE]" ? unsound : failed;
    const type = event["type"] ?? name;
    if (name === "error" || type === "error" || typeof type !== "string") return failed;
    return this.#readEvent(event, type);
  }

  count({ parsed }: StreamEvent): void {
    const event = recordOf(parsed);
    this.#addContent(writtenIn([event["delta"], event["content_block"]]));
  }

  #addContent({ contentBytes, images }: ContentSize): void {
    this.#images += images;
    this.#add(contentBytes);
  }

  #add(text: number): void {
    if (text > smallBytesMax) this.#mergedBytes += text;
    else if (text > 0) {
      this.#events += 1;
      this.#bytes += text;
    }
  }

  #readEvent(event: JsonRecord, type: string): StreamEvent {
    switch (type) {
      case "message_start":
        // The output count of `message_start` is only an initial value, so for a stream without an end it is
        // not a report.
        this.#usage = recordOf(recordOf(event["message"])["usage"]);
        return part;
      case "message_delta":
        return this.#readEnding(event);
      case "message_stop":
        return this.#hasStop ? end : unsound;
      case "content_block_start": {
        const { type: kind, text } = recordOf(event["content_block"]);
        // A starting tool call shows the tool's name to the caller. Hidden thoughts show nothing, so another
        // deployment may still be tried.
        const isShown = typeof kind === "string" && /_use$|_result$/.test(kind);
        return { ...part, hasContent: isShown || isText(text), parsed: event };
      }
      case "content_block_delta": {
        const { text, thinking, partial_json: json, citation } = recordOf(event["delta"]);
        const hasContent = isText(text) || isText(thinking) || isText(json) || isRecord(citation);
        return { ...part, hasContent, parsed: event };
      }
      default:
        return part;
    }
  }

  #readEnding(event: JsonRecord): StreamEvent {
    const isOver = isText(recordOf(event["delta"])["stop_reason"]);
    this.#hasStop ||= isOver;
    const usage = Object.entries(recordOf(event["usage"])).filter(([, value]) => value !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(usage) };
    const report = usage.length > 0 && isReport(this.#usage) ? this.#usage : undefined;
    return { ...part, usage: report, hasContent: isOver, isClosing: isOver };
  }
}
