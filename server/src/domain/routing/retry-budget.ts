/**
 * Pure: decides whether a request gets another attempt, or whether that would only make an overload worse.
 * Failed extra attempts are paid for by requests, one per sixteen, so together with the reserve and running
 * attempts they stay below a tenth of the traffic. A successful attempt costs nothing. No clock: monotonic
 * milliseconds are passed in.
 */

/** Requests that pay for one extra attempt. */
const requestsPerExtra = 16;

/**
 * Largest reserve, in requests: five attempts. Time also refills it, by a quarter of an attempt per window.
 */
const savedMax = 5 * requestsPerExtra;
const refill = requestsPerExtra / 4;

/** Running extra attempts allowed at low traffic; otherwise as many as there were recent requests. */
const underWayMin = 64;

/** Most requests of a model that wait for the end of a pause. */
const waitingMax = 500;

/** Length of a window in milliseconds; two windows of traffic count. */
const windowMs = 5_000;

/** The budget of one model, counted in requests: a failed attempt costs sixteen. */
export class RetryBudget {
  #level = savedMax;
  /** Requests in the previous and the current window. */
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

  /**
   * True when another attempt is allowed. It counts as running until `settle`, which must be called exactly
   * once.
   */
  begin(nowMs: number): boolean {
    this.#turn(nowMs);
    const isAffordable = this.#level >= requestsPerExtra;
    if (!isAffordable || this.#underWay >= Math.max(underWayMin, this.#before + this.#now)) return false;
    this.#underWay += 1;
    return true;
  }

  /**
   * Ends an attempt. `isWasted`: it failed. The level may become negative by the number of running attempts.
   */
  settle(isWasted: boolean): void {
    this.#underWay -= 1;
    if (isWasted) this.#level -= requestsPerExtra;
  }

  /** True when one more request may wait. Then `leaveLine` must be called exactly once. */
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
 * Most models whose budgets are kept; far more than any catalog has. The bound keeps memory constant over
 * years of catalog edits.
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
