/**
 * Pure: how often an upstream rate-limits a credential, to tell a single refusal among many answers from a
 * limit that is used up. Changed in place: one per credential and deployment, updated once per call.
 * Milliseconds of one clock, passed in.
 */

/** Answers and refusals of this window and the previous one count. */
const windowMs = 10_000;
/** Often: this many consecutive refusals, or at least as many refusals as answers and at least this many. */
const oftenInRow = 5;
const oftenMin = 3;
/** Seldom: at most one refusal per this many answers, and at least this many answers. */
const seldomShare = 4;

/** Longest wait of a request for a credential that refuses seldom, and for one with too little data. */
const waitSeldomMs = 5_000;
const waitUnclearMs = 1_000;

export interface Throttling {
  startMs: number;
  served: number;
  refused: number;
  lastServed: number;
  lastRefused: number;
  refusedInRow: number;
}

/** `seldom`: worth a retry after a moment. `often`: only a pause helps. */
export type ThrottleRate = "seldom" | "unclear" | "often";

export const createThrottling = (): Throttling => ({
  startMs: Number.NEGATIVE_INFINITY,
  served: 0,
  refused: 0,
  lastServed: 0,
  lastRefused: 0,
  refusedInRow: 0,
});

function turn(one: Throttling, nowMs: number): void {
  const ageMs = nowMs - one.startMs;
  if (ageMs < windowMs) return;
  const isNext = ageMs < 2 * windowMs;
  one.lastServed = isNext ? one.served : 0;
  one.lastRefused = isNext ? one.refused : 0;
  one.served = 0;
  one.refused = 0;
  one.startMs = nowMs;
}

export function throttlingServed(one: Throttling, nowMs: number): void {
  turn(one, nowMs);
  one.served += 1;
  one.refusedInRow = 0;
}

export function throttlingRefused(one: Throttling, nowMs: number): void {
  turn(one, nowMs);
  one.refused += 1;
  one.refusedInRow += 1;
}

export function throttleRate(one: Throttling, nowMs: number): ThrottleRate {
  turn(one, nowMs);
  const served = one.served + one.lastServed;
  const refused = one.refused + one.lastRefused;
  return rateOf(served, refused, one.refusedInRow);
}

/** The same from plain counts. */
export function rateOf(served: number, refused: number, refusedInRow: number): ThrottleRate {
  if (refusedInRow >= oftenInRow || (refused >= oftenMin && refused >= served)) return "often";
  return served >= seldomShare && refused * seldomShare <= served ? "seldom" : "unclear";
}

/**
 * The longest useful wait in milliseconds. `isRepetition`: for the request that was refused; other requests
 * only wait.
 */
export function worthWaitingMs(rate: ThrottleRate, isRepetition: boolean): number {
  if (rate === "seldom") return waitSeldomMs;
  return rate === "unclear" && !isRepetition ? waitUnclearMs : 0;
}
