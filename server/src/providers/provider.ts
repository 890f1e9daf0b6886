/**
 * What a provider is: pure code that speaks one upstream protocol. It touches no network, clock or environment; the
 * gateway does the I/O (`gateway/dispatch/attempt.ts`) and asks the provider what to send and what an answer means.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import type { FaultKind } from "../domain/routing/fault.ts";

/** A failed attempt, as data: the gateway decides whether to fall back and what the caller is told. */
export interface Fault {
  readonly kind: FaultKind;
  /** Upstream HTTP status, when one arrived. */
  readonly status?: number | undefined;
  /** Only for faults the caller made: upstream's text, scrubbed of secrets and hosts, at most 500 characters. */
  readonly message?: string | undefined;
  readonly param?: string | undefined;
  /** Only for `bad_request`: one of `upstreamRequestCodes`, or `unsupported_parameter`. */
  readonly code?: string | undefined;
  /** Only for `model_unavailable`: the upstream says that no model is called so, which the caller is told as `model_not_found`. */
  readonly isModelUnknown?: boolean | undefined;
  /** How long the upstream asked us to wait: whole milliseconds, 0 to one hour. */
  readonly retryAfterMs?: number | undefined;
  /** For the operator's log, never for the caller: what was seen. Holds no text of the upstream's, which may quote a prompt. */
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
  /** Parameters of the caller's that were left out, because it allowed that or because they ask for a manner; told in `x-plaza-dropped-params`. */
  readonly dropped?: readonly string[] | undefined;
}

/** A cheap GET that shows whether an upstream answers and takes a credential. */
export type ProbeCall = Omit<UpstreamCall, "body">;

/** One caller's request as a provider gets it. */
export interface ProviderRequest {
  /** The caller's body, byte for byte. */
  readonly body: Buffer;
  /** Spans of the top-level fields named in `gateway/request/receive.ts`, as offsets into `body`. */
  readonly spans: ChatSpans;
  readonly isStream: boolean;
  /** Most output tokens per choice that are paid for, where the caller may have asked for more: the request must say so. */
  readonly outputTokensMax?: number | undefined;
  /** The model's cap of output tokens; undefined = unknown. */
  readonly outputCap?: number | undefined;
  /** May what cannot be expressed be left out? Otherwise it is refused by name. */
  readonly dropsParams?: boolean | undefined;
  /** Unix milliseconds now, for signatures and `created`. */
  readonly nowMs?: number | undefined;
  /** Files the body names by address and that were fetched for a provider that needs them inlined, by address. */
  readonly media?: ReadonlyMap<string, MediaFile> | undefined;
  /** What was remembered of earlier answers of this account. */
  readonly memory?: ReplayMemory | undefined;
}

/** A file's bytes and its media type (lower case, without parameters). */
export interface MediaFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/**
 * Things upstreams want to see again that most clients drop (signatures of reasoning), by the id of the tool call they belong
 * to. Bounded and forgetful: what is not there is worked around.
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

/** Spans of the top-level fields of a chat request that the gateway reads or may edit. */
export interface ChatSpans {
  /** Absent where the caller only sent a list of models. */
  readonly model?: Span | undefined;
  /** The caller's own list of models: the gateway's alone, so it must not reach an upstream. */
  readonly models?: Span | undefined;
  readonly stream_options?: Span | undefined;
  readonly max_tokens?: Span | undefined;
  readonly max_completion_tokens?: Span | undefined;
  readonly prompt_cache_key?: Span | undefined;
  readonly user?: Span | undefined;
  /** Every bound of the output there is, the two above and those under other names, in whatever object they stand. No nulls. */
  readonly outputs?: readonly Span[] | undefined;
}

/** Settings an upstream of a provider has in the catalog. */
export interface ProviderNeeds {
  readonly baseUrl: boolean;
  readonly credentials: boolean;
  /** Names of the entries its `options` may have, with what each is for. */
  readonly options?: Readonly<Record<string, OptionRule>> | undefined;
}

