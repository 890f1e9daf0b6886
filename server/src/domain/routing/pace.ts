/**
 * Pure: how fast a deployment starts to answer, from calls that have started and calls that still wait, and
 * which of several is slow compared with the fastest. No clock: milliseconds of a monotonic clock are passed
 * in.
 */
import {
  addFirstToken,
  averageFirstTokenMs,
  createFirstTokenTimes,
  type FirstTokenTimes,
} from "./first-token.ts";

/**
 * Slow means this many times the fastest one's time, and at least this many milliseconds more, each from
 * enough calls.
 */
const slowFactor = 3;
const slowByMs = 25;
const callsMin = 3;

/** A slow one gets a single call to measure it at most this often, and one call in this many. */
export const slowLookEveryMs = 10_000;
export const slowLookShare = 1 / 16;

/**
 * Sessions stay with one deployment, so the others may be unknown. While it takes longer than this and gets
 * enough calls, one call in this many goes to an unknown one, with this interval, until its time is proven.
 */
export const compareFromMs = 100;
export const compareWithinMs = 2_000;
export const compareShare = 1 / 8;
export const compareEveryMs = 500;

/** Changed in place: one per deployment and kind of answer, updated twice per call. */
export interface Pace {
  readonly times: FirstTokenTimes;
  /** Number of calls that have not started to answer, and the sum of the times they were sent. */
  waiting: number;
  sentSumMs: number;
}

export const createPace = (): Pace => ({ times: createFirstTokenTimes(), waiting: 0, sentSumMs: 0 });

export function paceSent(pace: Pace, nowMs: number): void {
  pace.waiting += 1;
  pace.sentSumMs += nowMs;
}

/** A call sent at `sentMs` no longer waits: its answer has started, or never will. */
export function paceOver(pace: Pace, sentMs: number): void {
  pace.waiting -= 1;
  pace.sentSumMs = pace.waiting === 0 ? 0 : pace.sentSumMs - sentMs;
}

/** A call was abandoned before its answer started; it would have taken longer than that. */
export function paceAtLeast(pace: Pace, tookMs: number, nowMs: number): void {
  const knownMs = averageFirstTokenMs(pace.times, nowMs);
  if (knownMs > 0 && tookMs > knownMs) addFirstToken(pace.times, tookMs, nowMs);
}

/** Average wait of the calls that wait now; 0 when there are too few. */
function waitedMs({ waiting, sentSumMs }: Pace, nowMs: number): number {
  return waiting < callsMin ? 0 : nowMs - sentSumMs / waiting;
}

/** The expected time for the next call in milliseconds; 0: unknown. */
export function expectedMs(pace: Pace, nowMs: number): number {
  return Math.max(averageFirstTokenMs(pace.times, nowMs), waitedMs(pace, nowMs));
}

/** The same if enough calls confirm it, else 0. */
export function provenMs(pace: Pace, nowMs: number): number {
  const known = pace.times.count >= callsMin ? averageFirstTokenMs(pace.times, nowMs) : 0;
  return Math.max(known, waitedMs(pace, nowMs));
}

/** True when a time is slow compared with the best one; each is 0 when unknown. */
export function isSlow(ms: number, bestMs: number): boolean {
  return bestMs > 0 && ms > bestMs * slowFactor && ms > bestMs + slowByMs;
}
