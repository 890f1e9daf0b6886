/**
 * The interface of a provider: pure code for one upstream protocol. It uses no network, clock or environment.
 * The gateway does the I/O (`gateway/dispatch/attempt/attempt.ts`) and asks the provider what to send and
 * what an answer means.
 */

import type { Model, Upstream } from "@plaza/contract/catalog.ts";
import type { FormatId } from "@plaza/contract/formats.ts";
import type { Message } from "@plaza/contract/messages/message.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type {
  AnswerDecoder,
  AnswerTranslation,
  CallBatch,
  Fault,
  ProviderRequest,
  UpstreamCall,
  UpstreamHeaders,
} from "../protocols/protocol.ts";

/** A cheap GET that shows whether an upstream answers and accepts a credential. */
export type ProbeCall = Omit<UpstreamCall, "body">;

/** Catalog settings that an upstream of this provider needs. */
export interface ProviderNeeds {
  readonly baseUrl: boolean;
  readonly credentials: boolean;
  /** Names of the allowed entries in `options`, each with its rule. */
  readonly options?: Readonly<Record<string, OptionRule>> | undefined;
  /** Headers of its own, in lower case, which an upstream cannot add. */
  readonly headers?:
    | {
        /** Those that carry its credential; free for upstreams without one. */
        readonly credential: readonly string[];
        /** Others of its protocol. */
        readonly protocol?: readonly string[];
      }
    | undefined;
  /** True when a credential may be the machine's identity; its `tokens` then have `identity`. */
  readonly identity?: true | undefined;
}

/** One entry of an upstream's `options`. */
export interface OptionRule {
  readonly help: Message;
  readonly pattern: RegExp;
  readonly isRequired?: boolean | undefined;
}

/** What a machine's identity is asked for: credentials for this cloud (`server/src/identity/`). */
export type IdentityRequest =
  | {
      readonly cloud: "aws";
      /** Where roles are assumed if the machine does not say. */
      readonly region: string;
    }
  | { readonly cloud: "google"; readonly scope: string }
  | {
      readonly cloud: "azure";
      /** Ends in `/.default`. */
      readonly scope: string;
      /** Origin that issues tokens. undefined: as the machine says. */
      readonly authority: string | undefined;
    };

/** Exchanges a credential for a token that is valid for a limited time. */
export interface TokenScheme {
  /** What to ask the machine for when the credential is `workloadIdentity`. Absent: it cannot be. */
  identity?(upstream: Upstream): IdentityRequest;
  /**
   * The POST that requests a token; undefined when this credential is sent as it is. Throws for one that
   * cannot be parsed.
   */
  call(
    credential: string,
    upstream: Upstream,
    nowMs: number,
  ): (UpstreamCall & { readonly origin: string }) | undefined;
  /** Reads the token and its lifetime from an answer of status 200; undefined when it has none. */
  read(body: string): { readonly token: string; readonly expiresInSeconds: number } | undefined;
}

/** A value per operation that a provider serves. Operations it does not serve are absent. */
export type ByOperation<Value> = { readonly [Name in Operation]?: Value };

interface UpstreamCodec {
  /**
   * The codec for this upstream; undefined when the upstream lacks the path. Absent: the same codec for all.
   * Called once per upstream, not per call.
   */
  forUpstream?(upstream: Upstream): HttpCodec | BatchCodec | undefined;
}

/** Encodes the requests of one operation and decodes their answers. */
export interface HttpCodec extends UpstreamCodec {
  /** True when files that a request gives by URL must be inlined. */
  readonly inlinesMedia?: boolean | undefined;
  /** True when it may refuse requests or drop fields although its answers are already in OpenAI's format. */
  readonly isPicky?: boolean | undefined;
  /** True when it may drop fields, but only to stay within an output limit that the gateway sets. */
  readonly dropsWithinBound?: boolean | undefined;
  /** Absent when its answers are already in OpenAI's format. */
  readonly translation?: AnswerTranslation | undefined;
  /**
   * Builds the call of one attempt. Throws `Untranslatable` for what the protocol cannot express.
   * `credential`: the token from the provider's `tokens` if it has them.
   */
  encode(request: ProviderRequest, upstream: Upstream, credential: string, model: string): UpstreamCall;
}

/** A codec for requests that may take several calls, whose answers are combined. */
export interface BatchCodec extends UpstreamCodec {
  /** Builds the calls of one attempt; otherwise like `encode`. */
  encodeBatch(request: ProviderRequest, upstream: Upstream, credential: string, model: string): CallBatch;
}

/** How an upstream counts the tokens of a request, free of charge and without answering it. */
export interface TokenCounter {
  /** The call for a conversation, whatever its caller speaks. Otherwise as `SpokenFormat.encode`. */
  encode: SpokenFormat["encode"];
  /** For callers that speak this very format. Absent: they are translated like all others. */
  readonly passing?: HttpCodec["encode"];
  /** The count in an answer of the upstream; undefined when it has no plausible one. */
  read(body: Buffer): number | undefined;
}

