/**
 * Detects stalls of this process's event loop. On a busy machine the rig's own processes are late too, and
 * timestamps taken then are too late; this measures by how much.
 */
import { readFileSync } from "node:fs";
import { monotonicMs } from "./clock.ts";

/** No timer ran between these two times (monotonic milliseconds), although one was due. */
export interface Stall {
  readonly from: number;
  readonly to: number;
}

const everyMs = 10;
/** Shorter delays are normal for timers. */
const shortestMs = 20;
const stallsMax = 20_000;

/** Watches this process's event loop until stopped; `stalls` grows meanwhile, up to a maximum. */
export function watchStalls(now: () => number = monotonicMs): {
  readonly stalls: readonly Stall[];
  stop(): void;
} {
  const stalls: Stall[] = [];
  let dueAt = now() + everyMs;
  const timer = setInterval(() => {
    const at = now();
    if (at - dueAt >= shortestMs && stalls.length < stallsMax) stalls.push({ from: dueAt, to: at });
    dueAt = at + everyMs;
  }, everyMs);
  timer.unref();
  return { stalls, stop: () => clearInterval(timer) };
}

/** Milliseconds between `from` and `to` during which the loop was stalled. */
export function stalledMs(stalls: readonly Stall[], from: number, to: number): number {
  return stalls.reduce((sum, one) => sum + Math.max(0, Math.min(to, one.to) - Math.max(from, one.from)), 0);
}

/**
 * Total milliseconds that the process's main thread was runnable and waited for a CPU (Linux; 0 elsewhere).
 */
export function waitedForProcessorMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1] ?? 0) / 1e6;
  } catch {
    return 0;
  }
}
