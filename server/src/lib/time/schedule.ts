/**
 * Runs all recurring work of a process from one timer: an idle process wakes up twice a second for
 * everything, and once a second after a quiet period. A wake-up costs more than most of this work.
 */
import assert from "node:assert/strict";
import type { Clock } from "./clock.ts";

export interface Schedule {
  /**
   * Runs `work` every `ms`, a multiple of the schedule's interval, until the returned function is called; up
   * to one interval later in a quiet process. `lateMs`: delay of this wake-up.
   */
  every(ms: number, work: (lateMs: number) => void): () => void;
  /** How late the next wake-up already is, in milliseconds; 0 while it is not due. */
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

/** After this many quiet milliseconds every second wake-up is skipped. */
const quietMs = 5_000;
const intervalsWhenQuiet = 2;

/** The timer runs while there are jobs and does not keep the process alive. */
export function createSchedule({ clock, intervalMs = 500, isQuiet }: ScheduleOptions): Schedule {
  const jobs = new Set<Job>();
  let timer: NodeJS.Timeout | undefined;
  /** Intervals passed, and intervals until the next wake-up. */
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
 * Waits at most `ms` for a promise: resolves with true when it settled in time. Rejects when it rejects in
 * time; a later rejection is ignored.
 */
export function isWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), ms);
    promise.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
