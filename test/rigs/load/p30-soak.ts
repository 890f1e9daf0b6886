/**
 * P30: Plaza runs for weeks. A mixed load for an hour (`--minutes N`), with memory and descriptors sampled
 * throughout. The slope of memory after a warm-up is computed by least squares, and judged in runs of an hour
 * or more. The short form judges answers and descriptors.
 */
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { boundFigure, type Figure, type Rig, showMegabytes, zeroFigure } from "../harness/figure.ts";
import { get } from "../harness/http-client.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import {
  collectedBytes,
  descriptorKinds,
  memoryLine,
  probeSettings,
} from "../harness/measure/memory-parts.ts";
import { type Plaza, startPlaza, temporaryFolder } from "../harness/processes/plaza.ts";
import { openDescriptors, residentBytes } from "../harness/processes/proc.ts";
import { startUpstreamProcess, type UpstreamProcess } from "../harness/processes/upstream-process.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { type SoakCounts, type SoakKeys, soak } from "./p30-load.ts";

const lanes = 12;
const paceMs = 200;
const sampleMs = 2_000;
const minuteMs = 60_000;
/** At most a sixth of the run. Later growth counts; `laterSlopes` shows the slope with longer warm-ups. */
const warmMsMax = 10 * minuteMs;
const readyMsMax = 1_000;
const slopeMax = 1024 * 1024;
/** Shorter runs do not predict an hour. */
const judgedMinutes = 60;
/**
 * Idle upstream connections are kept for 30 s, in two pools with one connection per lane: the long form waits
 * until they are closed.
 */
const closedWithinMs = 40_000;
/** Further descriptors that a process opens on first use, and connections about to close. */
const descriptorsMore = lanes;
const idleWithinMs = 20_000;

export interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

/** Growth of memory in bytes per hour: least squares over the samples; NaN with fewer than two. */
export function slopePerHour(samples: readonly Sample[]): number {
  const count = samples.length;
  const meanAt = samples.reduce((sum, { atMs }) => sum + atMs, 0) / count;
  const meanBytes = samples.reduce((sum, { bytes }) => sum + bytes, 0) / count;
  let products = 0;
  let squares = 0;
  for (const { atMs, bytes } of samples) {
    products += (atMs - meanAt) * (bytes - meanBytes);
    squares += (atMs - meanAt) ** 2;
  }
  return (products / squares) * 60 * minuteMs;
}

/** The event loop delay from the process's metrics; `?` if missing. */
async function loopLag(plaza: Plaza): Promise<string> {
  try {
    const { text } = await get(`${plaza.origin}/metrics`);
    const lines = text
      .split("\n")
      .filter((line) => /^[a-z_]*(loop)[a-z_]*(lag|delay)[a-z_]*(\{[^}]*\})? /.test(line));
    const worst = Math.max(...lines.map((line) => Number(line.split(" ").at(-1))));
    return Number.isFinite(worst) ? `${(worst * 1_000).toFixed(1)} ms` : "?";
  } catch {
    return "?";
  }
}

interface Soaked {
  readonly counts: SoakCounts;
  readonly samples: readonly Sample[];
  /** Idle counts after the warm-up and at the end, and the kinds at the end. */
  readonly descriptors: readonly [before: number, end: number, kinds: string];
  /** Bytes of all heaps after a garbage collection, in the middle of the warm-up and at the end. */
  readonly collected: readonly [Collected, Collected] | undefined;
}

interface Collected {
  readonly atMs: number;
  readonly bytes: number;
}

interface Stage {
  readonly plaza: Plaza;
  readonly keys: SoakKeys;
  readonly random: Random;
  readonly upstream: UpstreamProcess;
  /** Folder for the memory files of the process's threads. */
  readonly probeFolder: string;
}

/** Bytes of the database file and of its write-ahead log. */
const databaseBytes = (folder: string): string =>
  ["plaza.sqlite", "plaza.sqlite-wal"]
    .map((name) => showMegabytes(statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0))
    .join(" + ");

