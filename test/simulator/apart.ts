/**
 * Runs of the simulator in a separate thread: under `node --test` every promise is tracked, which makes them
 * several times slower.
 */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { admitExactly, gatherScraps, spendDown } from "./exact-admission.ts";
import { type SimulateOptions, type SimulationSums, simulate } from "./simulator.ts";

const scenes = { admitExactly, gatherScraps, spendDown };

export type SceneName = keyof typeof scenes;

interface PlayOptions {
  readonly scene: SceneName;
  readonly seed: number;
  /** How often, with the seeds `seed`, `seed + 1` and so on. */
  readonly times: number;
}

async function play({ scene, seed, times }: PlayOptions): Promise<string[]> {
  const violations: string[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    const violation = await scenes[scene](seed + turn);
    if (violation !== undefined) violations.push(violation);
  }
  return violations;
}

function apart<T>(work: SimulateOptions | PlayOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: work });
    thread.once("message", resolve);
    thread.once("error", reject);
  });
}

/** As `simulate`. */
export const simulateApart = (options: SimulateOptions): Promise<SimulationSums> => apart(options);

/** Plays a scene; resolves with the violations. */
export const playApart = (options: PlayOptions): Promise<string[]> => apart(options);

if (!isMainThread && parentPort !== null) {
  const work = workerData as SimulateOptions | PlayOptions;
  parentPort.postMessage("scene" in work ? await play(work) : await simulate(work));
}
