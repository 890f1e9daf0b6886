/**
 * Limits concurrent calls to one upstream. Waiters get permits in order from a bounded queue; how long to
 * wait is up to them.
 */

/** The right to make one call. */
export interface Permit {
  /** Passes the permit to the next waiter. Only the first call counts. */
  release(): void;
}

/** A request in the queue. */
export interface Waiter {
  /** Receives the permit and must release it. */
  take(permit: Permit): void;
}

export class ConcurrencyLimiter {
  readonly #most: number;
  readonly #queueMost: number;
  readonly #waiting: Waiter[] = [];
  #taken = 0;

  /** `most`: concurrent calls; `queueMost`: requests in the queue. */
  constructor(most: number, queueMost: number) {
    this.#most = most;
    this.#queueMost = queueMost;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get isLineFull(): boolean {
    return this.#waiting.length >= this.#queueMost;
  }

  /** Returns a permit if one is free; undefined otherwise. */
  take(): Permit | undefined {
    if (this.#taken >= this.#most) return undefined;
    this.#taken += 1;
    return this.#permit();
  }

  /** Joins the queue; false when it is full. */
  join(waiter: Waiter): boolean {
    if (this.isLineFull) return false;
    this.#waiting.push(waiter);
    return true;
  }

  /** Leaves the queue, if in it. */
  leave(waiter: Waiter): void {
    const at = this.#waiting.indexOf(waiter);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  #permit(): Permit {
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        const next = this.#waiting.shift();
        // A permit handed to the next waiter stays taken.
        if (next === undefined) this.#taken -= 1;
        else next.take(this.#permit());
      },
    };
  }
}

/** The limiter of each owner; it lives as long as the owner object. */
export interface ConcurrencyLimiters {
  of(owner: object, most: number, queueMost: number): ConcurrencyLimiter;
}

export function createConcurrencyLimiters(): ConcurrencyLimiters {
  const all = new WeakMap<object, ConcurrencyLimiter>();
  return {
    of(owner, most, queueMost) {
      let limiter = all.get(owner);
      if (limiter === undefined) {
        limiter = new ConcurrencyLimiter(most, queueMost);
        all.set(owner, limiter);
      }
      return limiter;
    },
  };
}
