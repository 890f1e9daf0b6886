/**
 * Reads a stream of Gemini's response objects while it is relayed: parts, usage, errors, and the end, which
 * is the object with the last candidate's finish reason. Does not know what the events are used for.
 */
import type { Delivered } from "../../../domain/money/estimate.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../../lib/record.ts";
import type { AnswerError, StreamEvent, StreamReader } from "../../wire-protocol.ts";
import { usageOnly } from "../encode-answer.ts";
import { failedEnd } from "./errors.ts";
import { writtenBytesIn } from "./written.ts";

/** Keys that mark an object as worth reading. */
export const streamMarks = ["error", "finishReason", "promptFeedback"] as const;

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
  #usage: unknown;

  get delivered(): Delivered {
    return { events: this.#events, contentBytes: this.#bytes, mergedBytes: this.#mergedBytes };
  }

  failure(error: AnswerError): Buffer {
    return failedEnd(error);
  }

  /** Every object has usage of its own, of which the last counts: each is read. */
  isPlain(): boolean {
    return false;
  }

  countPlain(): void {}

  read(text: string, _flags: number, name: string | undefined): StreamEvent {
    const response = parseJson(text);
    if (!isRecord(response) || isRecord(response["error"]) || name === "error") return failed;
    if (isRecord(response["usageMetadata"])) this.#usage = response["usageMetadata"];
    const candidates = candidatesIn(response);
    for (const [place, candidate] of candidates.entries()) {
      const index = candidate["index"] ?? place;
      const reason = candidate["finishReason"];
      const isOver = typeof reason === "string" && reason !== "" && reason !== "FINISH_REASON_UNSPECIFIED";
      this.#candidates.set(index, isOver || this.#candidates.get(index) === true);
    }
    const isBlocked = typeof recordOf(response["promptFeedback"])["blockReason"] === "string";
    const hasContent = candidates.some((candidate) => partsIn(candidate).some(isContent)) || isBlocked;
    const isEnd = isBlocked || ([...this.#candidates.values()].every(Boolean) && candidates.length > 0);
    return {
      kind: isEnd ? "end" : "part",
      usage: response["usageMetadata"] ?? (isEnd ? this.#usage : undefined),
      hasContent,
      isUsageOnly: response[usageOnly] === true,
      parsed: response,
    };
  }

  count({ parsed }: StreamEvent): void {
    let bytes = 0;
    for (const candidate of candidatesIn(recordOf(parsed))) bytes += writtenBytesIn(partsIn(candidate));
    if (bytes > smallBytesMax) this.#mergedBytes += bytes;
    else if (bytes > 0) {
      this.#events += 1;
      this.#bytes += bytes;
    }
  }
}
