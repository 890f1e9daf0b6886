/**
 * What a provider with a protocol of its own needs around one attempt: the call built with everything it may
 * ask for (a token, files by address, what was remembered), and the translation of what comes back. Providers
 * that speak OpenAI's wire never come here.
 */

import type { Upstream } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type {
  AnswerTranslation,
  CallBatch,
  Fault,
  MediaFile,
  ProviderRequest,
  StreamTranslator,
  UpstreamCall,
} from "../../../protocols/protocol.ts";
import { invalid, Untranslatable } from "../../../protocols/untranslatable.ts";
import type { FileAddress, WireProtocol } from "../../../protocols/wire-protocol.ts";
import type { BatchCodec, HttpCodec, HttpProvider } from "../../../providers/provider.ts";
import type { RequestMemory } from "../../request/replay-memory.ts";
import type { Media } from "../../upstreams/media.ts";
import type { Tokens } from "../../upstreams/tokens.ts";

/** What the answer of one attempt goes through. */
export interface BoundTranslation {
  readonly streamType: string;
  stream(): StreamTranslator;
  whole(body: Buffer): Buffer | undefined;
}

export interface TranslatedContext {
  readonly tokens: Tokens;
  readonly media: Media;
}

/** Who is called with what. */
export interface TranslatedTarget {
  /** The wire format of the caller's request. */
  readonly protocol: Pick<WireProtocol, "addressesOf">;
  readonly provider: HttpProvider;
  /** How the provider says this request. */
  readonly codec: HttpCodec;
  readonly upstream: Upstream;
  readonly credential: string;
  readonly model: string;
  /** The request's memory, where it may lack what the store has. */
  readonly memory?: RequestMemory | undefined;
}

/** The same where several calls are made. */
export type BatchTarget = Pick<TranslatedTarget, "provider" | "upstream" | "credential" | "model"> & {
  readonly codec: BatchCodec;
};

/** Binds a translation to the request it answers. `id`: of the answer. */
export function bindTranslation(
  translation: AnswerTranslation,
  { model, request, id }: { model: string; request: ProviderRequest; id: string },
): BoundTranslation {
  const createdSeconds = Math.floor((request.nowMs ?? 0) / 1000);
  const context = { id, createdSeconds, model, request };
  return {
    streamType: translation.streamType,
    stream: () => guarded(translation.stream(context)),
    whole(body) {
      try {
        return translation.whole(body, context);
      } catch {
        return undefined;
      }
    },
  };
}

/** What `fault` of any provider reads as a broken upstream. */
const untranslated = Buffer.from(
  'event: error\ndata: {"error":{"type":"server_error","code":"untranslatable_answer","message":""}}\n\n',
);

/**
 * A translator that fails ends the stream with an error: neither the
 * caller nor the process may suffer from it.
 */
function guarded(translator: StreamTranslator): StreamTranslator {
  const run = (step: () => Buffer): Buffer => {
    try {
      return step();
    } catch {
      return untranslated;
    }
  };
  return { push: (chunk) => run(() => translator.push(chunk)), end: () => run(() => translator.end()) };
}

const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const fileTypes = [...imageTypes, "application/pdf", "text/plain"];

/** For one request; all of its files are in memory at once. */
const filesMax = 20;
const filesBytesMax = 32 * 1024 * 1024;

async function fetchMedia(
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

/** Does the body seem to name a file by address? Cheap, and only a hint: what is there is read with care. */
const namesAddress = (body: Buffer): boolean => body.includes('"http') || body.includes('"HTTP');

/**
 * The call of one attempt, at once where nothing has to be fetched first. Throws or rejects with
 * `CallRefused` where it cannot be built. Files are fetched until `unwanted` is fulfilled: by
 * then nobody waits for the call any more.
 */
export function buildCall(
  context: TranslatedContext,
  target: TranslatedTarget,
  request: ProviderRequest,
  unwanted: Promise<unknown>,
): UpstreamCall | Promise<UpstreamCall> {
  const { protocol, provider, codec, upstream, credential } = target;
  const token =
    provider.tokens === undefined ? credential : context.tokens.get(provider.tokens, upstream, credential);
  const isMediaWanted = codec.inlinesMedia === true && namesAddress(request.body);
  const { sign } = provider;
  if (typeof token === "string" && !isMediaWanted && sign === undefined)
    return encodeRecalled(target, request, token);
  const finish = (call: UpstreamCall): UpstreamCall | Promise<UpstreamCall> =>
    sign === undefined ? call : sign(call, upstream, credential, request.nowMs ?? 0);
  return (async () => {
    const outcome = await token;
    if (typeof outcome !== "string") throw new CallRefused(outcome);
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
 * Encodes, and once more where the store has what memory lacked the first time.
 * At once where memory lacked nothing.
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

function encode(target: TranslatedTarget, request: ProviderRequest, token: string): UpstreamCall {
  try {
    return target.codec.encode(request, target.upstream, token, target.model);
  } catch (error) {
    throw new CallRefused(faultOfRefusal(error));
  }
}

/** A call that is not made, and the fault the attempt ends with. */
export class CallRefused extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super("the call is refused");
    this.fault = fault;
  }
}

/**
 * The calls of one attempt whose answer is put together from several, at once where no token has to be
 * fetched first; unsigned. Throws or rejects with `CallRefused` where they cannot be built.
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
  const token =
    provider.tokens === undefined ? credential : context.tokens.get(provider.tokens, upstream, credential);
  return token instanceof Promise ? token.then(build) : build(token);
}

/** Anything but a refusal by name is a mistake of ours. */
function faultOfRefusal(error: unknown): Fault {
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