/** One entry of an upstream's `options`. */
export interface OptionRule {
  readonly help: string;
  readonly pattern: RegExp;
  readonly isRequired?: boolean | undefined;
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
   * Whole events of OpenAI's wire for one chunk of the upstream's body; an empty buffer when there are none yet. An error of the
   * upstream's goes down as `event: error` with the upstream's own JSON, which `fault` then classifies.
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

/** For credentials that have to be exchanged for a token which is valid for some time. */
export interface TokenScheme {
  /** The POST that asks for a token; undefined when this credential is presented as it is. May throw for one that cannot be read. */
  call(
    credential: string,
    upstream: Upstream,
    nowMs: number,
  ): (UpstreamCall & { readonly origin: string }) | undefined;
  /** The token in the answer (status 200) and how long it is valid; undefined when there is none. */
  read(body: string): { readonly token: string; readonly expiresInSeconds: number } | undefined;
}

/** A provider that is reached over HTTP. */
export interface HttpProvider {
  readonly id: string;
  readonly transport: "http";
  /** Must files that a request names by address be inlined for it? */
  readonly inlinesMedia?: boolean | undefined;
  /** The provider as it speaks with this very upstream; absent = with all alike. Asked once per upstream, not per call. */
  forUpstream?(upstream: Upstream): HttpProvider;
  /** It may refuse a request by name, or leave parts of it out, though its answers are OpenAI's wire already. */
  readonly isPicky?: boolean | undefined;
  /** Absent: its answers are OpenAI's wire already. */
  readonly translation?: AnswerTranslation | undefined;
  /** Absent: credentials are presented as they are. */
  readonly tokens?: TokenScheme | undefined;
  /** Throws `Untranslatable` for what the protocol cannot say. `credential`: what `tokens` made of it, where there is such a thing. */
  encode(request: ProviderRequest, upstream: Upstream, credential: string, model: string): UpstreamCall;
  /** Signs the finished call, where a protocol wants each one signed. `nowMs`: Unix milliseconds. */
  sign?(call: UpstreamCall, upstream: Upstream, credential: string, nowMs: number): Promise<UpstreamCall>;
  /** How to look at an upstream without a caller's call; absent where the protocol has no free call. */
  probe?(upstream: Upstream, credential: string): ProbeCall;
  /** How to ask what it serves, where that is not at the probe. `credential`: what `tokens` made of it, where there is such a thing. */
  list?(upstream: Upstream, credential: string): ProbeCall;
  /**
   * Classifies an answer that is not a success, or an error event of a stream (status 200, no headers, the event's data).
   * `body` is at most the first 64 KiB.
   */
  fault(status: number, headers: UpstreamHeaders, body: string): Fault;
  /** Reads a usage object; undefined when it is absent or cannot be trusted (negative, fractional, huge). */
  usage(value: unknown): Usage | undefined;
}

/** One step of a scripted answer. */
export interface ScriptStep {
  /** Pause before this step. */
  readonly afterMs: number;
  readonly bytes: Buffer;
}

/** A scripted answer: what an HTTP upstream would have sent. */
export interface Script {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: readonly ScriptStep[];
  /** `end`: a clean end of the body. `cut`: the connection breaks after the last step. `hang`: nothing more ever comes. */
  readonly ending: "end" | "cut" | "hang";
}

/** A provider without a network: it answers from the request alone. */
export interface LocalProvider {
  readonly id: string;
  readonly transport: "local";
  /**
   * Deterministic: the same body, model and time give the same script. `createdSeconds` fills `created`. A stream carries
   * usage whether the caller asked or not, as every HTTP upstream is asked for it; the relay takes it out.
   */
  script(request: ProviderRequest, model: string, createdSeconds: number): Script;
  fault(status: number, headers: UpstreamHeaders, body: string): Fault;
  usage(value: unknown): Usage | undefined;
}

export type Provider = HttpProvider | LocalProvider;
