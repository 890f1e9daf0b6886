/**
 * What the gateway asks of the wire format its callers speak, beside passing an answer's bytes on: what an
 * event of a stream means, where a whole answer says its usage, how much text went by. Types only; everything
 * that is read is an upstream's and untrusted.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import type { Delivered } from "../domain/money/estimate.ts";
import type { Sliced } from "../lib/time/slices.ts";
import type { CallerFormat } from "./format.ts";
import type { ProviderRequest, Span } from "./protocol.ts";

/** One event of a stream that was looked at. */
export interface StreamEvent {
  /**
   * `part`: a piece of the answer. `end`: the terminal marker of a whole answer. `unsound`: the marker,
   * though the answer is not whole. `error`: an error told in the stream, or no event of this format.
   */
  readonly kind: "part" | "end" | "unsound" | "error";
  /** The report of usage in it, for `readUsage`; undefined = none. */
  readonly usage: unknown;
  /** Does it carry anything a caller would show or act on? */
  readonly hasContent: boolean;
  /** Is it there for its usage alone, so that only a caller that asked for usage may see it? */
  readonly isUsageOnly: boolean;
  /** What it says, parsed, for the reader's own count. */
  readonly parsed: unknown;
}

/** Reads one stream. It remembers how far the answer has come and counts what was delivered. */
export interface StreamReader {
  readonly delivered: Delivered;
  /**
   * True for a piece of the answer that needs no look, by its flags
   * (`lib/sse/sse.ts`) and the first byte of its data.
   */
  isPlain(flags: number, firstByte: number | undefined): boolean;
  /** Counts such a piece: `bytes` from `start` to `end`, its data from `dataStart` on. */
  countPlain(bytes: Buffer, start: number, end: number, dataStart: number): void;
  /** What an event means. `name`: of its `event:` line. */
  read(text: string, flags: number, name: string | undefined): StreamEvent;
  /** Counts an event that was read and is sent. `bytes`: the whole event, for the first that has content. */
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
}

/** What a format's streams are wrapped in that are not sent as events. One for each stream. */
export interface StreamFrame {
  /** What whole events become. */
  push(events: Buffer): Buffer;
  /** What the last events become, with the end of the answer. */
  end(events: Buffer): Buffer;
}

/** Where a whole answer has what the gateway looks at. */
export interface WholeAnswer {
  /** The report of usage, for `readUsage`; undefined = none. */
  readonly usage: unknown;
  /** The part that holds what the model wrote, for `contentBytes`. */
  readonly content: Span;
}

/** An address in a request, for providers that need the file's bytes. */
export interface FileAddress {
  readonly url: string;
  /** The first place it stands at, like `messages[0].content[1].image_url.url`. */
  readonly param: string;
  readonly kind: "image" | "file";
}

/** What became of an answer that was read as it came. */
export type ReadAnswer =
  /** `body`: as the caller gets it. `usage`: the report, for `readUsage`; undefined = none. */
  | { readonly body: Buffer; readonly usage: unknown }
  /** It is an answer, but none to this request. For the operator's log. */
  | { readonly note: string }
  /** It is an error, or no answer of this format. */
  | undefined;

/** Reads one whole answer as its bytes come, where answers are large: no step takes long. */
export interface AnswerReader {
  push(chunk: Buffer): void;
  /** The answer is whole. */
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
  /** What the ids of answers begin with that are translated into this format. */
  readonly idPrefix: string;
  /** Absent: OpenAI's. */
  readonly errors?: ErrorShape;
  /** An event that means nothing, to keep a silent stream alive. Absent: a comment. */
  readonly keepAlive?: Buffer;
  /** Absent: streams are sent as events. */
  readonly streamFrame?: { readonly contentType: string; create(): StreamFrame };
  /** Most bytes of events before the first content. Absent: 256 KiB. `bodyBytes`: of the request. */
  heldBytesMax?(bodyBytes: number): number;
  readStream(): StreamReader;
  /** undefined: it is an error, or no answer of this format. */
  readWhole(body: Buffer): WholeAnswer | undefined;
  /** For one answer, where `readWhole` would take long. Not asked for what was translated. */
  answerReader?(): AnswerReader;
  /** Most bytes of a whole answer. `set`: of all formats; absent: that. */
  answerBytesMax?(set: number): number;
  /** Bytes of what the model wrote in a whole answer. */
  contentBytes(body: Buffer, content: Span): number;
  /** Undefined where a report is absent or cannot be trusted (negative, fractional, huge). */
  readUsage(report: unknown): Usage | undefined;
  /**
   * Events of a stream as a caller gets them that did not ask for usage; the same bytes
   * where there is nothing to take out.
   */
  withoutUsage(events: Buffer): Buffer;
  /**
   * Files the request names by address, each once. Throws `Untranslatable` where the request is wrong anyway.
   */
  addressesOf(request: ProviderRequest): readonly FileAddress[];
}
