/**
 * Translates a large call in a translation thread: builds its upstream call and passes its stream through. It
 * comes out as `translated-call.ts` has it; only the event loop does not wait for it.
 */
import type { Deployment, Upstream } from "@plaza/contract/catalog.ts";
import type { AnswerController, AnswerHandler } from "../../../lib/net/http-client.ts";
import type {
  AnswerTranslation,
  MediaFile,
  ProviderRequest,
  StreamTranslator,
  UpstreamCall,
} from "../../../protocols/protocol.ts";
import type { WireProtocol } from "../../../protocols/wire-protocol.ts";
import { CallRefused } from "../fault-error.ts";
import { callerIdOf } from "../threads/callers.ts";
import {
  bufferOf,
  type EncodedCall,
  type Remembered,
  type StreamState,
  type WrittenEvents,
} from "../threads/messages.ts";
import {
  type TranslationSession,
  TranslationStopped,
  type TranslationThreads,
} from "../threads/translation-threads.ts";
import type { Attempt } from "./attempt.ts";
import {
  type BoundTranslation,
  faultOfRefusal,
  fetchMedia,
  namesAddress,
  type TranslatedContext,
  type TranslatedTarget,
  tokenFor,
} from "./translated-call.ts";

/** The deployment that is called. */
interface Called {
  readonly upstream: Upstream;
  readonly deployment: Pick<Deployment, "model" | "formats">;
}

/**
 * Opens the call in a thread. Undefined where the event loop translates: its caller's format is none of
 * conversations.
 */
export function openSession(
  threads: TranslationThreads,
  protocol: WireProtocol,
  { upstream, deployment: { model, formats } }: Called,
  { request, id }: Pick<BoundTranslation, "request" | "id">,
): TranslationSession | undefined {
  const caller = callerIdOf(protocol);
  if (caller === undefined) return undefined;
  const { spans, forwarded, isStream, outputTokensMax, outputCap, contextTokens } = request;
  const { dropsParams, nowMs, echo, maker, seal, body } = request;
  const task = {
    caller,
    upstream,
    deployment: { model, formats },
    answerId: id,
    request: {
      spans,
      forwarded,
      isStream,
      outputTokensMax,
      outputCap,
      contextTokens,
      dropsParams,
      nowMs,
      echo,
      maker,
    },
    seal: seal?.keys?.(),
  };
  return threads.open(task, body);
}

