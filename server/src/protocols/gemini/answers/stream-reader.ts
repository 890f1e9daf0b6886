/**
 * Reads a stream of Gemini's response objects while it is relayed: parts, usage, errors, and the end, which
 * is the object with the last candidate's finish reason. Does not know what the events are used for.
 */
import type { Delivered } from "../../../domain/money/estimate.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../../lib/record.ts";
import type { AnswerError, StreamEvent, StreamReader } from "../../wire-protocol.ts";
import { usageOnly } from "../encode-answer.ts";
import { failedEnd } from "./errors.ts";
import { plainBytesIn, writtenIn } from "./written.ts";

/** Keys that mark an object as worth reading. */
export const streamMarks = [
  "error",
  "finishReason",
  "promptFeedback",
  "functionCall",
  "executableCode",
  "inlineData",
  usageOnly,
] as const;

const openBrace = 0x7b;
const nothing: Buffer = Buffer.alloc(0);

/** Most objects of a stream of words fit. */
const lastBytesMin = 512;

/** An event with more bytes of text than this surely holds more than one token. */
const smallBytesMax = 64;

const failed: StreamEvent = {
  kind: "error",
  usage: undefined,
  hasContent: false,
  isUsageOnly: false,
  parsed: undefined,
};

const candidatesIn = (response: JsonRecord): JsonRecord[] =>
  Array.isArray(response["candidates"]) ? response["candidates"].filter(isRecord) : [];

const partsIn = (candidate: JsonRecord): readonly unknown[] => {
  const { parts } = recordOf(candidate["content"]);
  return Array.isArray(parts) ? parts : [];
};

/** An empty text is not content, although its signature may matter. */
const isContent = (part: unknown): boolean => isRecord(part) && part["text"] !== "";

export class GeminiStreamReader implements StreamReader {
  /** By index: true when the candidate has ended. */
  readonly #candidates = new Map<unknown, boolean>();
  #events = 0;
  #bytes = 0;
  #mergedBytes = 0;
  #images = 0;
  #isBlocked = false;
  /** True once a translation has told the usage of an upstream that reports it once, at the end. */
  #isUsageFinal = false;
  /**
   * The last object that was not looked into: its usage is that of all before it. Copied, because the memory
   * of a read is used again.
   */
  #last = nothing;
  #lastLength = 0;

  get delivered(): Delivered {
    return {
      events: this.#events,
      contentBytes: this.#bytes,
      mergedBytes: this.#mergedBytes,
      images: this.#images,
    };
  }

  failure(error: AnswerError): Buffer {
    return failedEnd(error);
  }

  get isWhole(): boolean {
    if (this.#isBlocked) return true;
    if (this.#candidates.size === 0) return false;
    for (const isOver of this.#candidates.values()) if (!isOver) return false;
    return true;
  }

  get isUsageGrowing(): boolean {
    return !this.#isUsageFinal && !this.isWhole;
  }

  get lastReport(): unknown {
    if (this.#lastLength === 0) return undefined;
    return recordOf(parseJson(this.#last.toString("utf8", 0, this.#lastLength)))["usageMetadata"];
  }

  isPlain(flags: number, firstByte: number | undefined): boolean {
    return flags === 0 && firstByte === openBrace;
  }

  countPlain(bytes: Buffer, _start: number, end: number, dataStart: number): void {
    const length = end - dataStart;
    if (this.#last.length < length) this.#last = Buffer.allocUnsafeSlow(Math.max(lastBytesMin, length));
    this.#lastLength = bytes.copy(this.#last, 0, dataStart, end);
    this.#add(plainBytesIn(bytes, dataStart, end));
  }

  read(text: string, _flags: number, name: string | undefined): StreamEvent {
    const response = parseJson(text);
    if (!isRecord(response) || isRecord(response["error"]) || name === "error") return failed;
    if (isRecord(response["usageMetadata"])) this.#lastLength = 0;
    this.#isUsageFinal ||= response[usageOnly] === true;
    const candidates = candidatesIn(response);
    for (const [place, candidate] of candidates.entries()) {
      const index = candidate["index"] ?? place;
      const reason = candidate["finishReason"];
      const isOver = typeof reason === "string" && reason !== "" && reason !== "FINISH_REASON_UNSPECIFIED";
      this.#candidates.set(index, isOver || this.#candidates.get(index) === true);
    }
    const isBlocked = typeof recordOf(response["promptFeedback"])["blockReason"] === "string";
    this.#isBlocked ||= isBlocked;
    return {
      kind: "part",
      usage: response["usageMetadata"],
      hasContent: isBlocked || candidates.some((candidate) => partsIn(candidate).some(isContent)),
      isUsageOnly: response[usageOnly] === true,
      isClosing: isBlocked || (candidates.length > 0 && this.isWhole),
      parsed: response,
    };
  }

  count({ parsed }: StreamEvent): void {
    const { contentBytes, images } = writtenIn(candidatesIn(recordOf(parsed)).flatMap(partsIn));
    this.#images += images;
    this.#add(contentBytes);
  }

  #add(bytes: number): void {
    if (bytes > smallBytesMax) this.#mergedBytes += bytes;
    else if (bytes > 0) {
      this.#events += 1;
      this.#bytes += bytes;
    }
  }
}
