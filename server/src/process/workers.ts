/**
 * The primary's side of `--workers N`: forks serving processes, replaces dead ones, reloads them one by one
 * and stops them.
 * All workers accept on the same sockets. The primary keeps copies for future workers until it stops
 * (docs/decisions/0003), but never handles a connection: when a worker dies, the system closes its
 * connections, and queued ones go to the other workers. A worker closes a socket for good only after its
 * queue is empty.
 */
import type { SendHandle } from "node:child_process";
import type { Cluster, Worker } from "node:cluster";
import type { Ports } from "../app/listening.ts";
import type { Log } from "../lib/telemetry/log.ts";
import type { Clock } from "../lib/time/clock.ts";
import { isWithin } from "../lib/time/schedule.ts";
import type { SharedSockets } from "./shared-sockets.ts";
import {
  isListening,
  isSocketsWanted,
  type NoSocketMessage,
  retire,
  type SocketMessage,
} from "./worker-messages.ts";

export interface WorkersOptions {
  readonly cluster: Pick<Cluster, "fork" | "on">;
  readonly count: number;
  /** The sockets workers listen on: the console's own, if any, then the endpoint's. */
  readonly sockets: SharedSockets;
  readonly clock: Clock;
  readonly log: Log;
  /** Runs `then` after `ms` milliseconds. */
  readonly later: (ms: number, then: () => void) => void;
  /** How long a replaced worker may take to end before it is killed, in milliseconds. */
  readonly retireMs: number;
}

export interface Workers {
  /** Resolves when all workers listen for the first time. */
  readonly listening: Promise<Ports>;
  /** Replaces all workers one by one. Ends early when a new one fails to start. */
  reload(): Promise<void>;
  /** Passes the signal on and resolves when all workers have ended. None is replaced afterwards. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/**
 * A worker that never listened, or died within this time afterwards, counts as a fast death. Milliseconds.
 */
const livedMs = 2_000;
const replaceMs = 100;
const replaceMsMax = 10_000;
/** How long a new worker may take to listen during a reload, in milliseconds. */
const startMs = 60_000;

/**
 * Returns the delay before replacing a worker that ran for `ranMs`, after `deaths` fast deaths in a row (0:
 * it served). The delay limits how often a worker is started, so the time it ran is subtracted. One that
 * served is replaced at once.
 */
export function replacementDelayMs(deaths: number, ranMs: number): number {
  if (deaths === 0) return 0;
  return Math.max(0, Math.min(replaceMsMax, replaceMs * 2 ** Math.min(deaths, 20)) - ranMs);
}

interface Serving {
  readonly worker: Worker;
  /** Fast deaths in a row in this slot. */
  readonly deaths: number;
  readonly forkedMs: number;
  /** True once it was sent copies of the sockets. */
  hasSockets: boolean;
  listeningMs: number | undefined;
  isRetired: boolean;
  readonly listening: Promise<void>;
  readonly ended: Promise<void>;
  readonly onListening: () => void;
  readonly onEnd: () => void;
}

/** A class because it manages its workers until `stop`. */
class ServingWorkers implements Workers {
  readonly listening: Promise<Ports>;
  readonly #options: WorkersOptions;
  readonly #serving = new Map<number, Serving>();
  readonly #onAllListening: (ports: Ports) => void;
  #isStopping = false;
  #reloading: Promise<void> | undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
    const all = Promise.withResolvers<Ports>();
    this.listening = all.promise;
    this.#onAllListening = all.resolve;
    options.cluster.on("message", ({ id }, message) => this.#hear(id, message));
    options.cluster.on("exit", ({ id }, code, signal) => this.#noteExit(id, code, signal));
    for (let index = 0; index < options.count; index += 1) this.#fork(0);
  }

  reload(): Promise<void> {
    this.#reloading ??= this.#reload().finally(() => {
      this.#reloading = undefined;
    });
    return this.#reloading;
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#isStopping = true;
    // Must come before workers stop accepting. Otherwise this copy would be the last one, and closing it
    // would reset queued connections.
    this.#options.sockets.close();
    const serving = [...this.#serving.values()];
    for (const { worker } of serving) worker.process.kill(signal);
    await Promise.all(serving.map(({ ended }) => ended));
  }

