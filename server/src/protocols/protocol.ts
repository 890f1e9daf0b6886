/**
 * What a protocol is given and gives: a caller's request with the spans of what the gateway reads of it, an
 * answer to translate, and the fault an attempt ends with. Types only. Protocols know wire formats; where an
 * upstream is and how it is reached is a provider's.
 */
import type { Message } from "@plaza/contract/messages/message.ts";
import type { AnswerSink, StreamSink } from "../conversation/answer.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { MediaFile } from "../conversation/media.ts";
import type { FaultKind } from "../domain/routing/fault.ts";
import type { Sliced } from "../lib/time/slices.ts";

export type { MediaFile } from "../conversation/media.ts";

/** A failed attempt, as data: the gateway decides whether to fall back and what the caller is told. */
export interface Fault {
  readonly kind: FaultKind;
  /** Upstream HTTP status, when one arrived. */
  readonly status?: number | undefined;
  /**
   * Only for faults the caller made: upstream's text, scrubbed of secrets and hosts, at most 500 characters.
   */
  readonly message?: string | undefined;
  /** What `message` says, where it is ours and not the upstream's. */
  readonly messageRef?: Message | undefined;
  readonly param?: string | undefined;
  /** Only for `bad_request`: one of `upstreamRequestCodes`, or `unsupported_parameter`. */
  readonly code?: string | undefined;
  /**
   * Only for `model_unavailable`: the upstream says that no model is called so, which the
   * caller is told as `model_not_found`.
   */
  readonly isModelUnknown?: boolean | undefined;
  /** How long the upstream asked us to wait: whole milliseconds, 0 to one hour. */
  readonly retryAfterMs?: number | undefined;
  /**
   * For the operator's log, never for the caller: what was seen. Holds no text of the
   * upstream's, which may quote a prompt.
   */
  readonly note?: string | undefined;
}

/** Response headers by lower-case name, as undici delivers them. */
export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What to send upstream. */
export interface UpstreamCall {
  /** Path and query below the base URL's origin. */
  readonly path: string;
  /** Flat list: name, value, name, value … */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /**
   * Parameters of the caller's that were left out, because it allowed that or because they ask for a
   * manner; told in `x-plaza-dropped-params`.
   */
  readonly dropped?: readonly string[] | undefined;
}

/** What the answer to one of several calls brings. */
export interface AnswerPart {
  /** Its part of the whole answer, in the caller's format. */
  readonly bytes: Buffer;
  /** Tokens the upstream says it read; undefined: it says none, or none that can be true. */
  readonly inputTokens: number | undefined;
}

/** An answer that was put together. */
export interface JoinedAnswer {
  /** In the caller's format. */
  readonly body: Buffer;
  /** The report of usage in it, for `readUsage` of the caller's format. */
  readonly usage: unknown;
}

/** Several calls that together answer one request. All go to one deployment, as one attempt. */
export interface CallBatch {
  /** At least one, in the order of what the request asks. */
  readonly calls: readonly UpstreamCall[];
  /** Reads the answer to the call at `index`. undefined: it is none, and `fault` says what it is. */
  take(index: number, body: Buffer, headers: UpstreamHeaders): Sliced<AnswerPart | undefined>;
  /** The whole answer of one part for each call. */
  join(parts: readonly AnswerPart[]): Sliced<JoinedAnswer>;
}

/** Headers of the caller's that an endpoint lets through to upstreams of its format, by lower-case name. */
export type ForwardedHeaders = Readonly<Record<string, string>>;

/** One caller's request as a provider gets it. */
export interface ProviderRequest {
  /** The caller's body, byte for byte. */
  readonly body: Buffer;
  /** Spans of the top-level fields named in `gateway/request/body/receive.ts`, as offsets into `body`. */
  readonly spans: FieldSpans;
  /** What the endpoint read of the body, for codecs of its operation: they know its type. */
  readonly fields?: unknown;
  /** Absent: its endpoint lets none through. */
  readonly forwarded?: ForwardedHeaders | undefined;
  readonly isStream: boolean;
  /**
   * Most output tokens per choice that are paid for, where the caller may have
   * asked for more: the request must say so.
   */
  readonly outputTokensMax?: number | undefined;
  /** The model's cap of output tokens; undefined = unknown. */
  readonly outputCap?: number | undefined;
  /** May what cannot be expressed be left out? Otherwise it is refused by name. */
  readonly dropsParams?: boolean | undefined;
  /** Unix milliseconds now, for signatures and `created`. */
  readonly nowMs?: number | undefined;
  /**
   * Files the body names by address and that were fetched for a provider that needs them inlined, by address.
   */
  readonly media?: ReadonlyMap<string, MediaFile> | undefined;
  /** What was remembered of earlier answers of this account. */
  readonly memory?: ReplayMemory | undefined;
}

