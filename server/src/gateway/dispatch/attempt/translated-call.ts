/**
 * Builds the upstream call of a provider with its own protocol, with everything it may need (an access token,
 * files fetched by URL, remembered data), and translates the answer. Calls that need nothing but the caller's
 * bytes do not come here.
 */

import type { Upstream } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { Delivered } from "../../../domain/money/estimate.ts";
import type {
  AnswerTranslation,
  CallBatch,
  Fault,
  MediaFile,
  ProviderRequest,
  StreamTranslator,
  UpstreamCall,
} from "../../../protocols/protocol.ts";
import { invalid, Untranslatable, untranslatedEvent } from "../../../protocols/untranslatable.ts";
import type { FileAddress, WireProtocol } from "../../../protocols/wire-protocol.ts";
import type {
  BatchCodec,
  HttpCodec,
  HttpProvider,
  Script,
  ScriptWriter,
} from "../../../providers/provider.ts";
import type { RequestMemory } from "../../request/memory/replay-memory.ts";
import type { Media } from "../../upstreams/media.ts";
import type { Tokens } from "../../upstreams/tokens.ts";
import { CallRefused } from "../fault-error.ts";
import type { TranslationSession } from "../threads/translation-threads.ts";

/** Translates the answer of one attempt. */
export interface BoundTranslation {
  readonly streamType: string;
  readonly isUsageGrowing?: boolean | undefined;
  /** The request it answers, and the answer's id. */
  readonly request: ProviderRequest;
  readonly id: string;
  /** The thread that translates the call. Absent: the event loop does. */
  readonly session?: TranslationSession | undefined;
  stream(): StreamTranslator;
  whole(body: Buffer, onSaid: (said: Delivered) => void): Buffer | undefined;
}

export interface TranslatedContext {
  readonly tokens: Tokens;
  readonly media: Media;
}

/** The deployment and credential to call. */
export interface TranslatedTarget {
  /** The wire format of the caller's request. */
  readonly protocol: Pick<WireProtocol, "addressesOf">;
  readonly provider: HttpProvider;
  /** How the provider encodes this operation. */
  readonly codec: HttpCodec;
  readonly upstream: Upstream;
  readonly credential: string;
  readonly model: string;
  /** Replay memory of this request; its `lookUp` reads the store. */
  readonly memory?: RequestMemory | undefined;
}

/** The same for an operation that takes several calls. */
export type BatchTarget = Pick<TranslatedTarget, "provider" | "upstream" | "credential" | "model"> & {
  readonly codec: BatchCodec;
};

/**
 * Binds a translation to the request it answers. `id`: the id of the answer. Does not throw for a request
 * that cannot be read: that is refused where its call is built (`buildCall`), with the field's name.
 */
export function bindTranslation(
  translation: AnswerTranslation,
  { model, request, id }: { model: string; request: ProviderRequest; id: string },
): BoundTranslation {
  const createdSeconds = Math.floor((request.nowMs ?? 0) / 1000);
  const context = { id, createdSeconds, model, request };
  return {
    streamType: translation.streamType,
    isUsageGrowing: translation.isUsageGrowing,
    request,
    id,
    stream() {
      try {
        return guarded(translation.stream(context));
      } catch (error) {
        if (error instanceof Untranslatable) return unread;
        throw error;
      }
    },
    whole(body, onSaid) {
      try {
        return translation.whole(body, context, onSaid);
      } catch {
        return undefined;
      }
    },
  };
}

/** In place of the translator for a request that it cannot read. */
const unread: StreamTranslator = { push: () => untranslatedEvent, end: () => untranslatedEvent };

/**
 * An exception in a translator becomes an error event, so that neither the process nor other requests are
 * affected.
 */
function guarded(translator: StreamTranslator): StreamTranslator {
  const run = (step: () => Buffer): Buffer => {
    try {
      return step();
    } catch {
      return untranslatedEvent;
    }
  };
  return {
    get said() {
      return translator.said;
    },
    get earlyUsage() {
      return translator.earlyUsage;
    },
    get isWhole() {
      return translator.isWhole;
    },
    push: (chunk) => run(() => translator.push(chunk)),
    end: () => run(() => translator.end()),
  };
}

const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const fileTypes = [...imageTypes, "application/pdf", "text/plain"];

/** Limits per request; all its files are in memory at once. */
const filesMax = 20;
const filesBytesMax = 32 * 1024 * 1024;

/** Fetches all files. Rejects with what `faultOfRefusal` reads. Stops once `unwanted` is fulfilled. */
export async function fetchMedia(
  media: Media,
  addresses: readonly FileAddress[],
  unwanted: Promise<unknown>,
): Promise<ReadonlyMap<string, MediaFile>> {
  const files = new Map<string, MediaFile>();
  const stop = new AbortController();
  const { signal } = stop;
  void unwanted.then(() => stop.abort());
  const beyond = addresses[filesMax];
  if (beyond !== undefined) {
    throw invalid(beyond.param, message("call.filesTooMany", { max: filesMax }));
  }
  let bytes = 0;
  for (const { url, param, kind } of addresses) {
    const fetched = await media.fetch({
      url,
      param,
      mediaTypes: kind === "image" ? imageTypes : fileTypes,
      signal,
    });
    bytes += fetched.bytes.length;
    if (bytes > filesBytesMax) {
      const most = `${filesBytesMax / 1024 / 1024} MiB`;
      throw invalid(param, message("call.filesTooLarge", { max: most }));
    }
    files.set(url, fetched);
  }
  return files;
}

