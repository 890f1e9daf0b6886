/** CPU time of a gateway between two times, and of other processes that should be idle. */
import type { Gateway } from "../gateways/gateway.ts";
import type { Rig } from "../rig.ts";
import { coreBusyMs, cpuBetweenMs, readCpu } from "./process-stat.ts";

export interface CpuFigures {
  /** User and system time of the gateway's process tree, all threads. */
  readonly cpuMs: number;
  readonly durationMs: number;
  /**
   * CPU time on the two cores used by neither gateway nor load, in percent of one core. 0 without pinning.
   */
  readonly foreignCpuPercent: number;
}

/** Starts a window; the returned function ends it. */
export function startCpuWindow(rig: Rig, gateway: Gateway): () => CpuFigures {
  const cores = [...rig.cores.gateway, ...rig.cores.load];
  const busyMs = () => cores.reduce((sum, core) => sum + coreBusyMs(core), 0);
  const busyBefore = busyMs();
  const ownBefore = readCpu(process.pid);
  const cpuBefore = readCpu(gateway.pid);
  const startedAt = performance.now();
  return () => {
    const cpuMs = cpuBetweenMs(cpuBefore, readCpu(gateway.pid));
    const durationMs = performance.now() - startedAt;
    // The benchmark's process tree includes the gateway, the upstream and wrk.
    const foreignMs =
      cores.length === 0 ? 0 : busyMs() - busyBefore - cpuBetweenMs(ownBefore, readCpu(process.pid));
    return { cpuMs, durationMs, foreignCpuPercent: Math.max(0, (100 * foreignMs) / durationMs) };
  };
}