/** One wire format a provider's upstreams speak about conversations. */
export interface SpokenFormat {
  /** `own`: of this provider alone. */
  readonly format: FormatId | "own";
  /** Reads its answers. */
  readonly decoder: AnswerDecoder;
  /** True when files that a conversation names by address must be inlined for it. */
  readonly inlinesMedia?: boolean | undefined;
  /**
   * The call for a conversation, whatever its caller speaks. Throws `Untranslatable` for what the format
   * cannot say. Otherwise as `HttpCodec.encode`.
   */
  encode(
    conversation: Conversation,
    request: ProviderRequest,
    upstream: Upstream,
    credential: string,
    model: string,
  ): UpstreamCall;
  /**
   * For callers that speak this very format: their bytes go on, outside named edits. Absent: they are
   * translated like all others.
   */
  readonly passing?: HttpCodec | undefined;
  /**
   * True when the upstream speaks it for this model of its own; asked where the deployment does not say.
   * Absent: for all.
   */
  isSpokenFor?(model: string): boolean;
  /** The smallest output limit it takes, which smaller ones are raised to. Absent: any. */
  leastOutput?(model: string): number;
  /** As the provider's, of calls in this format. Absent: the provider's. */
  fault?(status: number, headers: UpstreamHeaders, body: string): Fault;
  /**
   * True when this body may pass. Absent: each may. One that holds what only Plaza can read is translated,
   * which takes it out.
   */
  mayPass?(body: Buffer): boolean;
  /** Absent when the upstream counts no tokens, or not all of a request. */
  readonly counter?: TokenCounter | undefined;
}

/** A provider that is reached over HTTP. */
export interface HttpProvider {
  readonly id: string;
  readonly transport: "http";
  /**
   * The provider adapted to this upstream; absent: the same for all. Called once per upstream, not per call.
   */
  forUpstream?(upstream: Upstream): HttpProvider;
  /** What it speaks about conversations, the preferred first; none where it serves no chat. */
  readonly formats: readonly SpokenFormat[];
  /**
   * The format a conversation has to be told in, where the model refuses it in others. `caller`: whose words
   * the body is in. undefined: any will do.
   */
  formatNeeded?(caller: FormatId, model: string, body: Buffer): FormatId | undefined;
  /** What it serves beside conversations, by operation. */
  readonly codecs?: ByOperation<HttpCodec | BatchCodec>;
  /** Absent when credentials are sent as they are. */
  readonly tokens?: TokenScheme | undefined;
  /** Signs the finished call, for protocols that need it. `nowMs`: Unix milliseconds. */
  sign?(call: UpstreamCall, upstream: Upstream, credential: string, nowMs: number): Promise<UpstreamCall>;
  /**
   * The call that checks an upstream without a caller's request; absent when the protocol has no free call.
   */
  probe?(upstream: Upstream, credential: string): ProbeCall;
  /**
   * The call that lists the models, if it is not the probe. `credential`: the token from `tokens` if it has
   * them.
   */
  list?(upstream: Upstream, credential: string): ProbeCall;
  /**
   * Classifies an error answer, or an error event of a stream (status 200, no headers, the event's data).
   * `body`: at most the first 64 KiB.
   */
  fault(status: number, headers: UpstreamHeaders, body: string): Fault;
}

/** One step of a scripted answer. */
export interface ScriptStep {
  /** Milliseconds to wait before this step. */
  readonly afterMs: number;
  readonly bytes: Buffer;
}

/** A scripted answer, in place of what an HTTP upstream would send. */
export interface Script {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: readonly ScriptStep[];
  /**
   * `end`: the body ends cleanly. `cut`: the connection breaks after the last step. `hang`: nothing more is
   * sent.
   */
  readonly ending: "end" | "cut" | "hang";
}

/**
 * Writes the answer to a request. Deterministic: the same body, model and time give the same script.
 * `createdSeconds` fills `created`. A stream always carries usage, as from HTTP upstreams; the relay removes
 * it for callers who did not ask.
 */
export type ScriptWriter = (request: ProviderRequest, model: string, createdSeconds: number) => Script;

/** How conversations of callers of other formats than its own are answered. */
export interface TranslatedScripts {
  /** What its scripts for `chat` speak. */
  readonly format: FormatId;
  /** Reads its answers. */
  readonly decoder: AnswerDecoder;
  /** As `ScriptWriter`, of a conversation. Throws `Untranslatable`. */
  play(conversation: Conversation, request: ProviderRequest, model: string, createdSeconds: number): Script;
}

/** How a provider without a network counts the tokens of a conversation. */
export interface LocalCounter {
  /** As its answers report the prompt. Throws `Untranslatable` as an answer would. */
  count(conversation: Conversation, request: ProviderRequest, model: string): number;
}

/** A provider without a network: it answers from the request alone. */
export interface LocalProvider {
  readonly id: string;
  readonly transport: "local";
  /** Its script writers by operation. */
  readonly scripts: ByOperation<ScriptWriter>;
  /** Absent: it serves callers of one format alone. */
  readonly translated?: TranslatedScripts | undefined;
  /** Absent when it counts no tokens. */
  readonly counter?: LocalCounter | undefined;
  fault(status: number, headers: UpstreamHeaders, body: string): Fault;
}

export type Provider = HttpProvider | LocalProvider;

/**
 * How providers serve an operation that their own files do not name: codecs by provider id, loaded with the
 * provider. Such a file belongs to the operation's endpoint.
 */
export interface ServedOperation {
  readonly operation: Operation;
  readonly codecs: Readonly<Record<string, () => Promise<HttpCodec | BatchCodec>>>;
  readonly scripts: Readonly<Record<string, () => Promise<ScriptWriter>>>;
  /** The free model of the demo that a first start offers; absent: none. */
  readonly demoModel?: DemoModel;
}

/** A model of the demo provider. `servedAs`: its name there. */
export type DemoModel = Pick<
  Model,
  "id" | "name" | "description" | "context" | "maxOutput" | "modalities"
> & { readonly servedAs: string };
