/** Many runs of the simulator, and the sums of their figures. */
import { type SimulationFigures, simulateOnce } from "./simulation.ts";

export interface SimulateOptions {
  readonly seed: number;
  readonly operations: number;
}

/**
 * Operations of one run: enough for every kind of failure, few enough to check everything after each step.
 */
const operationsPerRun = 2_500;

/** Sums over many runs. */
export interface SimulationSums {
  readonly seed: number;
  readonly runs: number;
  readonly operations: number;
  readonly steps: number;
  readonly placed: number;
  readonly refused: number;
  readonly acknowledged: number;
  readonly crashes: number;
  readonly pauses: number;
  readonly jumps: number;
  readonly outages: number;
  readonly repeats: number;
  readonly charged: bigint;
  readonly lost: bigint;
  /** Violated invariants, each with the seed of its run. */
  readonly violations: readonly string[];
}

/** Performs runs until this many operations are reached, with the seeds `seed`, `seed + 1` and so on. */
export async function simulate(options: SimulateOptions): Promise<SimulationSums> {
  const done: SimulationFigures[] = [];
  let operations = 0;
  while (operations < options.operations) {
    const wanted = Math.min(operationsPerRun, options.operations - operations);
    const figures = await simulateOnce(options.seed + done.length, wanted);
    // A run that ends early counts its operations, but at least one, so that the loop ends.
    operations += Math.max(1, figures.operations);
    done.push(figures);
  }
  const sum = (of: (figures: SimulationFigures) => number) =>
    done.reduce((total, each) => total + of(each), 0);
  const money = (of: (figures: SimulationFigures) => bigint) =>
    done.reduce((total, each) => total + of(each), 0n);
  return {
    seed: options.seed,
    runs: done.length,
    operations,
    steps: sum(({ steps }) => steps),
    placed: sum(({ calls }) => calls.placed),
    refused: sum(({ calls }) => calls.short + calls.suspended + calls.fenced + calls.unavailable),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    crashes: sum(({ crashes }) => crashes),
    pauses: sum(({ pauses }) => pauses),
    jumps: sum(({ jumps }) => jumps),
    outages: sum(({ outages }) => outages),
    repeats: sum(({ repeats }) => repeats),
    charged: money(({ charged }) => charged),
    lost: money(({ lost }) => lost),
    violations: done.flatMap(({ violation }) => (violation === undefined ? [] : [violation])),
  };
}
