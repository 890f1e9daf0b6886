/**
 * What the gateway needs to know of its callers' wire format besides relaying bytes: the meaning of stream
 * events, where a whole answer has its usage, and how much text was sent. Types only. Everything read is from
 * an upstream and untrusted.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import type { Delivered } from "../domain/money/estimate.ts";
import type { Sliced } from "../lib/time/slices.ts";
import type { ContentSize } from "./content-size.ts";
import type { CallerFormat } from "./format.ts";
import type { ProviderRequest, Span } from "./protocol.ts";

/** One parsed event of a stream. */
export interface StreamEvent {
  /**
   * `part`: a piece of the answer. `end`: the terminal marker of a complete answer. `unsound`: the marker of
   * an incomplete answer. `error`: an error in the stream, or an event that is not of this format.
   */
  readonly kind: "part" | "end" | "unsound" | "error";
  /**
   * Of a part: it says that the answer is over, so that it is kept back like the marker, until that comes or
   * the answer goes on. Absent: no.
   */
  readonly isClosing?: boolean;
  /** The report of usage in it, for `readUsage`; undefined = none. */
  readonly usage: unknown;
  /** True when it has anything a caller would show or act on. */
  readonly hasContent: boolean;
  /** True when it only carries usage, so that it is sent only to callers that asked for usage. */
  readonly isUsageOnly: boolean;
  /** Its parsed content, for the reader's own counter. */
  readonly parsed: unknown;
}

/** What a stream said of its answer before its end, and the end should have repeated. */
export interface EarlierEvents {
  /** The answer's id; undefined: none was said. */
  readonly id: string | undefined;
  /** Data of the events that ended an item, as JSON, in their order. */
  readonly itemsDone: readonly string[];
}

/** Reads one stream. Tracks its state and counts what was delivered. */
export interface StreamReader {
  readonly delivered: Delivered;
  /** Of a format without a terminal marker: is the answer whole, should the stream end here? */
  readonly isWhole?: boolean;
  /** Of a format that repeats its usage with each piece: the last report, `readUsage` takes it. */
  readonly lastReport?: unknown;
  /** Of such a format: true while the upstream may use more than it has reported. */
  readonly isUsageGrowing?: boolean;
  /** Of a format that tells the prompt's usage at the start: that report, with no output. */
  readonly promptReport?: unknown;
  /** Ids of what the upstream keeps of the answer, as far as parsed events tell them. Absent: none. */
  readonly keptIds?: readonly string[] | undefined;
  /** Of a format whose end repeats the answer: what its end lacked. Absent: nothing. */
  readonly lacking?: EarlierEvents | undefined;
  /**
   * True for a piece of the answer that need not be parsed, judged by its flags (`lib/sse/sse.ts`) and the
   * first byte of its data.
   */
  isPlain(flags: number, firstByte: number | undefined): boolean;
  /** Counts such a piece: `bytes` from `start` to `end`. Its data begins at `dataStart`. */
  countPlain(bytes: Buffer, start: number, end: number, dataStart: number): void;
  /** Parses an event. `name`: of its `event:` line. */
  read(text: string, flags: number, name: string | undefined): StreamEvent;
  /** Counts a parsed event that is sent. `bytes`: the whole event, given for the first one with content. */
  count(event: StreamEvent, bytes?: Buffer): void;
  /**
   * The end of this stream where it fails, after all that was read of it. Changes nothing, so that the same
   * end can be kept for a repeated call. Absent: OpenAI's event.
   */
  failure?(error: AnswerError): Buffer;
}

/** An error of ours as the writer of a format gets it. */
export interface AnswerError {
  /** The catalogue's code, or the one that an upstream's refusal is passed on with. */
  readonly code: string;
  /** The catalogue's family, in OpenAI's words. */
  readonly type: string;
  readonly message: string;
  /** HTTP status; in a stream what it would have been. */
  readonly status: number;
  /** The field of the request that it is about. */
  readonly param?: string | null | undefined;
  readonly requestId?: string | undefined;
  /** Milliseconds until trying again may help. */
  readonly retryAfterMs?: number | undefined;
}

