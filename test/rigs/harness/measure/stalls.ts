/**
 * When an event loop stood still: on a busy machine the rig's own processes are late too, and what they stamp
 * then is later than what happened. It proves a rig's lateness instead of guessing it; it knows no product.
 */
import { readFileSync } from "node:fs";
import { monotonicMs } from "./clock.ts";

/** The loop ran no timer between these two moments (monotonic milliseconds), though one was due. */
export interface Stall {
  readonly from: number;
  readonly to: number;
}

const everyMs = 10;
/** Shorter ones are timers' ordinary lateness. */
const shortestMs = 20;
const stallsMax = 20_000;

/** Watches this process's loop until it is stopped; `stalls` grows meanwhile, up to a bound. */
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

/** How many milliseconds of the span from `from` to `to` the loop stood still. */
export function stalledMs(stalls: readonly Stall[], from: number, to: number): number {
  return stalls.reduce((sum, one) => sum + Math.max(0, Math.min(to, one.to) - Math.max(from, one.from)), 0);
}

/**
 * Milliseconds the process's main thread has been ready to run and waited for a
 * processor, ever (Linux; 0 elsewhere).
 */
export function waitedForProcessorMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1] ?? 0) / 1e6;
  } catch {
    return 0;
  }
}
