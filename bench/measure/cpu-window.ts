/** CPU time of a gateway between two moments, and of other processes that should have been idle. */
import type { Gateway } from "../gateways/gateway.ts";
import type { Rig } from "../rig.ts";
import { coreBusyMs, cpuBetweenMs, readCpu } from "./process-stat.ts";

export interface CpuFigures {
  /** User and system time of the gateway's process tree, all threads. */
  readonly cpuMs: number;
  readonly durationMs: number;
  /**
   * What neither the gateway nor the load used of their two cores, percent of
   * one core. 0 where nothing is pinned.
   */
  readonly foreignCpuPercent: number;
}

/** Begins a window; the function returned ends it. */
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
    // The benchmark's own tree holds the gateway, the upstream and wrk.
    const foreignMs =
      cores.length === 0 ? 0 : busyMs() - busyBefore - cpuBetweenMs(ownBefore, readCpu(process.pid));
    return { cpuMs, durationMs, foreignCpuPercent: Math.max(0, (100 * foreignMs) / durationMs) };
  };
}
