/**
 * The cases without continuous load: times to first token, memory per stream, start-up. Each applies one load
 * to one gateway and returns its figures.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Gateway } from "./gateways/gateway.ts";
import type { PlazaBuild } from "./gateways/plaza-build.ts";
import { startCpuWindow } from "./measure/cpu-window.ts";
import { pssKib, rssKib } from "./measure/process-stat.ts";
import { settleUnder } from "./measure/settling.ts";
import { median, percentile } from "./measure/statistics.ts";
import {
  startHeldStreams,
  startLoad,
  startOnTime,
  streamClient,
  streamTimeoutMs,
} from "./measure/steady-load.ts";
import { seededRandom } from "./payloads.ts";
import type { CaseName, Metric, Reading } from "./report/reading.ts";
import { type Rig, shortStreamPlan } from "./rig.ts";

export type Figures = Partial<Record<Metric, number>>;

/** Converts one round's figures to readings. */
export function readingsOf(name: CaseName, gateway: Gateway, round: number, figures: Figures): Reading[] {
  return Object.entries(figures).map(([metric, value]) => ({
    case: name,
    gateway: gateway.name,
    metric: metric as Metric,
    round,
    value,
  }));
}

/**
 * Memory of many open streams, per stream, on a new gateway after a rest: growth since that rest.
 * Intentionally without a warm-up: heap growth, pools and compiled code count as the streams' memory.
 */
export async function measureMemory(rig: Rig, gateway: Gateway): Promise<Figures> {
  const idleKib = pssKib(gateway.pid);
  const load = await startHeldStreams(rig, gateway);
  try {
    await sleep(rig.size.memoryHoldMs);
    const kibPerStream = (pssKib(gateway.pid) - idleKib) / rig.size.streams;
    await load.end();
    return { kibPerStream };
  } catch (error) {
    await load.abandon();
    throw error;
  }
}

/** Short streams with random arrivals at a fixed rate, whether or not earlier ones have ended. */
export async function loadFirstTokens(
  rig: Rig,
  gateway: Gateway,
  round: number,
  durationMs: number,
): Promise<Figures> {
  const client = streamClient(gateway, shortStreamPlan);
  // Every gateway of a round gets the same arrivals.
  const random = seededRandom(round + 1);
  const moments: number[] = [];
  for (let at = 0; at < durationMs; ) {
    moments.push(at);
    at += (-Math.log(1 - random()) * 1000) / rig.size.firstTokensPerSecond;
  }
  try {
    const endCpuWindow = startCpuWindow(rig, gateway);
    await startOnTime(client, moments);
    const { foreignCpuPercent } = endCpuWindow();
    await client.whenAllFinished(streamTimeoutMs);
    const times = client.tally.firstTokenMs;
    return {
      firstTokenP50Ms: percentile(times, 0.5),
      firstTokenP99Ms: percentile(times, 0.99),
      // The upstream does not run on the gateway's core.
      ...(gateway.name === "direct" ? {} : { foreignCpuPercent }),
    };
  } finally {
    client.close();
  }
}

/** Full load on a process that has just started: its first seconds beside what it costs once settled. */
export async function measureFresh(rig: Rig, gateway: Gateway): Promise<Figures> {
  const { freshMs, settle: rule } = rig.size;
  const load = await startLoad(rig, "json1k", gateway);
  try {
    const fresh = await load.window(freshMs);
    const { costsUs, isSettled } = await settleUnder(load, rule);
    await load.end();
    const settledUs = median(costsUs.slice(-rule.slices));
    return {
      cpuPerRequestUs: fresh.costUs,
      freshBySettled: fresh.costUs / settledUs,
      settledAfterS: isSettled
        ? (freshMs + (costsUs.length - rule.slices) * rule.sliceMs) / 1000
        : Number.POSITIVE_INFINITY,
    };
  } catch (error) {
    await load.abandon();
    throw error;
  }
}

/** Starts on existing data, not pinned, as a user would; then the memory of the last one after a rest. */
export async function measureStartup(rig: Rig, build: PlazaBuild): Promise<Reading[]> {
  const readings: Reading[] = [];
  for (let round = 0; round < rig.size.starts; round++) {
    const plaza = await build.start({ isPinned: false });
    readings.push(...readingsOf("startup", plaza.gateway, round, { startMs: plaza.readyMs }));
    if (round === rig.size.starts - 1) {
      await sleep(rig.size.idleMs);
      const idleRssMib = Math.max(...rssKib(plaza.gateway.pid)) / 1024;
      const endCpuWindow = startCpuWindow(rig, plaza.gateway);
      await sleep(rig.size.idleMs);
      const { cpuMs, durationMs } = endCpuWindow();
      const idleCpuPercent = (100 * cpuMs) / durationMs;
      const figures = { idleRssMib, idleCpuPercent, firstStartMs: build.firstStartMs };
      readings.push(...readingsOf("startup", plaza.gateway, 0, figures));
    }
    await plaza.gateway.stop();
  }
  return readings;
}
