/**
 * Pure: how quickly a deployment begins to answer, from the calls that have begun and from
 * those that still wait, and which of several is slow beside the quickest. No clock:
 * milliseconds of one that never jumps are passed in.
 */
import {
  addFirstToken,
  averageFirstTokenMs,
  createFirstTokenTimes,
  type FirstTokenTimes,
} from "./first-token.ts";

/** Slow: this many times the quickest one's time, and at least this much more, each from enough calls. */
const slowFactor = 3;
const slowByMs = 25;
const callsMin = 3;

/** A slow one is looked at again by a single call this often at most, and by one call in so many. */
export const slowLookEveryMs = 10_000;
export const slowLookShare = 1 / 16;

/**
 * Sessions keep to one deployment, so that nothing may be known of the others: while it takes
 * longer than this and gets calls at least so often, one call in so many goes to one of them, this
 * far apart, until its time is proven.
 */
export const compareFromMs = 100;
export const compareWithinMs = 2_000;
export const compareShare = 1 / 8;
export const compareEveryMs = 500;

/** Changed in place: one per deployment and kind of answer, written twice per call. */
export interface Pace {
  readonly times: FirstTokenTimes;
  /** Calls that have not begun to answer, and the sum of the moments they were sent. */
  waiting: number;
  sentSumMs: number;
}

export const createPace = (): Pace => ({ times: createFirstTokenTimes(), waiting: 0, sentSumMs: 0 });

export function paceSent(pace: Pace, nowMs: number): void {
  pace.waiting += 1;
  pace.sentSumMs += nowMs;
}

/** A call sent at `sentMs` does not wait any more: it has begun to answer, or never will. */
export function paceOver(pace: Pace, sentMs: number): void {
  pace.waiting -= 1;
  pace.sentSumMs = pace.waiting === 0 ? 0 : pace.sentSumMs - sentMs;
}

/** A call was given up before it began: it would have taken longer than that. */
export function paceAtLeast(pace: Pace, tookMs: number, nowMs: number): void {
  const knownMs = averageFirstTokenMs(pace.times, nowMs);
  if (knownMs > 0 && tookMs > knownMs) addFirstToken(pace.times, tookMs, nowMs);
}

/** How long those have waited, on average, that wait now; 0 while they are too few to tell. */
function waitedMs({ waiting, sentSumMs }: Pace, nowMs: number): number {
  return waiting < callsMin ? 0 : nowMs - sentSumMs / waiting;
}

/** What the next call has to expect, milliseconds; 0 = not known. */
export function expectedMs(pace: Pace, nowMs: number): number {
  return Math.max(averageFirstTokenMs(pace.times, nowMs), waitedMs(pace, nowMs));
}

/** The same where enough calls say so, else 0. */
export function provenMs(pace: Pace, nowMs: number): number {
  const known = pace.times.count >= callsMin ? averageFirstTokenMs(pace.times, nowMs) : 0;
  return Math.max(known, waitedMs(pace, nowMs));
}

/** True when a time is slow compared with the best one. Both are 0 when unknown. */
export function isSlow(ms: number, bestMs: number): boolean {
  return bestMs > 0 && ms > bestMs * slowFactor && ms > bestMs + slowByMs;
}
