/** The measured cases: each applies one load to one gateway and returns its readings. Prints nothing and judges nothing. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Gateway } from "./gateway.ts";
import { chatBody, seededRandom, streamBody } from "./payloads.ts";
import { coreBusyMs, cpuBetweenMs, pssKib, readCpu, rssKib } from "./process-stat.ts";
import type { CaseName, Metric, Reading } from "./reading.ts";
import { type StreamPlan, streamModel } from "./replies.ts";
import { heldStreamPlan, jsonModel, type Rig, shortStreamPlan } from "./rig.ts";
import { percentile } from "./statistics.ts";
import { StreamClient } from "./stream-client.ts";
import { runWrk } from "./wrk.ts";

export type JsonCase = "json1k" | "json100k";

/** Streams started per second in the first-token case. */
const streamsPerSecond = 500;

const jsonLoads: Record<JsonCase, { readonly bytes: number; readonly connections: number }> = {
  json1k: { bytes: 1024, connections: 64 },
  json100k: { bytes: 102_400, connections: 32 },
};

/** Long enough for any gateway that works at all. */
const streamTimeoutMs = 30_000;

type Figures = Partial<Record<Metric, number>>;

/** Turns one round's figures into readings. */
export function readingsOf(name: CaseName, gateway: Gateway, round: number, figures: Figures): Reading[] {
  return Object.entries(figures).map(([metric, value]) => ({
    case: name,
    gateway: gateway.name,
    metric: metric as Metric,
    round,
    value,
  }));
}

/** CPU of the gateway since now, and what else its core did meanwhile. */
function startCpuWindow(rig: Rig, gateway: Gateway): () => { cpuUs: number; foreignCpuPercent: number } {
  const core = rig.cores.gateway[0];
  const busyBefore = core === undefined ? 0 : coreBusyMs(core);
  const cpuBefore = readCpu(gateway.pid);
  const startedAt = performance.now();
  return () => {
    const cpuMs = cpuBetweenMs(cpuBefore, readCpu(gateway.pid));
    const foreignMs = core === undefined ? 0 : coreBusyMs(core) - busyBefore - cpuMs;
    return {
      cpuUs: cpuMs * 1000,
      foreignCpuPercent: Math.max(0, (100 * foreignMs) / (performance.now() - startedAt)),
    };
  };
}

/** wrk at saturation. The upstream's own count must agree with wrk's, or the answers did not come from it. */
export async function loadJson(
  rig: Rig,
  name: JsonCase,
  gateway: Gateway,
  seconds: number,
): Promise<Figures> {
  const { bytes, connections } = jsonLoads[name];
  const body = chatBody(jsonModel, bytes, { max_tokens: 256 });
  const before = await rig.upstreamCount();
  const endCpuWindow = startCpuWindow(rig, gateway);
  const wrk = { program: rig.tools.wrk, folder: rig.folder, body, connections, seconds };
  const result = await runWrk(gateway, wrk);
  const { cpuUs, foreignCpuPercent } = endCpuWindow();
  // Requests in flight when wrk stops have reached the upstream or not: at most one per connection.
  await sleep(100);
  const served = (await rig.upstreamCount()).json - before.json;
  if (served < result.requests || served > result.requests + connections) {
    throw new Error(`${gateway.name}: ${result.requests} answers but ${served} requests at the upstream`);
  }
  return {
    cpuPerRequestUs: cpuUs / result.requests,
    requestsPerSecond: (1000 * result.requests) / result.durationMs,
    foreignCpuPercent,
  };
}

/** A client for one plan of streams against one gateway. */
function streamClient(gateway: Gateway, plan: StreamPlan): StreamClient {
  return new StreamClient({
    port: gateway.port,
    path: gateway.streamPath,
    key: gateway.key,
    body: streamBody(streamModel(plan)),
    chunks: plan.chunks === "open" ? undefined : plan.chunks,
  });
}

/** Starts streams at given moments (milliseconds from now), as near as a 1 ms timer allows. */
async function startOnTime(client: StreamClient, momentsMs: readonly number[]): Promise<void> {
  const startedAt = performance.now();
  let next = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now() - startedAt;
      while (next < momentsMs.length && (momentsMs[next] ?? 0) <= now) {
        client.start();
        next++;
      }
      if (next < momentsMs.length) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
}

/**
 * Many open streams at once on a gateway that has just started and rested: CPU per delivered chunk over a window in which
 * every stream is open, and memory per stream against the rest before.
 */
export async function loadHeldStreams(rig: Rig, gateway: Gateway): Promise<Figures> {
  const { streams, streamRampMs, streamSettleMs, streamWindowMs } = rig.size;
  const idleKib = pssKib(gateway.pid);
  const sentBefore = (await rig.upstreamCount()).contentChunks;
  const client = streamClient(gateway, heldStreamPlan);
  try {
    const moments = Array.from({ length: streams }, (_, i) => (i * streamRampMs) / streams);
    await startOnTime(client, moments);
    await client.whenEstablished(streams, streamTimeoutMs);
    await sleep(streamSettleMs);
    const chunksBefore = client.tally.contentChunks;
    const endCpuWindow = startCpuWindow(rig, gateway);
    const startedAt = performance.now();
    await sleep(streamWindowMs);
    const { cpuUs, foreignCpuPercent } = endCpuWindow();
    const chunks = client.tally.contentChunks - chunksBefore;
    const windowMs = performance.now() - startedAt;
    const busyKib = pssKib(gateway.pid);
    await rig.finishStreams();
    await client.whenAllFinished(streamTimeoutMs);
    const sent = (await rig.upstreamCount()).contentChunks - sentBefore;
    if (sent !== client.tally.contentChunks) {
      throw new Error(`${gateway.name} delivered ${client.tally.contentChunks} of ${sent} chunks`);
    }
    return {
      cpuPerChunkUs: cpuUs / chunks,
      paceKeptPercent: (100 * chunks * heldStreamPlan.intervalMs) / (streams * windowMs),
      kibPerStream: (busyKib - idleKib) / streams,
      foreignCpuPercent,
    };
  } finally {
    client.close();
  }
}

/** Short streams that arrive by chance at a fixed rate, whether or not earlier ones have ended. */
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
    at += (-Math.log(1 - random()) * 1000) / streamsPerSecond;
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

/** Starts on existing data, not pinned, as a user would; then the memory of the last one after a rest. */
export async function measureStartup(rig: Rig): Promise<Reading[]> {
  const readings: Reading[] = [];
  for (let round = 0; round < rig.size.starts; round++) {
    const plaza = await rig.startPlaza({ isPinned: false });
    readings.push(...readingsOf("startup", plaza.gateway, round, { startMs: plaza.readyMs }));
    if (round === rig.size.starts - 1) {
      await sleep(rig.size.idleMs);
      const idleRssMib = Math.max(...rssKib(plaza.gateway.pid)) / 1024;
      const figures = { idleRssMib, firstStartMs: rig.firstStartMs };
      readings.push(...readingsOf("startup", plaza.gateway, 0, figures));
    }
    await plaza.gateway.stop();
  }
  return readings;
}
