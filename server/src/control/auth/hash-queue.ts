/**
 * Decides who may hash a password next. Hashing takes tens of milliseconds and 19 MiB, so a process does few
 * at once. The queue is limited in total and per network, so that one network cannot fill it. Knows no
 * passwords and no users.
 */
import { GatewayError } from "@plaza/contract/errors.ts";

/** A network that attempts come from, and its limit of tickets in the queue. */
export interface QueueNetwork {
  readonly name: string;
  readonly ticketsMax: number;
  /** False when it is so large that failures from it say nothing about a caller. */
  readonly isJudged: boolean;
}

export interface QueueComer {
  /** True for a session, an issued link, or a device that signed in before. */
  readonly isKnown: boolean;
  /** From the smallest to the largest; ignored when `isKnown`. */
  readonly networks: readonly QueueNetwork[];
}

/**
 * Order of turns: known callers first, then networks without failures, then the rest, which get every fourth
 * turn.
 */
export type Priority = "known" | "clean" | "failed";

/** A ticket in the queue, from start to end of an attempt. */
export interface QueueTicket {
  /** Runs the work in its turn. Rejects with `too_many_attempts` when the client has disconnected. */
  run<T>(priority: Priority, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Remembers the attempt's result for its networks. */
  judge(hasFailed: boolean): void;
  leave(): void;
}

export interface QueueBounds {
  readonly atOnceMax: number;
  /** Most tickets in total, and most for unknown callers; the rest is reserved for known ones. */
  readonly ticketsMax: number;
  readonly strangersMax: number;
  /**
   * Most tickets of unknown callers from networks with recent failures; the rest of theirs is reserved for
   * other networks.
   */
  readonly failedMax: number;
}

export const trusted: QueueComer = { isKnown: true, networks: [] };

/** One turn in this many starts with networks that have failures, so that they are not starved. */
const failedEvery = 4;

/** Networks with failures are remembered in two halves; when the newer is full, the older is dropped. */
const failuresPerHalf = 50_000;

const full = () => new GatewayError("too_many_attempts", { retryAfterMs: 1_000 });

/** A class because it has a lifetime: the process's. */
export class HashQueue {
  readonly #bounds: QueueBounds;
  #tickets = 0;
  #strangers = 0;
  #failed = 0;
  #failures = new Set<string>();
  #olderFailures = new Set<string>();
  #running = 0;
  #turns = 0;
  readonly #byNetwork = new Map<string, number>();
  readonly #waiting: Readonly<Record<Priority, (() => void)[]>> = { known: [], clean: [], failed: [] };

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  /** Throws `too_many_attempts` when no ticket is available. */
  enter({ isKnown, networks }: QueueComer): QueueTicket {
    const { ticketsMax, strangersMax, failedMax } = this.#bounds;
    if (this.#tickets >= ticketsMax) throw full();
    const counted = isKnown ? [] : networks;
    if (!isKnown && this.#strangers >= strangersMax) throw full();
    const hasFailed = counted.some(({ name, isJudged }) => isJudged && this.#hasFailed(name));
    if (hasFailed && this.#failed >= failedMax) throw full();
    for (const { name, ticketsMax: most } of counted)
      if ((this.#byNetwork.get(name) ?? 0) >= most) throw full();
    this.#count(counted, isKnown, 1);
    if (hasFailed) this.#failed += 1;
    let isHeld = true;
    return {
      run: (priority, work, signal) => this.#run(priority, work, signal),
      judge: (isFailure) => {
        for (const { name, isJudged } of counted) if (isJudged) this.#judge(name, isFailure);
      },
      leave: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#count(counted, isKnown, -1);
        if (hasFailed) this.#failed -= 1;
      },
    };
  }

  #hasFailed(network: string): boolean {
    return this.#failures.has(network) || this.#olderFailures.has(network);
  }

  #judge(network: string, isFailure: boolean): void {
    if (!isFailure) {
      this.#failures.delete(network);
      this.#olderFailures.delete(network);
      return;
    }
    if (this.#failures.size >= failuresPerHalf) {
      this.#olderFailures = this.#failures;
      this.#failures = new Set();
    }
    this.#failures.add(network);
  }

  #count(networks: readonly QueueNetwork[], isKnown: boolean, by: 1 | -1): void {
    this.#tickets += by;
    if (!isKnown) this.#strangers += by;
    for (const { name } of networks) {
      const tickets = (this.#byNetwork.get(name) ?? 0) + by;
      if (tickets === 0) this.#byNetwork.delete(name);
      else this.#byNetwork.set(name, tickets);
    }
  }

  async #run<T>(priority: Priority, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (this.#running >= this.#bounds.atOnceMax)
      await new Promise<void>((resolve) => this.#waiting[priority].push(resolve));
    else this.#running += 1;
    try {
      if (signal?.aborted === true) throw full();
      return await work();
    } finally {
      const next = this.#next();
      // The slot goes to the next in the queue directly, so that no other work takes it.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #next(): (() => void) | undefined {
    const { known, clean, failed } = this.#waiting;
    this.#turns += 1;
    const early = this.#turns % failedEvery === 0 ? failed.shift() : undefined;
    return early ?? known.shift() ?? clean.shift() ?? failed.shift();
  }
}
