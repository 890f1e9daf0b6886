/**
 * How many steps run side by side: as many as keep the processors busy. Steps that compute get a processor
 * each, and steps that wait for disks, timers or other processes do not leave one idle.
 */
import { cpus } from "node:os";

/** Bounds on the number of steps that run at a time. */
export interface Pace {
  readonly least: number;
  readonly most: number;
}

/** How often it is asked whether another step may start; long enough for the last one to show its load. */
export const tickMs = 1_000;
/** Part of all processors' time; below it they count as busy. On two cores, 0.2 is four tenths of one. */
const idleShareMin = 0.2;

/** Returns a function: whether processors were idle since its last call. */
function watchIdle(): () => boolean {
  let before = { idle: 0, all: 0 };
  return () => {
    const now = { idle: 0, all: 0 };
    for (const { times } of cpus()) {
      now.idle += times.idle;
      now.all += times.idle + times.user + times.sys + times.nice + times.irq;
    }
    const share = (now.idle - before.idle) / Math.max(1, now.all - before.all);
    before = now;
    return share >= idleShareMin;
  };
}

/**
 * Runs all steps, started in their order: always `least` at a time, and one more at a tick that finds idle
 * processors, up to `most`.
 */
export async function runPaced<S>(
  steps: readonly S[],
  run: (step: S) => Promise<unknown>,
  { least, most }: Pace,
  isIdle: () => boolean = watchIdle(),
): Promise<void> {
  const left = [...steps];
  const running = new Set<Promise<unknown>>();
  const start = (): void => {
    const step = left.shift();
    if (step === undefined) return;
    const ended = run(step).finally(() => running.delete(ended));
    running.add(ended);
  };
  const ticker = setInterval(() => {
    // Asked at every tick, so that each answer is about one tick.
    if (isIdle() && running.size < most) start();
  }, tickMs);
  try {
    while (left.length > 0 || running.size > 0) {
      while (running.size < least && left.length > 0) start();
      await Promise.race(running);
    }
  } finally {
    clearInterval(ticker);
  }
}
