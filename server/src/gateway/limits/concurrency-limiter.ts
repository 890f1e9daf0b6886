/**
 * How many calls one upstream gets at once, and who waits for a permit: first come, first served, in a
 * bounded queue. It knows nothing of requests, and no time: whoever waits decides for how long.
 */

/** The right to one call. */
export interface Permit {
  /** Gives it to the next in line; only the first call counts. */
  release(): void;
}

/** Somebody in line. */
export interface Waiter {
  /** The permit is there; the waiter releases it. */
  take(permit: Permit): void;
}

export class ConcurrencyLimiter {
  readonly #most: number;
  readonly #queueMost: number;
  readonly #waiting: Waiter[] = [];
  #taken = 0;

  /** At most `most` calls at once and `queueMost` in line. */
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

  /** A permit, when one is free and nobody waits; otherwise undefined. */
  take(): Permit | undefined {
    if (this.#taken >= this.#most) return undefined;
    this.#taken += 1;
    return this.#permit();
  }

  /** Gets in line; false when the line is full. */
  join(waiter: Waiter): boolean {
    if (this.isLineFull) return false;
    this.#waiting.push(waiter);
    return true;
  }

  /** Leaves the line; does nothing for one that is not in it. */
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
        // A permit that is handed on stays taken.
        if (next === undefined) this.#taken -= 1;
        else next.take(this.#permit());
      },
    };
  }
}

/** The limiter of each owner that has a bound; it lives as long as its owner. */
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
