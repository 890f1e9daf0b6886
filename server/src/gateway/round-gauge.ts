/** What a round of this thread's event loop costs, while it never waits. Knows nothing of requests. */
import { performance } from "node:perf_hooks";

/** Milliseconds of the processor a round took in the mean since it was last asked; 0 where the loop had time to wait. */
export type RoundGauge = () => number;

/** Share of the time the loop is at work beyond which it never waits. */
const busyShare = 0.95;

/** Counts rounds and this thread's own time: a neighbour that takes the processor away makes rounds no dearer. */
export function createRoundGauge(): RoundGauge {
  let { loopCount } = performance.nodeTiming.uvMetricsInfo;
  let cpu = process.threadCpuUsage();
  let use = performance.eventLoopUtilization();
  return () => {
    const before = { loopCount, cpu, use };
    loopCount = performance.nodeTiming.uvMetricsInfo.loopCount;
    cpu = process.threadCpuUsage();
    use = performance.eventLoopUtilization();
    if (performance.eventLoopUtilization(use, before.use).utilization < busyShare) return 0;
    const usedMs = (cpu.user + cpu.system - before.cpu.user - before.cpu.system) / 1_000;
    return usedMs / Math.max(1, loopCount - before.loopCount);
  };
}