  #fork(deaths: number): Serving {
    const worker = this.#options.cluster.fork();
    const listening = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const serving: Serving = {
      worker,
      deaths,
      forkedMs: this.#options.clock.elapsedMs(),
      hasSockets: false,
      listeningMs: undefined,
      isRetired: false,
      listening: listening.promise,
      ended: ended.promise,
      onListening: listening.resolve,
      onEnd: ended.resolve,
    };
    this.#serving.set(worker.id, serving);
    worker.on("error", () => {
      // A failed message to a worker that has just ended is followed by its exit event. A worker that never
      // started has no such event.
      if (worker.process.pid === undefined) this.#noteExit(worker.id, null, null);
    });
    return serving;
  }

  #hear(id: number, message: unknown): void {
    const serving = this.#serving.get(id);
    if (serving === undefined) return;
    if (isSocketsWanted(message)) this.#giveSockets(serving);
    else if (isListening(message)) this.#noteListening(serving, message.ports);
  }

  #giveSockets(serving: Serving): void {
    const { worker } = serving;
    if (this.#isStopping) {
      this.#send(worker, { plaza: "no socket" });
      return;
    }
    try {
      const handles = this.#options.sockets.open();
      serving.hasSockets = true;
      for (const [index, handle] of handles.entries()) {
        const place = index === handles.length - 1 ? "endpoint" : "console";
        this.#send(worker, { plaza: "socket", place, of: handles.length }, handle);
      }
    } catch (error) {
      this.#send(worker, { plaza: "no socket", problem: (error as Error).message });
    }
  }

  /** Messages to a closing worker are dropped; its exit follows. */
  #send(worker: Worker, message: SocketMessage | NoSocketMessage | typeof retire, handle?: object): void {
    if (worker.isConnected()) worker.send(message, handle as SendHandle | undefined, () => {});
  }

  #noteListening(serving: Serving, ports: Ports): void {
    serving.listeningMs = this.#options.clock.elapsedMs();
    serving.onListening();
    const ready = [...this.#serving.values()].filter(({ listeningMs }) => listeningMs !== undefined);
    if (ready.length >= this.#options.count) this.#onAllListening(ports);
  }

  #noteExit(id: number, code: number | null, signal: string | null): void {
    const serving = this.#serving.get(id);
    if (serving === undefined) return;
    this.#serving.delete(id);
    serving.onEnd();
    const { clock, log, later, sockets } = this.#options;
    // Without an accepting worker, connections are refused instead of waiting in the queue.
    if (![...this.#serving.values()].some(({ hasSockets }) => hasSockets)) sockets.close();
    if (this.#isStopping || serving.isRetired) return;
    const { listeningMs, forkedMs } = serving;
    const nowMs = clock.elapsedMs();
    const hasLived = listeningMs !== undefined && nowMs - listeningMs >= livedMs;
    const deaths = hasLived ? 0 : serving.deaths + 1;
    const againInMs = Math.round(replacementDelayMs(deaths, nowMs - forkedMs));
    log.error("worker_died", { pid: serving.worker.process.pid, code, signal, againInMs });
    later(againInMs, () => {
      if (!this.#isStopping) this.#fork(deaths);
    });
  }

  async #reload(): Promise<void> {
    const { log, retireMs } = this.#options;
    const before = [...this.#serving.values()];
    log.info("reloading", { workers: before.length });
    for (const old of before) {
      // A worker that is still starting cannot receive messages yet.
      await isWithin(Promise.race([old.listening, old.ended]), startMs);
      if (this.#isStopping) return;
      // A worker that died meanwhile has already been replaced.
      if (!this.#serving.has(old.worker.id)) continue;
      // Until one of the two is chosen, neither is replaced automatically.
      old.isRetired = true;
      const fresh = this.#fork(0);
      fresh.isRetired = true;
      const isUp = await isWithin(Promise.race([fresh.listening, fresh.ended]), startMs);
      if (this.#isStopping) return;
      if (!isUp || !this.#serving.has(fresh.worker.id)) {
        this.#giveUp(fresh, old);
        return;
      }
      fresh.isRetired = false;
      this.#send(old.worker, retire);
      if (!(await isWithin(old.ended, retireMs))) old.worker.process.kill("SIGKILL");
      await old.ended;
    }
    log.info("reloaded", { workers: before.length });
  }

  /** The new worker did not start, so the old one stays. */
  #giveUp(fresh: Serving, old: Serving): void {
    fresh.worker.process.kill("SIGKILL");
    this.#options.log.error("reload_failed", { pid: fresh.worker.process.pid });
    old.isRetired = false;
    if (!this.#serving.has(old.worker.id)) this.#fork(0);
  }
}

/** Starts all workers. */
export function startWorkers(options: WorkersOptions): Workers {
  return new ServingWorkers(options);
}
