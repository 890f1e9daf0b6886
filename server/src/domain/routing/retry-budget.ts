/**
 * Pure: may a request be given another attempt, or would that only add to a storm? Attempts that came to
 * nothing are paid for by requests, one for every sixteen, so that with the few to spare and those under way
 * they stay below a tenth of the traffic. An attempt that answers costs nothing. No clock: time is an
 * argument, in milliseconds that never run back.
 */

/** Requests that pay for one attempt more. */
const requestsPerExtra = 16;

/**
 * Most that is saved, in attempts, however much traffic there was; refilled by
 * time too, a quarter of one in a window.
 */
const savedMax = 5 * requestsPerExtra;
const refill = requestsPerExtra / 4;

/** Attempts whose end is not known yet, however quiet it is; else as many as there were requests of late. */
const underWayMin = 64;

/** Requests of a model that wait for a pause to be over. */
const waitingMax = 500;

/** Half of the stretch of traffic that counts, in milliseconds. */
const windowMs = 5_000;

/**
 * The budget of one model. Everything is counted in whole requests, so an
 * attempt that came to nothing costs sixteen.
 */
export class RetryBudget {
  #level = savedMax;
  /** Requests in the window before this one and in this one. */
  #before = 0;
  #now = 0;
  #windowEndMs: number;
  #underWay = 0;
  #waiting = 0;

  constructor(nowMs: number) {
    this.#windowEndMs = nowMs + windowMs;
  }

  /** A request begins. */
  earn(nowMs: number): void {
    this.#turn(nowMs);
    this.#now += 1;
    if (this.#level < savedMax) this.#level += 1;
  }

  /** True when another attempt is allowed. It then counts until `settle`, which must follow exactly once. */
  begin(nowMs: number): boolean {
    this.#turn(nowMs);
    const isAffordable = this.#level >= requestsPerExtra;
    if (!isAffordable || this.#underWay >= Math.max(underWayMin, this.#before + this.#now)) return false;
    this.#underWay += 1;
    return true;
  }

  /**
   * How an attempt that was begun ended: was it made for nothing? The level may
   * fall below zero, by those under way.
   */
  settle(isWasted: boolean): void {
    this.#underWay -= 1;
    if (isWasted) this.#level -= requestsPerExtra;
  }

  /**
   * May one request more wait until something may be called again? If so
   * `leaveLine` has to follow exactly once.
   */
  joinLine(): boolean {
    if (this.#waiting >= waitingMax) return false;
    this.#waiting += 1;
    return true;
  }

  leaveLine(): void {
    this.#waiting -= 1;
  }

  #turn(nowMs: number): void {
    if (nowMs < this.#windowEndMs) return;
    const windows = 1 + Math.floor((nowMs - this.#windowEndMs) / windowMs);
    this.#windowEndMs += windows * windowMs;
    this.#before = windows === 1 ? this.#now : 0;
    this.#now = 0;
    this.#level = Math.min(savedMax, this.#level + windows * refill);
  }
}

/**
 * Models whose budgets are remembered; far above any catalog, so that
 * editing catalogs for years leaks nothing.
 */
const modelsMax = 10_000;

export interface RetryBudgets {
  /** The budget of a public model id. */
  of(modelId: string, nowMs: number): RetryBudget;
}

export function createRetryBudgets(): RetryBudgets {
  const budgets = new Map<string, RetryBudget>();
  return {
    of(modelId, nowMs) {
      let budget = budgets.get(modelId);
      if (budget === undefined) {
        if (budgets.size >= modelsMax) budgets.clear();
        budget = new RetryBudget(nowMs);
        budgets.set(modelId, budget);
      }
      return budget;
    },
  };
}
