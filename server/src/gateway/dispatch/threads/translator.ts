/**
 * Translates calls for the event loop: keeps each call's request and does the jobs asked of it, with the code
 * that translates small calls on the event loop. Runs in a translation thread; knows nothing of threads.
 */
import { type Delivered, noDelivery } from "../../../domain/money/estimate.ts";
import type {
  AnswerTranslation,
  MediaFile,
  ProviderRequest,
  StreamTranslator,
} from "../../../protocols/protocol.ts";
import type { WireProtocol } from "../../../protocols/wire-protocol.ts";
import { loadProviders, providerFor } from "../../../providers/index.ts";
import type { HttpProvider } from "../../../providers/provider.ts";
import { sealOf } from "../../request/memory/payload-seals.ts";
import {
  type BoundTranslation,
  bindTranslation,
  encode,
  faultOfRefusal,
} from "../attempt/translated-call.ts";
import { upstreamWayOf, type Way } from "../attempt/way.ts";
import { CallRefused } from "../fault-error.ts";
import { callerOf } from "./callers.ts";
import {
  bufferOf,
  type FromThread,
  type JobKind,
  type Jobs,
  type Remembered,
  type ToThread,
  type TranslationTask,
  type WrittenEvents,
} from "./messages.ts";

/** Most ids that a request's memory is asked for; the newest win. */
const missedMax = 20_000;
/** Most characters of what is not an answer. */
const otherMax = 64 * 1024;

/** A call's memory in this thread: knows what it was given, notes what it lacks and what it is to keep. */
class CopiedMemory {
  readonly #known = new Map<string, string>();
  #missed = new Set<string>();
  #remembered: (readonly [string, string])[] = [];

  recall(id: string): string | undefined {
    const value = this.#known.get(id);
    if (value === undefined) this.#missed.add(id);
    return value;
  }

  remember(id: string, value: string): void {
    this.#remembered.push([id, value]);
  }

  learn(remembered: Remembered): void {
    for (const [id, value] of remembered) this.#known.set(id, value);
  }

  takeMissed(): string[] {
    const missed = [...this.#missed].slice(-missedMax);
    this.#missed = new Set();
    return missed;
  }

  takeRemembered(): Remembered {
    const remembered = this.#remembered;
    this.#remembered = [];
    return remembered;
  }
}

type JobTable = { readonly [Kind in JobKind]: (asks: Jobs[Kind]["asks"]) => Jobs[Kind]["gives"] };

/** One call. */
class TranslatedCall implements JobTable {
  readonly #task: TranslationTask;
  readonly #protocol: WireProtocol;
  readonly #memory = new CopiedMemory();
  readonly #request: ProviderRequest;
  readonly #way: Way;
  readonly #bound: BoundTranslation;
  #stream: StreamTranslator | undefined;

  constructor(task: TranslationTask, body: Buffer, provider: HttpProvider) {
    this.#task = task;
    this.#protocol = callerOf(task.caller);
    const seal = task.seal === undefined ? undefined : sealOf(task.seal);
    this.#request = { ...task.request, body, seal, memory: this.#memory };
    const { deployment } = task;
    const { format, writeCount } = this.#protocol;
    if (format === undefined) throw new Error("the caller's format is none of conversations");
    this.#way = upstreamWayOf(provider, format, writeCount, { deployment, body });
    this.#bound = bindTranslation(this.#way.translation as AnswerTranslation, {
      model: deployment.model,
      request: this.#request,
      id: task.answerId,
    });
  }

  addresses(): Jobs["addresses"]["gives"] {
    return this.#protocol.addressesOf(this.#request);
  }

  encode({ credential, remembered, media }: Jobs["encode"]["asks"]): Jobs["encode"]["gives"] {
    const { upstream, deployment } = this.#task;
    const codec = this.#way.single;
    if (codec === undefined) throw new Error("the upstream does not serve the format");
    this.#memory.learn(remembered);
    const request = media === undefined ? this.#request : { ...this.#request, media: filesOf(media) };
    const call = encode({ codec, upstream, model: deployment.model }, request, credential);
    const { path, headers, dropped } = call;
    // The request's own bytes stay here.
    const body = call.body.buffer === this.#request.body.buffer ? new Uint8Array(call.body) : call.body;
    return { path, headers, body, dropped, missed: this.#memory.takeMissed() };
  }

  push(chunk: Uint8Array): WrittenEvents {
    this.#stream ??= this.#bound.stream();
    return this.#written(this.#stream.push(bufferOf(chunk)), this.#stream);
  }

  end(): WrittenEvents {
    this.#stream ??= this.#bound.stream();
    return this.#written(this.#stream.end(), this.#stream);
  }

  #written(bytes: Buffer, { push: _, end: __, ...state }: StreamTranslator): WrittenEvents {
    return { bytes, state, remembered: this.#memory.takeRemembered() };
  }

  whole(asks: Uint8Array): Jobs["whole"]["gives"] {
    const arrived = bufferOf(asks);
    let said: Delivered | undefined;
    const body = this.#bound.whole(arrived, (all) => {
      said = all;
    });
    const answer = body === undefined ? undefined : this.#protocol.readWhole(body);
    if (body === undefined || answer === undefined) {
      return { other: (body ?? arrived).toString("utf8", 0, otherMax) };
    }
    return {
      body,
      report: answer.usage,
      said: said ?? { ...noDelivery, ...this.#protocol.contentSize(body, answer.content) },
      remembered: this.#memory.takeRemembered(),
    };
  }
}

/** A cloned file lacks the methods of a buffer. */
const filesOf = (media: ReadonlyMap<string, MediaFile>): ReadonlyMap<string, MediaFile> =>
  new Map([...media].map(([url, file]) => [url, { ...file, bytes: bufferOf(file.bytes) }]));

/** What a job gave, or why it did not. */
function done(job: number, work: () => unknown): FromThread {
  try {
    return { job, gives: work() };
  } catch (thrown) {
    try {
      return { job, fault: thrown instanceof CallRefused ? thrown.fault : faultOfRefusal(thrown) };
    } catch (bug) {
      return { job, error: bug instanceof Error ? bug.name : "not an error" };
    }
  }
}

export class Translator {
  readonly #calls = new Map<number, TranslatedCall>();

  /** Does what a message says. Undefined: it asks for nothing. Must be awaited before the next. */
  async take(message: ToThread): Promise<FromThread | undefined> {
    const { session } = message;
    if (message.kind === "open") {
      try {
        await this.#open(session, message.task, bufferOf(message.body));
      } catch {
        // A bug: the call's first job says that it is not open.
      }
      return undefined;
    }
    if (message.kind === "close") {
      this.#calls.delete(session);
      return undefined;
    }
    const { kind, job, asks } = message;
    return done(job, () => {
      const call = this.#calls.get(session);
      if (call === undefined) throw new Error("the call is not open");
      return (call[kind] as (given: unknown) => unknown).call(call, asks);
    });
  }

  async #open(session: number, task: TranslationTask, body: Buffer): Promise<void> {
    await loadProviders([task.upstream.provider]);
    const provider = providerFor(task.upstream);
    if (provider?.transport === "http") this.#calls.set(session, new TranslatedCall(task, body, provider));
  }
}
