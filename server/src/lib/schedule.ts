/**
 * Recurring work of a process on one timer: a process with nothing else to do wakes up twice a second for all of it, not once for each.
 * A wake-up costs more than most of this work does.
 */
import assert from "node:assert/strict";

export interface Schedule {
  /** Runs `work` every `ms`, a multiple of the interval of the schedule, until the function returned is called. */
  every(ms: number, work: () => void): () => void;
}

interface Job {
  readonly turns: number;
  readonly work: () => void;
}

/** `intervalMs`: time between two wake-ups. The timer runs while there are jobs, and does not keep the process alive. */
export function createSchedule(intervalMs = 500): Schedule {
  const jobs = new Set<Job>();
  let timer: NodeJS.Timeout | undefined;
  let turn = 0;

  function run(): void {
    turn += 1;
    for (const { turns, work } of jobs) if (turn % turns === 0) work();
  }

  return {
    every(ms, work) {
      const turns = ms / intervalMs;
      assert(Number.isInteger(turns) && turns > 0, `${ms} ms is no multiple of ${intervalMs} ms`);
      const job = { turns, work };
      jobs.add(job);
      timer ??= setInterval(run, intervalMs).unref();
      return () => {
        jobs.delete(job);
        if (jobs.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