/** How callers of a format read errors that are whole answers. */
export interface ErrorShape {
  body(error: AnswerError): Buffer;
  /** Headers of every answer, errors or not, that carry the request's id beside `x-request-id`, flat. */
  headers?(requestId: string): readonly string[];
  /** True for an upstream's words about a prompt that is too long which clients read as they are. */
  readsOverflow?(text: string): boolean;
}

/** What a format's streams are wrapped in that are not sent as events. One for each stream. */
export interface StreamFrame {
  /** What whole events become. */
  push(events: Buffer): Buffer;
  /** What the last events become, with the end of the answer. */
  end(events: Buffer): Buffer;
}

/** Where a whole answer has the values the gateway needs. */
export interface WholeAnswer {
  /** The usage report, for `readUsage`; undefined: none. */
  readonly usage: unknown;
  /** The span of the model's output, for `contentSize`. */
  readonly content: Span;
}

/** A URL in a request, for providers that need the file's bytes. */
export interface FileAddress {
  readonly url: string;
  /** Its first position, like `messages[0].content[1].image_url.url`. */
  readonly param: string;
  readonly kind: "image" | "file";
}

/** The result of reading an answer as it arrived. */
export type ReadAnswer =
  /** `body`: as sent to the caller. `usage`: the report, for `readUsage`; undefined: none. */
  | { readonly body: Buffer; readonly usage: unknown }
  /** An answer that does not fit this request. The note is for the operator's log. */
  | { readonly note: string }
  /** An error, or not an answer of this format. */
  | undefined;

/** Reads one whole answer as its bytes arrive, for large answers. Every step is short. */
export interface AnswerReader {
  push(chunk: Buffer): void;
  /** Called when the answer is complete. */
  finish(body: Buffer): Sliced<ReadAnswer>;
}

export interface WireProtocol {
  /**
   * The format of conversations it is, which upstreams of other formats are translated to. Absent: what it
   * asks is no conversation, and providers serve it by operation.
   */
  readonly format?: CallerFormat;
  /** Keys that make an event of a stream worth a look; their order gives the bits of its flags. */
  readonly streamMarks: readonly string[];
  /** Prefix of the ids of answers translated to this format. */
  readonly idPrefix: string;
  /** Absent: OpenAI's. */
  readonly errors?: ErrorShape;
  /** An event that means nothing, to keep a silent stream alive. Absent: a comment. */
  readonly keepAlive?: Buffer;
  /** Absent: streams are sent as events. */
  readonly streamFrame?: { readonly contentType: string; create(): StreamFrame };
  /** Most bytes of events before the first content. Absent: 256 KiB. `bodyBytes`: of the request. */
  heldBytesMax?(bodyBytes: number): number;
  /**
   * For a path that asks how many tokens a request has: the answer with this count. Absent: requests are
   * answered.
   */
  writeCount?(tokens: number): Buffer;
  readStream(): StreamReader;
  /** Undefined: an error, or not an answer of this format. */
  readWhole(body: Buffer): WholeAnswer | undefined;
  /**
   * A reader for one answer, for formats where `readWhole` would take long. Not used for translated answers.
   */
  answerReader?(): AnswerReader;
  /** An answer in this format, of what was joined of several, in OpenAI's. Absent: as it was joined. */
  joined?(answer: Buffer): Sliced<Buffer>;
  /** Most bytes of a whole answer. `set`: the general limit, which applies if this is absent. */
  answerBytesMax?(set: number): number;
  /** How much the model wrote in a whole answer. */
  contentSize(body: Buffer, content: Span): ContentSize;
  /** Undefined when a report is absent or implausible (negative, fractional, huge). */
  readUsage(report: unknown): Usage | undefined;
  /**
   * A stream's events for callers that did not ask for usage; the same buffer when there is nothing to
   * remove.
   */
  withoutUsage(events: Buffer): Buffer;
  /** Files that the request gives by URL, each once. Throws `Untranslatable` for an invalid request. */
  addressesOf(request: ProviderRequest): readonly FileAddress[];
}
