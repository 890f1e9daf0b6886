/**
 * Reads a stream of Messages as it passes (docs/wire/anthropic-messages.md section 4): deltas by their flags
 * alone, the reports of usage, which are cumulative, and the end. It does not know what the events are for.
 */
import type { Delivered } from "../../../domain/money/estimate.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../../lib/record.ts";
import { flagNamed } from "../../../lib/sse/sse.ts";
import type { StreamEvent, StreamReader } from "../../wire-protocol.ts";
import { isReport } from "../usage.ts";
import { nearTextBytes, textAt, textBytesAt, writtenBytesIn } from "./written.ts";

/** Keys of an event that are worth a look. */
export const streamMarks = ["delta", "usage", "message", "content_block", "error"] as const;
const flagDelta = 1;

const openBrace = 0x7b;
/** What ends a delta as Anthropic writes it: the text's quote, two objects, and the event. */
const tail = Buffer.from('"}}\n\n');
const tailStart = tail.readInt32LE(0);
/** Beyond this many bytes of text an event is surely more than a token. */
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
  /** Where the last delta's text began in its data, and the bytes before it: most are as the one before. */
  #textAt = -1;
  #before = 0;
  #usage: JsonRecord = {};
  #hasStop = false;

  get delivered(): Delivered {
    return { events: this.#events, contentBytes: this.#bytes, mergedBytes: this.#mergedBytes };
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
    this.#add(isAlike ? nearTextBytes(bytes, at, end) : this.#find(bytes, dataStart, eventEnd));
  }

  /** Bytes of a delta's text, wherever it is, which is remembered. */
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
    this.#add(writtenBytesIn([event["delta"], event["content_block"]]));
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
        // What it says of the output is a beginning: of a stream without an end it is no report.
        this.#usage = recordOf(recordOf(event["message"])["usage"]);
        return part;
      case "message_delta":
        return this.#readEnding(event);
      case "message_stop":
        return this.#hasStop ? end : unsound;
      case "content_block_start": {
        const { type: kind, text } = recordOf(event["content_block"]);
        // A call that begins names its tool. Thoughts that are hidden show nothing: another may be asked yet.
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
    return { ...part, usage: report, hasContent: isOver };
  }
}