/**
 * Things upstreams want to see again that most clients drop (signatures of reasoning), by the id of the tool
 * call they belong to. Bounded and forgetful: what is not there is worked around.
 */
export interface ReplayMemory {
  recall(toolCallId: string): string | undefined;
  remember(toolCallId: string, value: string): void;
}

/** Where a top-level value lies in the body: bytes `start` (inclusive) to `end` (exclusive). */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Spans of the top-level fields of a request that the gateway reads or may edit, whatever its operation. */
export interface FieldSpans {
  /** Absent where the caller only sent a list of models. */
  readonly model?: Span | undefined;
  /** The caller's own list of models: the gateway's alone, so it must not reach an upstream. */
  readonly models?: Span | undefined;
  readonly stream_options?: Span | undefined;
  readonly max_tokens?: Span | undefined;
  readonly max_completion_tokens?: Span | undefined;
  readonly prompt_cache_key?: Span | undefined;
  readonly user?: Span | undefined;
  /**
   * Every bound of the output there is, the two above and those under other names, in
   * whatever object they stand. No nulls.
   */
  readonly outputs?: readonly Span[] | undefined;
}

/** What a translated answer is told of the request it answers. */
export interface AnswerContext {
  /** Of the whole answer, `chatcmpl-…`. */
  readonly id: string;
  readonly createdSeconds: number;
  /** The model's name at the upstream, where the answer itself says none. */
  readonly model: string;
  readonly request: ProviderRequest;
}

/** Translates one stream. It never throws for what an upstream wrote: unknown events are skipped. */
export interface StreamTranslator {
  /**
   * Whole events of OpenAI's wire for one chunk of the upstream's body; an empty buffer when there
   * are none yet. An error of the upstream's goes down as `event: error` with the upstream's own
   * JSON, which `fault` then classifies.
   */
  push(chunk: Buffer): Buffer;
  /** The body is over. The terminal marker is written only where the protocol's own end was seen. */
  end(): Buffer;
}

/** How the answers of a protocol other than OpenAI's become OpenAI's. */
export interface AnswerTranslation {
  /** The media type of its streams, lower case. */
  readonly streamType: string;
  stream(context: AnswerContext): StreamTranslator;
  /** A whole answer; undefined when it is none (then `fault` says what it is). */
  whole(body: Buffer, context: AnswerContext): Buffer | undefined;
}

/** What an encoder is told of a request beside its conversation. */
export type EncodeContext = Pick<
  ProviderRequest,
  "isStream" | "outputTokensMax" | "outputCap" | "dropsParams" | "media" | "memory"
>;

/** A request in a protocol's own words, and what of the caller's was left out of it. */
export interface Encoded<Body> {
  readonly body: Body;
  readonly dropped: readonly string[] | undefined;
}

/** What a reader of an answer is told of the request it answers. */
export interface DecodeContext {
  readonly conversation: Conversation;
  /** The model's name as it was called. */
  readonly model: string;
  readonly memory: ReplayMemory | undefined;
  /** Of the whole answer: other ids are made from it. */
  readonly answerId: string;
}

/** Reads one stream. It never throws for what an upstream wrote: unknown events are skipped. */
export interface StreamDecoder {
  push(chunk: Buffer): void;
  /** The body is over. The answer is closed only where the protocol's own end was seen. */
  end(): void;
}

/** How a protocol's answers are read. */
export interface AnswerDecoder {
  /** The media type of its streams, lower case. */
  readonly streamType: string;
  stream(context: DecodeContext, sink: StreamSink): StreamDecoder;
  /**
   * Says a whole answer to the sink. False: it is none (then `fault` says
   * what it is), and what was said is void.
   */
  whole(body: Buffer, context: DecodeContext, sink: AnswerSink): boolean;
}
