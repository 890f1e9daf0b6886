/**
 * What a provider is: pure code that speaks one upstream protocol. It touches no network, clock or environment; the
 * gateway does the I/O (`gateway/attempt.ts`) and asks the provider what to send and what an answer means.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { Usage } from "@plaza/contract/usage.ts";

/** Why an attempt failed, normalised (classes of wire/errors-map.md section 1). */
export type FaultKind =
  | "bad_request"
  | "context_length"
  | "content_filter"
  | "too_large"
  | "model_unavailable"
  | "upstream_auth"
  | "upstream_quota"
  | "rate_limit"
  | "request_over_limit"
  | "overloaded"
  | "server"
  | "timeout"
  | "network"
  | "stopping";

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
}

/** A cheap GET that shows whether an upstream answers and takes a credential. */
export type ProbeCall = Omit<UpstreamCall, "body">;

/** One caller's request as a provider gets it. */
export interface ProviderRequest {
  /** The caller's body, byte for byte. */
  readonly body: Buffer;
  /** Spans of the top-level fields named in `gateway/receive.ts`, as offsets into `body`. */
  readonly spans: ChatSpans;
  readonly isStream: boolean;
  /** Most output tokens per choice that are paid for, where the caller may have asked for more: the request must say so. */
  readonly outputTokensMax?: number | undefined;
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
}

/** A provider that is reached over HTTP and speaks OpenAI's chat wire in its answers. */
export interface HttpProvider {
  readonly id: string;
  readonly transport: "http";
  /** Settings an upstream of this provider needs in the catalog. */
  readonly needs: { readonly baseUrl: boolean; readonly credentials: boolean };
  encode(request: ProviderRequest, upstream: Upstream, credential: string, model: string): UpstreamCall;
  /** How to look at an upstream without a caller's call; absent where the protocol has no free call. */
  probe?(upstream: Upstream, credential: string): ProbeCall;
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
  readonly needs: { readonly baseUrl: false; readonly credentials: false };
  /**
   * Deterministic: the same body, model and time give the same script. `createdSeconds` fills `created`. A stream carries
   * usage whether the caller asked or not, as every HTTP upstream is asked for it; the relay takes it out.
   */
  script(request: ProviderRequest, model: string, createdSeconds: number): Script;
  fault(status: number, headers: UpstreamHeaders, body: string): Fault;
  usage(value: unknown): Usage | undefined;
}

export type Provider = HttpProvider | LocalProvider;
