/** What a round of this thread's event loop costs, while it never waits. Knows nothing of requests. */
import { performance } from "node:perf_hooks";

/**
 * Milliseconds of the processor a round took in the mean since it was last
 * asked; 0 where the loop had time to wait.
 */
export type RoundGauge = () => number;

/** What this thread's loop has done since it began. */
export interface LoopReading {
  readonly rounds: number;
  /** Its own time of the processor: a neighbour that takes the processor away makes rounds no dearer. */
  readonly cpuMs: number;
  /** Time at work and time spent waiting, as the clock shows it. */
  readonly activeMs: number;
  readonly idleMs: number;
}

/** Share of the time the loop is at work beyond which it never waits. */
const busyShare = 0.95;

function readLoop(): LoopReading {
  const { user, system } = process.threadCpuUsage();
  const { active, idle } = performance.eventLoopUtilization();
  const rounds = performance.nodeTiming.uvMetricsInfo.loopCount;
  return { rounds, cpuMs: (user + system) / 1_000, activeMs: active, idleMs: idle };
}

/** `read` is only for tests. */
export function createRoundGauge(read: () => LoopReading = readLoop): RoundGauge {
  let last = read();
  return () => {
    const before = last;
    last = read();
    const activeMs = last.activeMs - before.activeMs;
    const idleMs = last.idleMs - before.idleMs;
    if (activeMs < busyShare * (activeMs + idleMs)) return 0;
    return (last.cpuMs - before.cpuMs) / Math.max(1, last.rounds - before.rounds);
  };
}
