/**
 * The interface between the gateway, protocols and providers: a caller's request with the spans the gateway
 * reads, an answer to translate, and the fault of a failed attempt. Types only. Protocols know wire formats;
 * a provider knows where an upstream is and how to reach it.
 */
import type { Message } from "@plaza/contract/messages/message.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import type { AnswerSink, StreamSink } from "../conversation/answer.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { MediaFile } from "../conversation/media.ts";
import type { Delivered } from "../domain/money/estimate.ts";
import type { FaultKind } from "../domain/routing/fault.ts";
import type { Sliced } from "../lib/time/slices.ts";
import type { Seal } from "./payloads/seal.ts";

export type { MediaFile } from "../conversation/media.ts";

/** A failed attempt as data. The gateway decides whether to fall back and what to tell the caller. */
export interface Fault {
  readonly kind: FaultKind;
  /** Upstream HTTP status, if one arrived. */
  readonly status?: number | undefined;
  /**
   * Only for faults of the caller: the upstream's text, without secrets and hosts, at most 500 characters.
   */
  readonly message?: string | undefined;
  /** The message as an id, when the text is Plaza's and not the upstream's. */
  readonly messageRef?: Message | undefined;
  readonly param?: string | undefined;
  /** Only for `bad_request`: one of `upstreamRequestCodes`, or `unsupported_parameter`. */
  readonly code?: string | undefined;
  /**
   * Only for `model_unavailable`: the upstream does not know the model, which the caller sees as
   * `model_not_found`.
   */
  readonly isModelUnknown?: boolean | undefined;
  /** The wait the upstream asked for: whole milliseconds, 0 to one hour. */
  readonly retryAfterMs?: number | undefined;
  /**
   * For the operator's log, never for the caller. Contains no text of the upstream, which may quote a prompt.
   */
  readonly note?: string | undefined;
}

/** Response headers by lower-case name, as undici delivers them. */
export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A request to an upstream. */
export interface UpstreamCall {
  /** Path and query below the base URL's origin. */
  readonly path: string;
  /** Flat list: name, value, name, value … */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /**
   * Parameters of the caller that were dropped, because it allowed that or they only affect style. Listed in
   * `x-plaza-dropped-params`.
   */
  readonly dropped?: readonly string[] | undefined;
}

/** The answer to one of several calls. */
export interface AnswerPart {
  /** Its part of the whole answer, in the caller's format. */
  readonly bytes: Buffer;
  /** Tokens read as the upstream reports them; undefined when it reports none or an implausible number. */
  readonly inputTokens: number | undefined;
}

/** The combined answer of several calls. */
export interface JoinedAnswer {
  /** In the caller's format. */
  readonly body: Buffer;
  /** The usage report in it, for `readUsage` of the caller's format. */
  readonly usage: unknown;
}

/** Several calls that together answer one request. All go to one deployment, as one attempt. */
export interface CallBatch {
  /** At least one, in the order of the request's inputs. */
  readonly calls: readonly UpstreamCall[];
  /** Reads the answer to the call at `index`. Undefined: it is not an answer; `fault` then classifies it. */
  take(index: number, body: Buffer, headers: UpstreamHeaders): Sliced<AnswerPart | undefined>;
  /** Combines one part per call into the whole answer. */
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
  /** What the endpoint read from the body. The codecs of its operation know the type. */
  readonly fields?: unknown;
  /** Absent: its endpoint lets none through. */
  readonly forwarded?: ForwardedHeaders | undefined;
  readonly isStream: boolean;
  /**
   * Most output tokens per choice that are paid for. The call must set this limit if the caller's is higher
   * or absent.
   */
  readonly outputTokensMax?: number | undefined;
  /** The model's output limit in tokens; undefined: unknown. */
  readonly outputCap?: number | undefined;
  /** Most tokens the model reads of one prompt; undefined = unknown. */
  readonly contextTokens?: number | undefined;
  /** True when what cannot be expressed may be left out. Otherwise it is refused by name. */
  readonly dropsParams?: boolean | undefined;
  /** The current time in Unix milliseconds, for signatures and `created`. */
  readonly nowMs?: number | undefined;
  /** Files that the body gives by URL, fetched for a provider that needs them inlined; by URL. */
  readonly media?: ReadonlyMap<string, MediaFile> | undefined;
  /** Members of an answer that repeats its request, where the gateway knows them better than the body. */
  readonly echo?: Readonly<Record<string, unknown>> | undefined;
  /** Of payloads of opaque reasoning that callers carry; absent: plain. */
  readonly seal?: Seal | undefined;
  /** The upstream's id: who makes what only it can read. */
  readonly maker?: string | undefined;
  /** What was remembered of earlier answers to this account. */
  readonly memory?: ReplayMemory | undefined;
}

/**
 * Data that upstreams need back and most clients drop (signatures of reasoning), by tool call id. It is
 * bounded and entries may expire, so callers must cope with missing ones.
 */
export interface ReplayMemory {
  recall(toolCallId: string): string | undefined;
  remember(toolCallId: string, value: string): void;
}

