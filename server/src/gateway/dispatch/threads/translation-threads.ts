/**
 * The threads that translate large calls, so that the event loop never parses a large body. They start when
 * first needed and stop when idle; a thread that dies fails only the calls it has. Bounded in number, in
 * memory and in calls that wait.
 */
import { Worker } from "node:worker_threads";
import { turns } from "../../../lib/time/slices.ts";
import { CallRefused } from "../fault-error.ts";
import type { FromThread, JobKind, Jobs, ToThread, TranslationTask } from "./messages.ts";

/** Bodies with more bytes are translated in a thread. Fewer take the event loop a few milliseconds. */
export const threadedBytesMin = 256 * 1024;

/** The part of a `Worker` that is used. */
export interface TranslationWorker {
  postMessage(message: ToThread, transfer: ArrayBuffer[]): void;
  on(event: "message", listener: (message: FromThread) => void): unknown;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
  on(event: "exit", listener: () => void): unknown;
  unref(): void;
  terminate(): unknown;
}

export interface TranslationThreadsOptions {
  readonly start?: () => TranslationWorker;
  /** Most threads. */
  readonly threadsMax?: number;
  /** Most jobs that wait for a thread. */
  readonly waitingMax?: number;
  /** Milliseconds that a thread is kept without calls. */
  readonly idleMs?: number;
  /** Milliseconds after which a thread at one job is taken for stuck and ended. */
  readonly jobMs?: number;
}

/**
 * Most megabytes of a thread's old generation: several times what the largest body takes when it is parsed.
 * A thread that needs more is ended by V8.
 */
const heapMegabytesMax = 1_024;

/** Megabytes of its young generation: three halves of 8, as the serving thread has. */
const youngMegabytesMax = 24;

function startWorker(): TranslationWorker {
  return new Worker(new URL("./translation-thread.ts", import.meta.url), {
    name: "translation",
    resourceLimits: {
      maxOldGenerationSizeMb: heapMegabytesMax,
      maxYoungGenerationSizeMb: youngMegabytesMax,
    },
  });
}

/** A job has no result, and nothing is wrong with the call or its upstream. */
export class TranslationStopped extends Error {
  override readonly name = "TranslationStopped";
}

/** A job that failed in the thread because of a bug; `name` is that of its exception. */
export class TranslationFailed extends Error {
  constructor(name: string) {
    super("a translation failed");
    this.name = name;
  }
}

/** Bytes of a body copied before other work gets a turn: a few milliseconds. */
const copyBytes = 4 * 1024 * 1024;

/** A copy of the bytes, made in slices. The caller's stay, for another attempt. */
async function copyOf(bytes: Buffer): Promise<Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at += copyBytes) {
    if (at > 0) await turns.next();
    copy.set(bytes.subarray(at, at + copyBytes), at);
  }
  return copy;
}

interface Job {
  readonly session: TranslationSession;
  readonly kind: JobKind;
  readonly asks: unknown;
  readonly transfer: ArrayBuffer[];
  readonly resolve: (gives: never) => void;
  readonly reject: (error: Error) => void;
}

/** One call in a thread. Close it once. Its jobs are done in the order in which they were asked for. */
export class TranslationSession {
  readonly id: number;
  readonly task: TranslationTask;
  /** The body, until the thread has a copy of it. */
  body: Buffer | undefined;
  isClosed = false;
  readonly #thread: Thread;

  constructor(thread: Thread, id: number, task: TranslationTask, body: Buffer) {
    this.#thread = thread;
    this.id = id;
    this.task = task;
    this.body = body;
  }

  /**
   * Does a job that may take long: one at a time in a thread. Rejects with `TranslationStopped`,
   * `CallRefused` or `TranslationFailed`. Bytes of `asks` in `transfer` move.
   */
  run<Kind extends "addresses" | "encode" | "whole">(
    kind: Kind,
    asks: Jobs[Kind]["asks"],
    transfer: ArrayBuffer[] = [],
  ): Promise<Jobs[Kind]["gives"]> {
    return new Promise((resolve, reject) => {
      this.#thread.queue({ session: this, kind, asks, transfer, resolve, reject });
    });
  }

  /** Translates a piece of a stream, which is copied. Only after `run`. */
  push(chunk: Buffer): Promise<Jobs["push"]["gives"]> {
    const asks = new Uint8Array(chunk);
    return new Promise((resolve, reject) => {
      const transfer = [asks.buffer];
      this.#thread.post({ session: this, kind: "push", asks, transfer, resolve, reject });
    });
  }

  /** Ends the stream. */
  end(): Promise<Jobs["end"]["gives"]> {
    return new Promise((resolve, reject) => {
      this.#thread.post({ session: this, kind: "end", asks: undefined, transfer: [], resolve, reject });
    });
  }

  /** Forgets the call. Jobs that wait reject; one under way goes on, and its result is dropped. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#thread.close(this);
  }
}

/** One thread, with the jobs it has and those that wait for it. */
class Thread {
  readonly #worker: TranslationWorker;
  readonly #options: Required<TranslationThreadsOptions>;
  readonly #onDeath: (thread: Thread) => void;
  readonly #jobs = new Map<number, Job>();
  readonly waiting: Job[] = [];
  /** The long job under way. */
  #running: Job | undefined;
  #lastJob = 0;
  sessions = 0;
  #isDead = false;
  #timer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: Required<TranslationThreadsOptions>, onDeath: (thread: Thread) => void) {
    this.#options = options;
    this.#onDeath = onDeath;
    this.#worker = options.start();
    this.#worker.on("message", (message) => this.#take(message));
    // Its message may quote a body.
    this.#worker.on("error", ({ name, code }) => this.stop(`a translation thread died: ${code ?? name}`));
    this.#worker.on("exit", () => this.stop("a translation thread ended"));
    // After the listeners, which keep the process alive. A call under way does so by its connections.
    this.#worker.unref();
  }