/**
 * Descriptors when no call is running, without connections to the upstreams: the minimum over some time. The
 * long form waits until those connections are closed; the short form subtracts them, counted at the upstream.
 */
async function idleDescriptors({ plaza, upstream }: Stage, isLong: boolean, wanted = 0): Promise<number> {
  if (isLong) await pause(closedWithinMs);
  let fewest = Number.POSITIVE_INFINITY;
  const isFew = async () => {
    const kept = isLong ? 0 : (await upstream.state()).openSockets - 1;
    fewest = Math.min(fewest, openDescriptors(plaza.pid) - kept);
    return fewest <= wanted;
  };
  await eventually(isFew, wanted === 0 ? 2_000 : idleWithinMs, 200);
  return fewest;
}

async function runSoak(
  stage: Stage,
  { warmMs, forMs, isShown }: { warmMs: number; forMs: number; isShown: boolean },
): Promise<Soaked> {
  const { plaza, random } = stage;
  const counts: SoakCounts = { calls: 0, by: {}, wrong: [] };
  const load = (name: string, ms: number) => {
    const until = monotonicMs() + ms;
    return soak({ ...stage, random: random.fork(name), lanes, paceMs }, counts, () => monotonicMs() >= until);
  };
  const samples: Sample[] = [];
  const startedAt = monotonicMs();
  let isOver = false;
  let isWarm = false;
  let nextMinute = 1;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const atMs = monotonicMs() - startedAt;
      const bytes = residentBytes(plaza.pid);
      if (isWarm) samples.push({ atMs, bytes });
      if (isShown && atMs >= nextMinute * minuteMs) {
        const seen = `${counts.calls} calls, ${counts.wrong.length} wrong, RSS ${showMegabytes(bytes)}, ${openDescriptors(plaza.pid)} descriptors`;
        const held = `${memoryLine(plaza.pid, stage.probeFolder)}; database ${databaseBytes(plaza.folder)}`;
        process.stderr.write(
          `     P30 minute ${nextMinute}: ${seen}, loop delay ${await loopLag(plaza)}; ${held}\n`,
        );
        nextMinute += 1;
      }
      await pause(sampleMs);
    }
  };
  const watching = watch();
  const collect = async (time: number): Promise<Collected> => ({
    atMs: monotonicMs() - startedAt,
    bytes: await collectedBytes(stage.probeFolder, time),
  });
  await load("warm", warmMs / 2);
  // A collection shrinks the main thread's young generation, which grows again before the warm-up ends.
  const first = isShown ? await collect(1) : undefined;
  await load("warm on", warmMs / 2);
  const before = await idleDescriptors(stage, isShown);
  isWarm = true;
  await load("soak", forMs);
  isOver = true;
  await watching;
  const end = await idleDescriptors(stage, isShown, before + descriptorsMore);
  const descriptors = [before, end, descriptorKinds(plaza.pid)] as const;
  const collected = first === undefined ? undefined : ([first, await collect(2)] as const);
  return { counts, samples, descriptors, collected };
}

/** The slope for longer warm-ups: falling slopes show a cache that fills, not a leak. */
function laterSlopes(samples: readonly Sample[]): string {
  const last = samples.at(-1)?.atMs ?? 0;
  const parts: string[] = [];
  for (let fromMs = 10 * minuteMs; fromMs <= last - 30 * minuteMs; fromMs += 10 * minuteMs) {
    const slope = slopePerHour(samples.filter(({ atMs }) => atMs >= fromMs));
    parts.push(`${(slope / slopeMax).toFixed(2)} from minute ${fromMs / minuteMs}`);
  }
  return parts.join(", ");
}

function slopeFigure(samples: readonly Sample[], minutes: number): Figure {
  const slope = slopePerHour(samples);
  const isJudged = minutes >= judgedMinutes;
  const last = samples.at(-1)?.bytes ?? 0;
  return {
    promise: "P30",
    name: `slope of memory over ${samples.length} samples, resident ${showMegabytes(last)} at the end`,
    reached: `${(slope / slopeMax).toFixed(2)} MiB an hour`,
    wanted: isJudged ? "≤ 1 MiB an hour" : `not judged in runs below ${judgedMinutes} minutes`,
    ok: !isJudged || slope <= slopeMax,
    kind: "timing",
  };
}

