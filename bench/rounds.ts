/**
 * The order of a comparison with nginx: case by case; in each round of a case, gateways alternate, so that
 * drift of the machine affects all alike.
 */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Figures,
  loadFirstTokens,
  measureFresh,
  measureMemory,
  measureStartup,
  readingsOf,
} from "./cases.ts";
import type { Gateway } from "./gateways/gateway.ts";
import type { PlazaBuild } from "./gateways/plaza-build.ts";
import { type MeasuredWindow, measureWindow, settle } from "./measure/settling.ts";
import { type CaseName, isSteady, type Reading, type SteadyCase } from "./report/reading.ts";
import { describeSettled } from "./report/report.ts";
import type { Rig } from "./rig.ts";

/** Called with progress messages. */
export type Progress = (text: string) => void;

/** Rest of a gateway between its start and the idle memory reading. */
const restMs = 1000;
/** V8 compiles for longer than under full load; a stream that begins meanwhile waits up to 100 ms. */
const firstTokenWarmUpMs = 40_000;

/** Forwards in even rounds, backwards in odd ones. */
export function inTurn<T>(items: readonly T[], round: number): T[] {
  return round % 2 === 0 ? [...items] : items.toReversed();
}

/** New processes, so that the memory is the streams' and not an earlier load's. */
async function memoryRound(rig: Rig, build: PlazaBuild, round: number): Promise<Reading[]> {
  const readings: Reading[] = [];
  const starters = [() => rig.startNginx(), async () => (await build.start({ isPinned: true })).gateway];
  for (const start of inTurn(starters, round)) {
    const gateway = await start();
    await sleep(restMs);
    readings.push(...readingsOf("memory", gateway, round, await measureMemory(rig, gateway)));
    await gateway.stop();
  }
  return readings;
}

/** The figures of one window. */
export function figuresOf(name: SteadyCase, window: MeasuredWindow): Figures {
  const { costUs, perSecond, paceKeptPercent, foreignCpuPercent, repeats } = window;
  return name === "stream"
    ? { cpuPerChunkUs: costUs, paceKeptPercent, foreignCpuPercent, repeats }
    : { cpuPerRequestUs: costUs, requestsPerSecond: perSecond, foreignCpuPercent, repeats };
}

/**
 * Starts a Plaza for a case and warms it up. The first seconds include JIT compilation, so they do not count;
 * nginx has none.
 */
async function startWarm(rig: Rig, build: PlazaBuild, name: CaseName, progress: Progress): Promise<Gateway> {
  const { gateway } = await build.start({ isPinned: true });
  if (isSteady(name)) {
    progress(`warm-up, ${describeSettled(name, "plaza", await settle(rig, name, gateway), rig.size.settle)}`);
  } else {
    progress(`warm-up, ${name}`);
    await loadFirstTokens(rig, gateway, 0, firstTokenWarmUpMs);
  }
  return gateway;
}

/**
 * All rounds of one case. No other Plaza is alive: one that rests after its load still adds up what it
 * served, on the core of the one that is measured.
 */
async function turningCase(
  rig: Rig,
  build: PlazaBuild,
  { name, nginx }: { readonly name: CaseName; readonly nginx: Gateway },
  progress: Progress,
): Promise<Reading[]> {
  const readings: Reading[] = [];
  const plaza = await startWarm(rig, build, name, progress);
  for (let round = 0; round < rig.size.rounds; round++) {
    progress(`${name}, round ${round + 1} of ${rig.size.rounds}`);
    const gateways = isSteady(name) ? [nginx, plaza] : [rig.direct, nginx, plaza];
    for (const gateway of inTurn(gateways, round)) {
      const figures = isSteady(name)
        ? figuresOf(name, await measureWindow(rig, name, gateway))
        : await loadFirstTokens(rig, gateway, round, rig.size.firstTokenMs);
      readings.push(...readingsOf(name, gateway, round, figures));
    }
  }
  await plaza.stop();
  return readings;
}

/** Runs the requested cases and returns every reading. */
export async function runRounds(
  rig: Rig,
  build: PlazaBuild,
  cases: readonly CaseName[],
  progress: Progress,
): Promise<Reading[]> {
  const readings: Reading[] = [];
  if (cases.includes("startup")) {
    progress("startup");
    readings.push(...(await measureStartup(rig, build)));
  }
  if (cases.includes("memory")) {
    for (let round = 0; round < rig.size.memoryRounds; round++) {
      progress(`memory of streams ${round + 1} of ${rig.size.memoryRounds}`);
      readings.push(...(await memoryRound(rig, build, round)));
    }
  }
  if (cases.includes("fresh")) {
    for (let round = 0; round < rig.size.memoryRounds; round++) {
      progress(`load after a start ${round + 1} of ${rig.size.memoryRounds}`);
      const { gateway } = await build.start({ isPinned: true });
      readings.push(...readingsOf("fresh", gateway, round, await measureFresh(rig, gateway)));
      await gateway.stop();
    }
  }
  const turning = cases.filter((name) => isSteady(name) || name === "first-token");
  if (turning.length === 0) return readings;
  const nginx = await rig.startNginx();
  for (const name of turning) {
    readings.push(...(await turningCase(rig, build, { name, nginx }, progress)));
  }
  await nginx.stop();
  return readings;
}