/** What an attempt whose job has no result ends with. Bugs are thrown again. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof TranslationStopped)) return error;
  return new CallRefused({ kind: "stopping", note: error.message });
}

/** As `buildCall`, in a thread. Rejects with `CallRefused`. */
export async function buildThreadedCall(
  context: TranslatedContext,
  target: Omit<TranslatedTarget, "protocol">,
  { session, request }: { readonly session: TranslationSession; readonly request: ProviderRequest },
  unwanted: Promise<unknown>,
): Promise<UpstreamCall> {
  const { provider, codec, upstream } = target;
  const { sign } = provider;
  const token = await tokenFor(context, target);
  if (typeof token !== "string") throw new CallRefused(token);
  try {
    let media: ReadonlyMap<string, MediaFile> | undefined;
    if (codec.inlinesMedia === true && namesAddress(request.body)) {
      const addresses = await session.run("addresses", undefined);
      media = await fetchMedia(context.media, addresses, unwanted).catch((error: unknown) => {
        throw new CallRefused(faultOfRefusal(error));
      });
    }
    const call = await encodeRecalled(target, session, { credential: token, media });
    return sign === undefined ? call : await sign(call, upstream, token, request.nowMs ?? 0);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Most times a call is encoded: what is remembered of one turn may decide whether others are asked for. */
const roundsMax = 4;

/** Encodes the call, and again while there is remembered data for it that the thread lacks. */
async function encodeRecalled(
  { memory }: Pick<TranslatedTarget, "memory">,
  session: TranslationSession,
  asked: { readonly credential: string; readonly media: ReadonlyMap<string, MediaFile> | undefined },
): Promise<UpstreamCall> {
  let call = await session.run("encode", { ...asked, remembered: [] });
  for (let round = 1; round < roundsMax && call.missed.length > 0; round += 1) {
    const { missed } = call;
    const recall = (): Remembered =>
      missed.flatMap((id) => {
        const value = memory?.recall(id);
        return value === undefined ? [] : [[id, value] as const];
      });
    let remembered = recall();
    if ((await memory?.lookUp()) === true) remembered = recall();
    if (remembered.length === 0) break;
    call = await session.run("encode", { ...asked, remembered });
  }
  return callOf(call);
}

const callOf = ({ path, headers, body, dropped }: EncodedCall): UpstreamCall => ({
  path,
  headers,
  body: bufferOf(body),
  dropped,
});

/** Keeps what a thread noted of an answer. */
export function remember({ memory }: Pick<ProviderRequest, "memory">, entries: Remembered): void {
  for (const [id, value] of entries) memory?.remember(id, value);
}

/** In place of the translator of a stream whose bytes come translated already. */
interface TranslatedEvents extends StreamTranslator, StreamState {
  /** What the end of the upstream's stream made. */
  last: Buffer;
}

const translatedEvents = (): TranslatedEvents => ({
  last: Buffer.alloc(0),
  push: (chunk) => chunk,
  end() {
    return this.last;
  },
});

/** The translation of an attempt whose call is in a thread. */
export class ThreadedTranslation implements BoundTranslation {
  readonly streamType: string;
  readonly isUsageGrowing: boolean | undefined;
  readonly request: ProviderRequest;
  readonly id: string;
  readonly session: TranslationSession;
  readonly events = translatedEvents();

  constructor(
    { streamType, isUsageGrowing }: AnswerTranslation,
    { request, id }: Pick<BoundTranslation, "request" | "id">,
    session: TranslationSession,
  ) {
    this.streamType = streamType;
    this.isUsageGrowing = isUsageGrowing;
    this.request = request;
    this.id = id;
    this.session = session;
  }

  stream(): StreamTranslator {
    return this.events;
  }

  /** Whole answers are translated by the session. */
  whole(): undefined {}
}

/** Most bytes of a stream under way in the thread before the upstream has to wait. */
const underWayMax = 1024 * 1024;

/**
 * Between an upstream and the attempt of its stream: what arrives goes through the thread, in order. Errors
 * and bytes after the end pass as they are.
 */
export class ThreadedStream implements AnswerHandler, AnswerController {
  readonly #attempt: Attempt;
  readonly #translation: ThreadedTranslation;
  #upstream: AnswerController | undefined;
  #bytes = 0;
  #isPaused = false;
  #isFull = false;
  /** Fulfilled when all that arrived has been passed on. */
  #last: Promise<void> = Promise.resolve();

  constructor(attempt: Attempt, translation: ThreadedTranslation) {
    this.#attempt = attempt;
    this.#translation = translation;
    translation.events.finish = () => this.onResponseEnd();
  }

  onRequestStart(upstream: AnswerController): void {
    this.#upstream = upstream;
    this.#attempt.onRequestStart(this);
  }

  onResponseStart(
    _upstream: AnswerController,
    status: number,
    headers: Parameters<AnswerHandler["onResponseStart"]>[2],
  ): void {
    this.#attempt.onResponseStart(this, status, headers);
  }

  onResponseData(_upstream: AnswerController, chunk: Buffer): void {
    if (!this.#attempt.takesAnswer) {
      this.#attempt.onResponseData(this, chunk);
      return;
    }
    const { length } = chunk;
    this.#bytes += length;
    if (this.#bytes > underWayMax) {
      this.#isFull = true;
      this.#upstream?.pause();
    }
    this.#then(this.#translation.session.push(chunk), (written) => {
      this.#bytes -= length;
      this.#attempt.onResponseData(this, this.#take(written));
      if (!this.#isFull || this.#bytes > 0) return;
      this.#isFull = false;
      if (!this.#isPaused) this.#upstream?.resume();
    });
  }

  onResponseEnd(): void {
    if (!this.#attempt.takesAnswer) {
      this.#attempt.onResponseEnd();
      return;
    }
    this.#then(this.#translation.session.end(), (written) => {
      this.#translation.events.last = this.#take(written);
      this.#attempt.onResponseEnd();
    });
  }

  onResponseError(_upstream: AnswerController, error: Error): void {
    this.#then(this.#last, () => this.#attempt.onResponseError(this, error));
  }

  #take({ bytes, state, remembered }: WrittenEvents): Buffer {
    const { events, request } = this.#translation;
    Object.assign(events, state);
    remember(request, remembered);
    return bufferOf(bytes);
  }

  /** Jobs are done in order, so what comes after them is, too. */
  #then<Given>(job: Promise<Given>, step: (given: Given) => void): void {
    this.#last = job.then(step).catch((error: unknown) => {
      const note = error instanceof TranslationStopped ? error.message : "the answer could not be translated";
      this.#attempt.refuse({ kind: error instanceof TranslationStopped ? "stopping" : "server", note });
    });
  }

  pause(): void {
    this.#isPaused = true;
    this.#upstream?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isFull) this.#upstream?.resume();
  }

  abort(reason: Error): void {
    this.#upstream?.abort(reason);
  }
}
