/** Measures the cost of an event loop iteration while the loop is saturated. */
import { performance } from "node:perf_hooks";

/** Average CPU milliseconds per loop iteration since the last call; 0 when the loop had idle time. */
export type RoundGauge = () => number;

/** Totals of this thread's event loop. */
export interface LoopReading {
  readonly rounds: number;
  /** CPU time of this thread. Unlike wall time, it does not grow when other processes use the CPU. */
  readonly cpuMs: number;
  /** Active and idle time by the wall clock. */
  readonly activeMs: number;
  readonly idleMs: number;
}

/** Share of active time above which the loop counts as saturated. */
const busyShare = 0.95;

function readLoop(): LoopReading {
  const { user, system } = process.threadCpuUsage();
  const { active, idle } = performance.eventLoopUtilization();
  const rounds = performance.nodeTiming.uvMetricsInfo.loopCount;
  return { rounds, cpuMs: (user + system) / 1_000, activeMs: active, idleMs: idle };
}

/** `read` is a parameter for tests only. */
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
