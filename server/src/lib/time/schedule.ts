/**
 * Runs all recurring work of a process from one timer: a process with nothing else to do wakes up twice a
 * second for all of it, not once for each, and once a second after it had nothing to do for a while. A
 * wake-up costs more than most of this work does.
 */
import assert from "node:assert/strict";
import type { Clock } from "./clock.ts";

export interface Schedule {
  /**
   * Runs `work` every `ms`, a multiple of the interval of the schedule, until the function
   * returned is called; in a quiet process up to one interval later. `lateMs`: how much
   * later than planned this wake-up came.
   */
  every(ms: number, work: (lateMs: number) => void): () => void;
  /** How much later than planned the next wake-up already is, milliseconds; 0 while it is not due. */
  overdueMs(): number;
}

export interface ScheduleOptions {
  readonly clock: Clock;
  /** Time between two wake-ups, milliseconds. */
  readonly intervalMs?: number;
  /** True while the process has nothing to do; always false by default. */
  readonly isQuiet?: () => boolean;
}

interface Job {
  readonly intervals: number;
  readonly work: (lateMs: number) => void;
}

/** After so long a quiet time only every second wake-up is left, milliseconds. */
const quietMs = 5_000;
const intervalsWhenQuiet = 2;

/** The timer runs while there are jobs, and does not keep the process alive. */
export function createSchedule({ clock, intervalMs = 500, isQuiet }: ScheduleOptions): Schedule {
  const jobs = new Set<Job>();
  let timer: NodeJS.Timeout | undefined;
  /** Intervals that have passed, and how many of them pass until the next wake-up. */
  let passed = 0;
  let ahead = 1;
  let quietIntervals = 0;
  let dueMs = 0;

  const overdueMs = (): number => (timer === undefined ? 0 : Math.max(0, clock.elapsedMs() - dueMs));

  function plan(): void {
    ahead = quietIntervals * intervalMs >= quietMs ? intervalsWhenQuiet : 1;
    dueMs = clock.elapsedMs() + ahead * intervalMs;
    timer = setTimeout(wakeUp, ahead * intervalMs).unref();
  }

  function wakeUp(): void {
    const lateMs = overdueMs();
    const before = passed;
    passed += ahead;
    quietIntervals = isQuiet?.() === true ? quietIntervals + ahead : 0;
    plan();
    for (const { intervals, work } of jobs) {
      if (Math.floor(passed / intervals) > Math.floor(before / intervals)) work(lateMs);
    }
  }

  return {
    every(ms, work) {
      const intervals = ms / intervalMs;
      assert(Number.isInteger(intervals) && intervals > 0, `${ms} ms is no multiple of ${intervalMs} ms`);
      const job = { intervals, work };
      jobs.add(job);
      if (timer === undefined) plan();
      return () => {
        jobs.delete(job);
        if (jobs.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
    overdueMs,
  };
}

/**
 * Waits for a promise for at most `ms`: resolves with whether it was settled in time. Rejects when it rejects
 * in time; a later rejection is ignored.
 */
export function isWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), ms);
    promise.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
