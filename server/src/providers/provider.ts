/**
 * What a provider is: pure code that speaks one upstream protocol. It touches no network, clock
 * or environment; the gateway does the I/O (`gateway/dispatch/attempt/attempt.ts`) and asks the provider
 * what to send and what an answer means.
 */

import type { Upstream } from "@plaza/contract/catalog.ts";
import type { Message } from "@plaza/contract/messages/message.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type {
  AnswerTranslation,
  CallBatch,
  Fault,
  ProviderRequest,
  UpstreamCall,
  UpstreamHeaders,
} from "../protocols/protocol.ts";

/** A cheap GET that shows whether an upstream answers and takes a credential. */
export type ProbeCall = Omit<UpstreamCall, "body">;

/** Settings an upstream of a provider has in the catalog. */
export interface ProviderNeeds {
  readonly baseUrl: boolean;
  readonly credentials: boolean;
  /** Names of the entries its `options` may have, with what each is for. */
  readonly options?: Readonly<Record<string, OptionRule>> | undefined;
}

/** One entry of an upstream's `options`. */
export interface OptionRule {
  readonly help: Message;
  readonly pattern: RegExp;
  readonly isRequired?: boolean | undefined;
}

/** For credentials that have to be exchanged for a token which is valid for some time. */
export interface TokenScheme {
  /**
   * The POST that asks for a token; undefined when this credential is presented as it is.
   * May throw for one that cannot be read.
   */
  call(
    credential: string,
    upstream: Upstream,
    nowMs: number,
  ): (UpstreamCall & { readonly origin: string }) | undefined;
  /** The token in the answer (status 200) and how long it is valid; undefined when there is none. */
  read(body: string): { readonly token: string; readonly expiresInSeconds: number } | undefined;
}

/** Something for each operation a provider serves. What it does not serve is not there. */
export type ByOperation<Value> = { readonly [Name in Operation]?: Value };

interface UpstreamCodec {
  /**
   * The codec as this very upstream needs it; undefined where that has no such path. Absent = the same for
   * all. Asked once per upstream, not per call.
   */
  forUpstream?(upstream: Upstream): HttpCodec | BatchCodec | undefined;
}

/** How a provider says the requests of one operation and what their answers mean. */
export interface HttpCodec extends UpstreamCodec {
  /** Must files that a request names by address be inlined for it? */
  readonly inlinesMedia?: boolean | undefined;
  /**
   * It may refuse a request by name, or leave parts of it out, though its answers are OpenAI's wire already.
   */
  readonly isPicky?: boolean | undefined;
  /** Absent: its answers are OpenAI's wire already. */
  readonly translation?: AnswerTranslation | undefined;
  /**
   * The call of one attempt. Throws `Untranslatable` for what the protocol cannot say. `credential`: what
   * the provider's `tokens` made of it, where there is such a thing.
   */
  encode(request: ProviderRequest, upstream: Upstream, credential: string, model: string): UpstreamCall;
}

/** The same where a request may take several calls, whose answers are put together. */
export interface BatchCodec extends UpstreamCodec {
  /** The calls of one attempt. Otherwise like `encode`. */
  encodeBatch(request: ProviderRequest, upstream: Upstream, credential: string, model: string): CallBatch;
}

/** A provider that is reached over HTTP. */
export interface HttpProvider {
  readonly id: string;
  readonly transport: "http";
  /**
   * The provider as it speaks with this very upstream; absent = with all alike.
   * Asked once per upstream, not per call.
   */
  forUpstream?(upstream: Upstream): HttpProvider;
  /** What it speaks, by operation. */
  readonly codecs: ByOperation<HttpCodec | BatchCodec>;
  /** Absent: credentials are presented as they are. */
  readonly tokens?: TokenScheme | undefined;
  /** Signs the finished call, where a protocol wants each one signed. `nowMs`: Unix milliseconds. */
  sign?(call: UpstreamCall, upstream: Upstream, credential: string, nowMs: number): Promise<UpstreamCall>;
  /** How to look at an upstream without a caller's call; absent where the protocol has no free call. */
  probe?(upstream: Upstream, credential: string): ProbeCall;
  /**
   * How to ask what it serves, where that is not at the probe. `credential`: what `tokens` made
   * of it, where there is such a thing.
   */
  list?(upstream: Upstream, credential: string): ProbeCall;
  /**
   * Classifies an answer that is not a success, or an error event of a stream (status 200, no headers, the
   * event's data). `body` is at most the first 64 KiB.
   */
  fault(status: number, headers: UpstreamHeaders, body: string): Fault;
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
  /**
   * `end`: a clean end of the body. `cut`: the connection breaks after the last
   * step. `hang`: nothing more ever comes.
   */
  readonly ending: "end" | "cut" | "hang";
}

/**
 * Plays the answer to a request. Deterministic: the same body, model and time give the same script.
 * `createdSeconds` fills `created`. A stream carries usage whether the caller asked or not, as every HTTP
 * upstream is asked for it; the relay takes it out.
 */
export type ScriptWriter = (request: ProviderRequest, model: string, createdSeconds: number) => Script;

/** A provider without a network: it answers from the request alone. */
export interface LocalProvider {
  readonly id: string;
  readonly transport: "local";
  /** What it answers, by operation. */
  readonly scripts: ByOperation<ScriptWriter>;
  fault(status: number, headers: UpstreamHeaders, body: string): Fault;
}

export type Provider = HttpProvider | LocalProvider;

/**
 * How providers serve an operation that their own files do not name: by the provider's id, loaded with it.
 * Such a file belongs to the operation's endpoint.
 */
export interface ServedOperation {
  readonly operation: Operation;
  readonly codecs: Readonly<Record<string, () => Promise<HttpCodec | BatchCodec>>>;
  readonly scripts: Readonly<Record<string, () => Promise<ScriptWriter>>>;
  /** Services of these providers that have no such path, by preset. */
  readonly withoutPresets?: ReadonlySet<string>;
}