/** The span of a top-level value in the body: bytes `start` (inclusive) to `end` (exclusive). */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Spans of the top-level request fields that the gateway reads or may edit, for any operation. */
export interface FieldSpans {
  /** Absent when the caller sent only a list of models. */
  readonly model?: Span | undefined;
  /** The caller's list of models. It is for the gateway and must not reach an upstream. */
  readonly models?: Span | undefined;
  readonly stream_options?: Span | undefined;
  readonly max_tokens?: Span | undefined;
  readonly max_completion_tokens?: Span | undefined;
  /** Responses. */
  readonly max_output_tokens?: Span | undefined;
  /** Responses: is the answer to be kept? */
  readonly store?: Span | undefined;
  /** Responses: what else the answer is to contain. */
  readonly include?: Span | undefined;
  /** Messages: what an upstream is to hold of the conversation, and what it is to say of earlier calls. */
  readonly thread?: Span | undefined;
  readonly diagnostics?: Span | undefined;
  /** Gemini: what holds its bound of the output, and that bound. */
  readonly generationConfig?: Span | undefined;
  readonly maxOutputTokens?: Span | undefined;
  readonly prompt_cache_key?: Span | undefined;
  readonly user?: Span | undefined;
  /**
   * Every output limit in the request: the two above and those under other names or in other objects. No
   * nulls.
   */
  readonly outputs?: readonly Span[] | undefined;
}

/** What the translation of an answer gets from its request. */
export interface AnswerContext {
  /** Id of the whole answer, `chatcmpl-…`. */
  readonly id: string;
  readonly createdSeconds: number;
  /** The upstream model's name, used when the answer names none. */
  readonly model: string;
  readonly request: ProviderRequest;
}

/** Translates one stream. Never throws because of an upstream's data; unknown events are skipped. */
export interface StreamTranslator {
  /**
   * Returns whole events in OpenAI's format for one chunk of the upstream's body; an empty buffer when there
   * are none yet. An upstream's error becomes `event: error` with the upstream's own JSON, which `fault` then
   * classifies.
   */
  push(chunk: Buffer): Buffer;
  /** Ends the body. The terminal marker is written only if the protocol's own end arrived. */
  end(): Buffer;
  /**
   * How much the upstream said so far, the caller need not have got it; undefined where only what the caller
   * gets is counted.
   */
  readonly said?: Delivered | undefined;
  /** Both as of the decoder. */
  readonly earlyUsage?: EarlyUsage | undefined;
  readonly isWhole?: boolean | undefined;
  /** Of one that works elsewhere: ends the stream as if its body had ended. */
  finish?: (() => void) | undefined;
}

/** Translates the answers of a protocol other than OpenAI's to OpenAI's. */
export interface AnswerTranslation {
  /** The media type of its streams, lower case. */
  readonly streamType: string;
  /** As of its decoder. */
  readonly isUsageGrowing?: boolean | undefined;
  /** True where a large request is no reason to translate in a thread. */
  readonly readsNoRequest?: boolean | undefined;
  stream(context: AnswerContext): StreamTranslator;
  /**
   * A whole answer; undefined when it is not one (`fault` then classifies it). `onSaid` is told how much the
   * upstream said, the caller need not get it; not called where only what the caller gets is counted.
   */
  whole(
    body: Buffer,
    context: AnswerContext,
    onSaid?: ((said: Delivered) => void) | undefined,
  ): Buffer | undefined;
}

/** What an encoder gets of a request besides its conversation. */
export type EncodeContext = Pick<
  ProviderRequest,
  "isStream" | "outputTokensMax" | "outputCap" | "dropsParams" | "media" | "memory" | "forwarded" | "maker"
>;

/** A request in a protocol's format, and the names of dropped parameters. */
export interface Encoded<Body> {
  readonly body: Body;
  readonly dropped: readonly string[] | undefined;
}

/** What an answer's decoder gets from its request. */
export interface DecodeContext {
  readonly conversation: Conversation;
  /** The model's name as it was called. */
  readonly model: string;
  readonly memory: ReplayMemory | undefined;
  /** As of the request. */
  readonly maker?: string | undefined;
  /** Id of the whole answer; other ids are derived from it. */
  readonly answerId: string;
}

/** What an upstream has reported of its usage before the end of a stream. */
export interface EarlyUsage {
  readonly usage: Usage;
  /** Only the classes of the prompt mean anything, not the output. */
  readonly isPromptAlone: boolean;
}

/** Reads one stream. Never throws because of an upstream's data; unknown events are skipped. */
export interface StreamDecoder {
  push(chunk: Buffer): void;
  /** Ends the body. The answer is closed only if the protocol's own end arrived. */
  end(): void;
  /** Read when it is asked for; undefined: nothing so far. Absent: the format reports it only at its end. */
  readonly earlyUsage?: EarlyUsage | undefined;
  /** Of a format without a terminal marker: is the answer whole, should the body end here? */
  readonly isWhole?: boolean | undefined;
}

/** Reads a protocol's answers. */
export interface AnswerDecoder {
  /** The media type of its streams, lower case. */
  readonly streamType: string;
  /** True where streams report their usage with each piece, so that it is final only at their end. */
  readonly isUsageGrowing?: boolean | undefined;
  stream(context: DecodeContext, sink: StreamSink): StreamDecoder;
  /**
   * Reports a whole answer to the sink. Returns false when it is not one: `fault` then classifies it, and
   * what was reported must be discarded.
   */
  whole(body: Buffer, context: DecodeContext, sink: AnswerSink): boolean;
}