  /** Long jobs under way and waiting. */
  get load(): number {
    return this.waiting.length + (this.#running === undefined ? 0 : 1);
  }

  open(id: number, task: TranslationTask, body: Buffer): TranslationSession {
    clearTimeout(this.#idleTimer);
    this.sessions += 1;
    return new TranslationSession(this, id, task, body);
  }

  close(session: TranslationSession): void {
    this.sessions -= 1;
    for (let at = this.waiting.length - 1; at >= 0; at -= 1) {
      if (this.waiting[at]?.session !== session) continue;
      const [job] = this.waiting.splice(at, 1);
      job?.reject(new TranslationStopped("the call is over"));
    }
    const isKnown = session.body === undefined;
    session.body = undefined;
    if (this.#isDead) return;
    if (isKnown) this.#worker.postMessage({ kind: "close", session: session.id }, []);
    if (this.sessions > 0) return;
    this.#idleTimer = setTimeout(() => this.stop("idle"), this.#options.idleMs).unref();
  }

  queue(job: Job): void {
    if (!this.#accepts(job)) return;
    if (this.waiting.length >= this.#options.waitingMax) {
      job.reject(new TranslationStopped("too many calls wait for a translation thread"));
      return;
    }
    this.waiting.push(job);
    if (this.#running === undefined) void this.#next();
  }

  /** False: the job is over, without a result. */
  post(job: Job): boolean {
    if (!this.#accepts(job)) return false;
    const { session, kind, asks, transfer } = job;
    this.#lastJob += 1;
    this.#worker.postMessage({ kind, session: session.id, job: this.#lastJob, asks }, transfer);
    this.#jobs.set(this.#lastJob, job);
    return true;
  }

  #accepts({ session, reject }: Job): boolean {
    if (!this.#isDead && !session.isClosed) return true;
    reject(new TranslationStopped(this.#isDead ? "the translation thread ended" : "the call is over"));
    return false;
  }

  async #next(): Promise<void> {
    const job = this.waiting.shift();
    this.#running = job;
    if (job === undefined) return;
    try {
      await this.#introduce(job.session);
      this.#timer = setTimeout(
        () => this.stop("a translation thread was stuck"),
        this.#options.jobMs,
      ).unref();
      if (this.post(job)) return;
    } catch (error) {
      job.reject(error as Error);
    }
    clearTimeout(this.#timer);
    void this.#next();
  }

  /** Sends the call of a session before its first job. */
  async #introduce(session: TranslationSession): Promise<void> {
    const { id, task, body } = session;
    if (body === undefined) return;
    const copy = await copyOf(body);
    if (session.isClosed || this.#isDead) return;
    this.#worker.postMessage({ kind: "open", session: id, task, body: copy }, [copy.buffer]);
    session.body = undefined;
  }

  #take(message: FromThread): void {
    const job = this.#jobs.get(message.job);
    if (job === undefined) return;
    this.#jobs.delete(message.job);
    if (job === this.#running) {
      clearTimeout(this.#timer);
      void this.#next();
    }
    if ("gives" in message) job.resolve(message.gives as never);
    else
      job.reject("fault" in message ? new CallRefused(message.fault) : new TranslationFailed(message.error));
  }

  /** Ends the thread. Everything it has rejects. */
  stop(why: string): void {
    if (this.#isDead) return;
    this.#isDead = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#idleTimer);
    this.#onDeath(this);
    const jobs = [...this.#jobs.values(), ...this.waiting];
    this.#jobs.clear();
    this.waiting.length = 0;
    for (const { reject } of jobs) reject(new TranslationStopped(why));
    this.#worker.terminate();
  }
}

export class TranslationThreads {
  readonly #options: Required<TranslationThreadsOptions>;
  readonly #threads: Thread[] = [];
  #lastId = 0;
  #isClosed = false;

  constructor({
    start = startWorker,
    threadsMax = 2,
    waitingMax = 128,
    idleMs = 30_000,
    jobMs = 60_000,
  }: TranslationThreadsOptions = {}) {
    this.#options = { start, threadsMax, waitingMax, idleMs, jobMs };
  }

  /** Threads that run. */
  get count(): number {
    return this.#threads.length;
  }

  /** Begins a call in the thread with the least to do. Its body is copied when its first job begins. */
  open(task: TranslationTask, body: Buffer): TranslationSession {
    this.#lastId += 1;
    return this.#leastBusy().open(this.#lastId, task, body);
  }

  #leastBusy(): Thread {
    let least: Thread | undefined;
    for (const thread of this.#threads) if (least === undefined || thread.load < least.load) least = thread;
    const isEnough = this.#threads.length >= this.#options.threadsMax;
    if (least !== undefined && (least.load === 0 || isEnough)) return least;
    const thread = new Thread(this.#options, (dead) => {
      const at = this.#threads.indexOf(dead);
      if (at >= 0) this.#threads.splice(at, 1);
    });
    if (this.#isClosed) thread.stop("the process stops");
    else this.#threads.push(thread);
    return thread;
  }

  /** Ends all threads at once. */
  stop(): void {
    this.#isClosed = true;
    for (const thread of [...this.#threads]) thread.stop("the process stops");
  }
}
