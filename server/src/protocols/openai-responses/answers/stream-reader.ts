/**
 * Reads a stream of Responses while it is relayed (docs/wire/openai-responses.md section 3): deltas by their
 * flags only, the terminal event, which has the usage, and errors. Does not know what the events are used
 * for.
 */
import type { Delivered } from "../../../domain/money/estimate.ts";
import { isRecord, type JsonRecord, parseJson, recordOf, textIn } from "../../../lib/record.ts";
import { flagNamed } from "../../../lib/sse/sse.ts";
import type { AnswerError, EarlierEvents, StreamEvent, StreamReader } from "../../wire-protocol.ts";
import { failedEnd } from "../errors.ts";
import { usageEvent } from "../events.ts";
import { DeltaCount } from "./delta-count.ts";
import { DoneItems } from "./done-items.ts";
import { isImage, saidIn } from "./said.ts";

/** Keys that mark an event as worth reading. A delta without text has none. */
export const streamMarks = ["delta", "response", "error", "message", "item", "result"] as const;
const flagDelta = 1;
const flagResponse = 2;
const flagItem = 16;

const openBrace = 0x7b;

/** Events that come before any content. */
const preamble: ReadonlySet<string> = new Set([
  "response.created",
  "response.in_progress",
  "response.queued",
]);

const without = { usage: undefined, hasContent: false, isUsageOnly: false, parsed: undefined } as const;
const unsound: StreamEvent = { kind: "unsound", ...without };
const failed: StreamEvent = { kind: "error", ...without };
const part: StreamEvent = { kind: "part", ...without };

/** Used for an end written by the gateway when the answer's first events did not come. */
const unknownHead = { responseId: "resp_unknown", createdSeconds: 0, model: "" };

export class ResponsesStreamReader implements StreamReader {
  readonly #count = new DeltaCount();
  #head = unknownHead;
  #events = 0;
  #hasDelta = false;
  #hasContent = false;
  readonly #done: DoneItems;
  lacking: EarlierEvents | undefined;

  /** `isStored`: false for an answer that is not to be stored. */
  constructor(isStored = true) {
    this.#done = new DoneItems(isStored);
  }

  get delivered(): Delivered {
    return this.#count.delivered;
  }

  /** The failed end of this stream, for the response it began and with the next sequence number. */
  failure(error: AnswerError): Buffer {
    return failedEnd({ ...this.#head, sequenceNumber: this.#events }, error);
  }

  isPlain(flags: number, firstByte: number | undefined): boolean {
    return (flags & ~flagNamed) === flagDelta && firstByte === openBrace;
  }

  countPlain(bytes: Buffer, _start: number, end: number, dataStart: number): void {
    this.#events += 1;
    this.#hasDelta = true;
    this.#count.count(bytes, dataStart, end);
  }

  read(text: string, flags: number, name: string | undefined): StreamEvent {
    const event = this.#read(text, flags, name);
    if ((flags & flagItem) !== 0) this.#done.take(text, name);
    // Only events that reach the caller take a sequence number: the gateway writes failures itself and
    // removes the usage.
    if ((event.kind === "part" && !event.isUsageOnly) || event.kind === "end") this.#events += 1;
    return event;
  }

  count({ parsed }: StreamEvent): void {
    const event = recordOf(parsed);
    const delta = textIn(event["delta"]);
    if (delta !== undefined) {
      this.#hasDelta = true;
      this.#count.add(Buffer.byteLength(delta));
      // If an upstream sends no deltas, complete items are counted; images always.
    } else if (event["type"] === "response.output_item.done") {
      const item = recordOf(event["item"]);
      if (!this.#hasDelta || isImage(item)) this.#count.addContent(saidIn(item));
    }
  }

  #read(text: string, flags: number, name: string | undefined): StreamEvent {
    if (text === "[DONE]") return unsound;
    // After the first content, an event without any of the marks is not read.
    const marks = flags & ~flagNamed;
    const isPassed = marks === 0 || (marks === flagItem && this.#hasDelta);
    if (this.#hasContent && isPassed && name !== "error" && text.startsWith("{")) return part;
    if (marks === flagResponse && name !== undefined && preamble.has(name)) {
      this.#begin(text);
      return part;
    }
    const event = parseJson(text);
    if (!isRecord(event)) return failed;
    if (event["type"] === usageEvent)
      return { ...part, usage: recordOf(event["response"])["usage"], isUsageOnly: true };
    return this.#readEvent(event, textIn(event["type"]) ?? name ?? "");
  }

  #readEvent(event: JsonRecord, type: string): StreamEvent {
    const response = event["response"];
    switch (type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        this.#begin(JSON.stringify(response) ?? "");
        return part;
      case "response.completed":
      case "response.incomplete":
        return this.#readEnd(event, response);
      case "response.failed":
      case "response.cancelled":
        return { ...failed, usage: recordOf(response)["usage"] };
      case "error":
        return failed;
      case "":
        return failed;
      default: {
        const hasContent = hasContentIn(event, type);
        this.#hasContent ||= hasContent;
        return { ...part, hasContent, parsed: event };
      }
    }
  }

  /** Reads the end of a complete answer. An end without a response, or with a failed one, does not count. */
  #readEnd(event: JsonRecord, value: unknown): StreamEvent {
    const response = recordOf(value);
    const { error, status, usage, output } = response;
    if (isRecord(error) || status === "failed" || status === "cancelled") return { ...failed, usage };
    if (!isRecord(value)) return unsound;
    this.lacking = this.#done.lackedBy(value, this.#head === unknownHead ? undefined : this.#head.responseId);
    // If everything comes at once at the end, the end is also the content.
    const isAll = !this.#hasContent && Array.isArray(output) && output.length > 0;
    if (isAll && !this.#hasDelta) this.#count.addContent(saidIn(output));
    return { kind: "end", usage, hasContent: isAll, isUsageOnly: false, parsed: event };
  }

  /** Finds the response's id without parsing the event, which repeats the whole request. */
  #begin(text: string): void {
    const responseId = /"id":\s*"([^"\\]{1,200})"/.exec(text.slice(0, 1_000))?.[1];
    if (responseId === undefined || this.#head !== unknownHead) return;
    const created = /"created_at":\s*(\d{1,12})/.exec(text.slice(0, 1_000))?.[1];
    const model = /"model":\s*"([^"\\]{1,200})"/.exec(text)?.[1];
    this.#head = { responseId, createdSeconds: Number(created ?? 0), model: model ?? "" };
  }
}

/** True when the event has anything a caller would show or act on. */
function hasContentIn(event: JsonRecord, type: string): boolean {
  if (type.endsWith(".delta")) return textIn(event["delta"]) !== undefined;
  const item = recordOf(event["item"]);
  // A starting call shows the tool's name; other items are empty until their first delta.
  if (type === "response.output_item.added") return textIn(item["name"]) !== undefined;
  // Hidden thoughts show nothing, so another deployment may still be tried.
  return (
    type === "response.output_item.done" && (item["type"] !== "reasoning" || saidIn(item).contentBytes > 0)
  );
}