/** Bytes in use after a collection: independent of when V8 collects, so one hour shows a leak. */
function collectedFigure([first, last]: readonly [Collected, Collected], minutes: number): Figure {
  const slope = ((last.bytes - first.bytes) / (last.atMs - first.atMs)) * 60 * minuteMs;
  const isJudged = minutes >= judgedMinutes;
  return {
    promise: "P30",
    name: `growth of all threads' heaps after a collection, ${showMegabytes(first.bytes)} in the middle of the warm-up and ${showMegabytes(last.bytes)} at the end`,
    reached: `${(slope / slopeMax).toFixed(2)} MiB an hour`,
    wanted: isJudged ? "≤ 1 MiB an hour" : `not judged in runs below ${judgedMinutes} minutes`,
    ok: !isJudged || slope <= slopeMax,
    kind: "timing",
  };
}

function descriptorFigure([before, end, kinds]: Soaked["descriptors"]): Figure {
  return {
    promise: "P30",
    name: "open descriptors, idle and without those to the upstreams, after the warm-up and at the end",
    reached: `${before}, then ${end}`,
    wanted: `at most ${descriptorsMore} more`,
    ok: end <= before + descriptorsMore,
    kind: "correct",
    misses: end <= before + descriptorsMore ? [] : [kinds],
  };
}

export const run: Rig = async ({ size, seed, minutes = 60 }) => {
  const isLong = size === "long";
  const random = seededRandom(seed);
  const folder = temporaryFolder();
  const upstream = await startUpstreamProcess();
  const catalog = {
    upstreams: [
      { id: "main", baseUrl: upstream.baseUrl },
      // A separate deployment, so that its faults affect no other.
      { id: "faulty", baseUrl: upstream.baseUrl },
    ],
    models: [
      { id: "rig-model", deployments: [{ upstream: "main", model: "upstream-model" }] },
      { id: "rig-faulty", deployments: [{ upstream: "faulty", model: "faulty-model" }] },
    ],
  };
  try {
    const first = await startPlaza({ catalog, folder });
    const keys: SoakKeys = {
      plain: [first.key, await first.createKey("1000000.00")],
      limited: await first.createKey("1000000.00", ["--rpm", "30", "--concurrency", "2"]),
    };
    await first.stop();
    const startedAt = monotonicMs();
    const probeFolder = join(folder, "memory");
    mkdirSync(probeFolder);
    const env = probeSettings(probeFolder);
    const plaza = await startPlaza({ catalog, folder, isBare: true, env });
    const readyMs = monotonicMs() - startedAt;
    try {
      const forMs = isLong ? minutes * minuteMs : 5_000;
      const warmMs = isLong ? Math.min(warmMsMax, forMs / 6) : 2_000;
      const soaked = await runSoak(
        { plaza, keys, random, upstream, probeFolder },
        { warmMs, forMs: forMs - (isLong ? warmMs : 0), isShown: isLong },
      );
      const { calls, by, wrong } = soaked.counts;
      if (isLong) process.stderr.write(`     P30 MiB an hour: ${laterSlopes(soaked.samples)}\n`);
      const mix = Object.entries(by).map(([name, count]) => `${count} ${name}`);
      return [
        zeroFigure("P30", `answers that were not as they should be (${mix.join(", ")})`, calls, wrong),
        descriptorFigure(soaked.descriptors),
        ...(isLong
          ? [
              slopeFigure(soaked.samples, minutes),
              ...(soaked.collected === undefined ? [] : [collectedFigure(soaked.collected, minutes)]),
              boundFigure("P30", "ready after its start", readyMs, readyMsMax),
            ]
          : []),
      ];
    } finally {
      await plaza.stop();
    }
  } finally {
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
