/**
 * Continuous loads measured in windows: the gateway's cost per request or chunk. Does not decide the order of
 * windows or judge results.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createApiKey } from "../../server/src/domain/keys/api-key.ts";
import { type Gateway, modelThrough } from "../gateways/gateway.ts";
import { chatBody, streamBody } from "../payloads.ts";
import { type StreamPlan, streamModel } from "../replies.ts";
import type { SteadyCase } from "../report/reading.ts";
import { heldStreamPlan, jsonModel, type Rig } from "../rig.ts";
import { type CpuFigures, startCpuWindow } from "./cpu-window.ts";
import { StreamClient } from "./stream-client.ts";
import { startWrk } from "./wrk.ts";

/** Figures of one window. */
export interface SteadyFigures extends CpuFigures {
  /** The gateway's CPU time in all threads, per request or chunk, in microseconds. */
  readonly costUs: number;
  readonly perSecond: number;
  /** Percentage of the due work that was done; 100 for loads without a fixed pace. */
  readonly paceKeptPercent: number;
}

export interface SteadyLoad {
  /** Measures for this many milliseconds, starting now. */
  window(ms: number): Promise<SteadyFigures>;
  /** Ends the load and checks that every response was correct; throws otherwise. */
  end(): Promise<void>;
  /** Ends the load without a check, after another failure. */
  abandon(): Promise<void>;
}

const jsonLoads = {
  json1k: { bytes: 1024, connections: 64 },
  json100k: { bytes: 102_400, connections: 32 },
} as const;

/** Of the form of Plaza's keys, so that nothing but a look-up can refuse it. */
const unknownKey = createApiKey(randomBytes).secret;

/** Long enough for any working gateway. */
export const streamTimeoutMs = 30_000;

/** Work done so far, counted where it does not cost the gateway CPU time. */
type Counter = () => number | Promise<number>;

async function measure(rig: Rig, gateway: Gateway, count: Counter, ms: number) {
  const doneBefore = await count();
  const endCpuWindow = startCpuWindow(rig, gateway);
  await sleep(ms);
  const done = (await count()) - doneBefore;
  const cpu = endCpuWindow();
  if (done === 0) throw new Error(`${gateway.name} did no work in ${ms} ms`);
  return { ...cpu, done, costUs: (1000 * cpu.cpuMs) / done, perSecond: (1000 * done) / cpu.durationMs };
}

/** Longer than the slowest gateway takes between two requests. */
const restMs = 500;
const restsMax = 20;

/** The count once it stands still: a slow gateway sends on for a while what its callers have given up. */
async function countAtRest(count: Counter): Promise<number> {
  let before = await count();
  for (let rests = 0; rests < restsMax; rests++) {
    await sleep(restMs);
    const now = await count();
    if (now === before) break;
    before = now;
  }
  return before;
}

/**
 * wrk at saturation. At the end the upstream's count must equal wrk's, otherwise the responses did not come
 * from it.
 */
async function startJsonLoad(rig: Rig, name: "json1k" | "json100k", gateway: Gateway): Promise<SteadyLoad> {
  const { bytes, connections } = jsonLoads[name];
  const body = chatBody(modelThrough(gateway, jsonModel), bytes, { max_tokens: 256 });
  const count = async () => (await rig.upstreamCount()).json;
  const before = await count();
  const wrk = startWrk(gateway, { program: rig.tools.wrk, folder: rig.folder, body, connections });
  return {
    window: async (ms) => ({ ...(await measure(rig, gateway, count, ms)), paceKeptPercent: 100 }),
    end: async () => {
      const requests = await wrk.end();
      // Requests running when wrk stops may or may not have reached the upstream: at most one per connection.
      const served = (await countAtRest(count)) - before;
      if (served < requests || served > requests + connections) {
        throw new Error(`${gateway.name}: ${requests} answers but ${served} requests at the upstream`);
      }
    },
    abandon: () => wrk.abandon(),
  };
}

/**
 * wrk with a well-formed key that nobody has, against a gateway that answers 401. Each window is a run of
 * wrk of its own, because only wrk counts these answers.
 */
function startRefusedLoad(rig: Rig, gateway: Gateway): SteadyLoad {
  const { bytes, connections } = jsonLoads.json1k;
  const body = chatBody(modelThrough(gateway, jsonModel), bytes, { max_tokens: 256 });
  const refused = { ...gateway, key: unknownKey, jsonPath: gateway.refusedPath ?? gateway.jsonPath };
  return {
    window: async (ms) => {
      const endCpuWindow = startCpuWindow(rig, gateway);
      const wrk = startWrk(refused, {
        ...{ program: rig.tools.wrk, folder: rig.folder, body, connections },
        isRefused: true,
      });
      await sleep(ms);
      const done = await wrk.end();
      const cpu = endCpuWindow();
      return {
        ...{ ...cpu, costUs: (1000 * cpu.cpuMs) / done, perSecond: (1000 * done) / cpu.durationMs },
        paceKeptPercent: 100,
      };
    },
    end: async () => {},
    abandon: async () => {},
  };
}

/** A client for streams with one plan through one gateway. */
export function streamClient(gateway: Gateway, plan: StreamPlan): StreamClient {
  return new StreamClient({
    port: gateway.port,
    path: gateway.streamPath,
    key: gateway.key,
    headers: gateway.headers ?? {},
    body: streamBody(modelThrough(gateway, streamModel(plan))),
    chunks: plan.chunks === "open" ? undefined : plan.chunks,
  });
}

/** Starts streams at given times (milliseconds from now), with the precision of a 1 ms timer. */
export async function startOnTime(client: StreamClient, momentsMs: readonly number[]): Promise<void> {
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
 * Opens many streams; resolves when all are established. At the end, delivered chunks must equal those sent.
 */
export async function startHeldStreams(rig: Rig, gateway: Gateway): Promise<SteadyLoad> {
  const { streams, streamRampMs } = rig.size;
  const sentBefore = (await rig.upstreamCount()).contentChunks;
  const client = streamClient(gateway, heldStreamPlan);
  const count = () => client.tally.contentChunks;
  const abandon = async () => {
    client.close();
    await rig.finishStreams();
  };
  try {
    await startOnTime(
      client,
      Array.from({ length: streams }, (_, i) => (i * streamRampMs) / streams),
    );
    await client.whenEstablished(streams, streamTimeoutMs);
  } catch (error) {
    await abandon();
    throw error;
  }
  return {
    window: async (ms) => {
      const { done, ...figures } = await measure(rig, gateway, count, ms);
      const due = (streams * figures.durationMs) / heldStreamPlan.intervalMs;
      return { ...figures, paceKeptPercent: (100 * done) / due };
    },
    end: async () => {
      await rig.finishStreams();
      await client.whenAllFinished(streamTimeoutMs);
      client.close();
      const sent = (await rig.upstreamCount()).contentChunks - sentBefore;
      if (sent !== count()) throw new Error(`${gateway.name} delivered ${count()} of ${sent} chunks`);
    },
    abandon,
  };
}

/** Starts the load of a case on one gateway. */
export async function startLoad(rig: Rig, name: SteadyCase, gateway: Gateway): Promise<SteadyLoad> {
  if (name === "refused") return startRefusedLoad(rig, gateway);
  return name === "stream" ? startHeldStreams(rig, gateway) : startJsonLoad(rig, name, gateway);
}