/** True when the body may contain a file URL. Cheap, with false positives; the real check comes later. */
export const namesAddress = (body: Buffer): boolean => body.includes('"http') || body.includes('"HTTP');

/** Whose credential is presented where. */
export interface TokenTarget {
  readonly provider: HttpProvider;
  readonly upstream: Upstream;
  readonly credential: string;
}

/** What a credential is presented as: itself, or a token, for which one may have to wait. */
export const tokenFor = (
  { tokens }: Pick<TranslatedContext, "tokens">,
  { provider, upstream, credential }: TokenTarget,
): string | Promise<string | Fault> =>
  provider.tokens === undefined ? credential : tokens.get(provider.tokens, upstream, credential);

/**
 * Builds the call of one attempt, synchronously when nothing must be fetched first. Throws or rejects with
 * `CallRefused`. Fetching stops once `unwanted` is fulfilled.
 */
export function buildCall(
  context: TranslatedContext,
  target: TranslatedTarget,
  request: ProviderRequest,
  unwanted: Promise<unknown>,
): UpstreamCall | Promise<UpstreamCall> {
  const { protocol, provider, codec, upstream } = target;
  const token = tokenFor(context, target);
  const isMediaWanted = codec.inlinesMedia === true && namesAddress(request.body);
  const { sign } = provider;
  if (typeof token === "string" && !isMediaWanted && sign === undefined)
    return encodeRecalled(target, request, token);
  return (async () => {
    const outcome = await token;
    if (typeof outcome !== "string") throw new CallRefused(outcome);
    const finish = (call: UpstreamCall): UpstreamCall | Promise<UpstreamCall> =>
      sign === undefined ? call : sign(call, upstream, outcome, request.nowMs ?? 0);
    if (!isMediaWanted) return finish(await encodeRecalled(target, request, outcome));
    let media: ReadonlyMap<string, MediaFile>;
    try {
      media = await fetchMedia(context.media, protocol.addressesOf(request), unwanted);
    } catch (error) {
      throw new CallRefused(faultOfRefusal(error));
    }
    return finish(await encodeRecalled(target, { ...request, media }, outcome));
  })();
}

/**
 * Encodes the call, and again if the store has remembered data that memory lacked. Synchronous when memory
 * lacked nothing.
 */
function encodeRecalled(
  target: TranslatedTarget,
  request: ProviderRequest,
  token: string,
): UpstreamCall | Promise<UpstreamCall> {
  const call = encode(target, request, token);
  const lookedUp = target.memory?.lookUp();
  if (lookedUp === undefined) return call;
  return lookedUp.then((isFound) => (isFound ? encode(target, request, token) : call));
}

/** Encodes the call. Throws `CallRefused`. */
export function encode(
  target: Pick<TranslatedTarget, "codec" | "upstream" | "model">,
  request: ProviderRequest,
  token: string,
): UpstreamCall {
  try {
    return target.codec.encode(request, target.upstream, token, target.model);
  } catch (error) {
    throw new CallRefused(faultOfRefusal(error));
  }
}

/** The script of an answer to a conversation of another format. Throws `CallRefused`. */
export function playTranslated(
  script: ScriptWriter,
  request: ProviderRequest,
  model: string,
  createdSeconds: number,
): Script {
  try {
    return script(request, model, createdSeconds);
  } catch (error) {
    throw new CallRefused(faultOfRefusal(error));
  }
}

/**
 * Builds the calls of an operation that takes several, unsigned. Synchronous when no token must be fetched
 * first. Throws or rejects with `CallRefused`.
 */
export function buildBatch(
  context: Pick<TranslatedContext, "tokens">,
  { provider, codec, upstream, credential, model }: BatchTarget,
  request: ProviderRequest,
): CallBatch | Promise<CallBatch> {
  const build = (token: string | Fault): CallBatch => {
    if (typeof token !== "string") throw new CallRefused(token);
    try {
      return codec.encodeBatch(request, upstream, token, model);
    } catch (error) {
      throw new CallRefused(faultOfRefusal(error));
    }
  };
  const token = tokenFor(context, { provider, upstream, credential });
  return token instanceof Promise ? token.then(build) : build(token);
}

/** Turns known refusals into faults. Anything else is a bug and is thrown again. */
export function faultOfRefusal(error: unknown): Fault {
  if (error instanceof Untranslatable) {
    const { message: text, messageRef, param } = error;
    const kind = error.code === "unsupported_parameter" ? "unsupported" : "bad_request";
    return { kind, message: text, messageRef, param };
  }
  if (error instanceof GatewayError && error.code === "invalid_request") {
    const { message: text, messageRef, detail } = error;
    return { kind: "unsupported", message: text, messageRef, param: detail.param };
  }
  if (error instanceof GatewayError) return { kind: "overloaded", retryAfterMs: error.detail.retryAfterMs };
  throw error;
}
