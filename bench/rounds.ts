/** The order of a run: rounds outermost, gateways turn about inside every case, so that drift of the machine hits all alike. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type JsonCase,
  loadFirstTokens,
  loadHeldStreams,
  loadJson,
  measureStartup,
  readingsOf,
} from "./cases.ts";
import type { Gateway } from "./gateway.ts";
import type { CaseName, Reading } from "./reading.ts";
import type { Rig } from "./rig.ts";

/** Called as the run goes on, for the impatient. */
export type Progress = (text: string) => void;

/** Rest of a gateway between start and the idle memory reading of the stream case. */
const restMs = 1000;
const firstTokenWarmUpMs = 500;

function inTurn<T>(items: readonly T[], round: number): T[] {
  return round % 2 === 0 ? [...items] : items.toReversed();
}

/** Streams are held on fresh processes, so that memory is the streams' and not an earlier load's. */
async function streamRound(rig: Rig, round: number): Promise<Reading[]> {
  const readings: Reading[] = [];
  const starters = [
    async () => ({ gateway: await rig.startNginx(), rest: 0 }),
    async () => ({ gateway: (await rig.startPlaza({ isPinned: true })).gateway, rest: restMs }),
  ];
  for (const start of inTurn(starters, round)) {
    const { gateway, rest } = await start();
    await sleep(rest);
    readings.push(...readingsOf("stream", gateway, round, await loadHeldStreams(rig, gateway)));
    await gateway.stop();
  }
  return readings;
}

/** The first seconds of Plaza belong to its compiler, so they are not measured; nginx has none. */
async function warmUp(rig: Rig, plaza: Gateway, cases: readonly CaseName[]): Promise<void> {
  if (cases.includes("first-token")) await loadFirstTokens(rig, plaza, 0, firstTokenWarmUpMs);
  for (const name of ["json1k", "json100k"] as const) {
    if (cases.includes(name)) await loadJson(rig, name, plaza, rig.size.warmUpSeconds);
  }
}

/** Runs the cases asked for and returns every reading. */
export async function runRounds(
  rig: Rig,
  cases: readonly CaseName[],
  progress: Progress,
): Promise<Reading[]> {
  const readings: Reading[] = [];
  if (cases.includes("startup")) {
    progress("startup");
    readings.push(...(await measureStartup(rig)));
  }
  const jsonCases: JsonCase[] = (["json1k", "json100k"] as const).filter((name) => cases.includes(name));
  const needsLasting = jsonCases.length > 0 || cases.includes("first-token");
  const lasting = needsLasting
    ? { nginx: await rig.startNginx(), plaza: (await rig.startPlaza({ isPinned: true })).gateway }
    : undefined;
  if (lasting !== undefined) {
    progress("warm-up");
    await warmUp(rig, lasting.plaza, cases);
  }
  for (let round = 0; round < rig.size.rounds; round++) {
    progress(`round ${round + 1} of ${rig.size.rounds}`);
    if (cases.includes("stream")) readings.push(...(await streamRound(rig, round)));
    if (lasting === undefined) continue;
    const { nginx, plaza } = lasting;
    if (cases.includes("first-token")) {
      for (const gateway of inTurn([rig.direct, nginx, plaza], round)) {
        const figures = await loadFirstTokens(rig, gateway, round, rig.size.firstTokenMs);
        readings.push(...readingsOf("first-token", gateway, round, figures));
      }
    }
    for (const name of jsonCases) {
      for (const gateway of inTurn([nginx, plaza], round)) {
        const figures = await loadJson(rig, name, gateway, rig.size.jsonSeconds);
        readings.push(...readingsOf(name, gateway, round, figures));
      }
    }
  }
  return readings;
}
