/**
 * The order of a comparison of several gateways: case by case, each gateway with a process of its own per
 * case, all taking turns in every round. A peer that fails is left out of the figures, never of the report.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Figures, loadFirstTokens, measureMemory, readingsOf } from "../cases.ts";
import type { Gateway } from "../gateways/gateway.ts";
import { pssKib } from "../measure/process-stat.ts";
import { type MeasuredWindow, measureWindow, type Settled, settle } from "../measure/settling.ts";
import {
  type GatewayName,
  isSteady,
  type PeerCase,
  type Reading,
  type SteadyCase,
} from "../report/reading.ts";
import { describeSettled } from "../report/report.ts";
import type { Rig } from "../rig.ts";
import { figuresOf, inTurn, type Progress } from "../rounds.ts";
import type { Switches } from "./peer-file.ts";

/** A gateway of the comparison, or the direct call. */
export interface Contestant {
  readonly name: GatewayName;
  /** Undefined for the direct call, which has none. */
  readonly switches: Switches | undefined;
  /** Open streams it gets at most. */
  readonly streamsMax: number | undefined;
  start(): Promise<Gateway>;
}

/** Something to tell about a gateway beside its figures. */
export interface PeerNote {
  readonly gateway: GatewayName;
  /** Undefined: it did not start, so it has no figures in any case. */
  readonly case: PeerCase | undefined;
  /** `failed`: there is no figure. `unsettled`: there is one, taken before its cost was stable. */
  readonly kind: "failed" | "unsettled";
  readonly text: string;
}

export interface PeerResults {
  readonly readings: readonly Reading[];
  readonly notes: readonly PeerNote[];
}

/** What is measured; tests pass their own. */
export interface Measures {
  settle(rig: Rig, name: SteadyCase, gateway: Gateway): Promise<Settled>;
  window(rig: Rig, name: SteadyCase, gateway: Gateway): Promise<MeasuredWindow>;
  firstTokens(rig: Rig, gateway: Gateway, round: number, durationMs: number): Promise<Figures>;
  memory(rig: Rig, gateway: Gateway): Promise<Figures>;
  /** Milliseconds of rest between a start and the memory reading. */
  readonly restMs: number;
}

const realMeasures: Measures = {
  settle,
  window: measureWindow,
  firstTokens: loadFirstTokens,
  memory: measureMemory,
  restMs: 1000,
};

const firstTokenWarmUpMs = 3000;

/** The open streams that a contestant gets. */
export function streamsFor(contestant: Contestant, streams: number): number {
  return Math.min(streams, contestant.streamsMax ?? streams);
}

interface Entrant {
  readonly gateway: Gateway;
  readonly rig: Rig;
}

function isPeer(name: GatewayName): boolean {
  return name.startsWith("peer ");
}

/** One run: collects readings and notes, and remembers which peers did not start. */
class PeerRun {
  readonly readings: Reading[] = [];
  readonly notes: PeerNote[] = [];
  readonly #out = new Set<GatewayName>();
  readonly #rig: Rig;
  readonly #progress: Progress;
  readonly #measures: Measures;

  constructor(rig: Rig, progress: Progress, measures: Measures) {
    this.#rig = rig;
    this.#progress = progress;
    this.#measures = measures;
  }

  /** Runs one case with everybody who starts. */
  async runCase(name: PeerCase, contestants: readonly Contestant[]): Promise<void> {
    let entrants: Entrant[] = [];
    const readings: Reading[] = [];
    try {
      for (const contestant of contestants) {
        const gateway = await this.#start(name, contestant);
        if (gateway === undefined) continue;
        const streams = streamsFor(contestant, this.#rig.size.streams);
        const rig = { ...this.#rig, size: { ...this.#rig.size, streams } };
        entrants.push({ gateway, rig });
      }
      entrants = await this.#keepWorking(name, entrants, (entrant) => this.#warmUp(name, entrant, readings));
      const rounds = name === "memory" ? 1 : this.#rig.size.rounds;
      for (let round = 0; round < rounds; round++) {
        this.#progress(`${name}, round ${round + 1} of ${rounds}`);
        const work = async (entrant: Entrant) => {
          readings.push(...(await this.#measure(name, entrant, round)));
        };
        entrants = await this.#keepWorking(name, inTurn(entrants, round), work);
        if (round % 2 === 1) entrants.reverse();
      }
    } finally {
      await Promise.all(entrants.map(({ gateway }) => gateway.stop()));
    }
    const working = new Set(entrants.map(({ gateway }) => gateway.name));
    this.readings.push(...readings.filter((reading) => working.has(reading.gateway)));
  }

  async #start(name: PeerCase, contestant: Contestant): Promise<Gateway | undefined> {
    if (this.#out.has(contestant.name)) return undefined;
    this.#progress(`${name}: starting ${contestant.name}`);
    try {
      return await contestant.start();
    } catch (error) {
      this.#fail(contestant.name, undefined, error, undefined);
      this.#out.add(contestant.name);
      return undefined;
    }
  }

  /** Does some work with each entrant in turn; stops those that fail and returns the others. */
  async #keepWorking(
    name: PeerCase,
    entrants: readonly Entrant[],
    work: (entrant: Entrant) => Promise<void>,
  ): Promise<Entrant[]> {
    const working: Entrant[] = [];
    for (const entrant of entrants) {
      try {
        await work(entrant);
        working.push(entrant);
      } catch (error) {
        const ended = entrant.gateway.endedWith?.();
        await entrant.gateway.stop();
        this.#fail(entrant.gateway.name, name, error, ended);
      }
    }
    return working;
  }

  /** Writes a peer's failure down. Without nginx, Plaza or the upstream there is nothing to compare with. */
  #fail(gateway: GatewayName, name: PeerCase | undefined, error: unknown, ended: string | undefined): void {
    if (!isPeer(gateway)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const text = ended === undefined ? reason : `${reason}; ${ended}`;
    this.#progress(
      `${gateway} FAILED${name === undefined ? " to start" : ` in ${name}`}: ${text.split("\n", 1)[0]}`,
    );
    this.notes.push({ gateway, case: name, kind: "failed", text });
  }

  async #warmUp(name: PeerCase, { gateway, rig }: Entrant, readings: Reading[]): Promise<void> {
    if (name === "memory") {
      await sleep(this.#measures.restMs);
      readings.push(...readingsOf("memory", gateway, 0, { restPssMib: pssKib(gateway.pid) / 1024 }));
    } else if (name === "first-token") {
      await this.#measures.firstTokens(rig, gateway, 0, firstTokenWarmUpMs);
    } else if (gateway.name !== "nginx") {
      const settled = await this.#measures.settle(rig, name, gateway);
      const text = describeSettled(name, gateway.name, settled, rig.size.settle);
      this.#progress(`warm-up, ${text}`);
      if (!settled.isSettled) this.notes.push({ gateway: gateway.name, case: name, kind: "unsettled", text });
    }
  }

  async #measure(name: PeerCase, { gateway, rig }: Entrant, round: number): Promise<Reading[]> {
    if (name === "memory") {
      return readingsOf(name, gateway, round, await this.#measures.memory(rig, gateway));
    }
    if (!isSteady(name)) {
      const figures = await this.#measures.firstTokens(rig, gateway, round, rig.size.firstTokenMs);
      return readingsOf(name, gateway, round, figures);
    }
    const readings = readingsOf(
      name,
      gateway,
      round,
      figuresOf(name, await this.#measures.window(rig, name, gateway)),
    );
    if (name !== "json1k") return readings;
    const loaded = { loadedPssMib: pssKib(gateway.pid) / 1024 };
    return [...readings, ...readingsOf("memory", gateway, round, loaded)];
  }
}

/** True when a case is run with this contestant: the direct call has no process to measure. */
function takesPart({ name }: Contestant, of: PeerCase): boolean {
  return name !== "direct" || of === "first-token";
}

/** Runs the cases with all contestants. Throws only when nginx, Plaza or the upstream fails. */
export async function runPeers(
  rig: Rig,
  contestants: readonly Contestant[],
  cases: readonly PeerCase[],
  progress: Progress,
  measures: Measures = realMeasures,
): Promise<PeerResults> {
  const run = new PeerRun(rig, progress, measures);
  for (const name of cases) {
    await run.runCase(
      name,
      contestants.filter((contestant) => takesPart(contestant, name)),
    );
  }
  return { readings: run.readings, notes: run.notes };
}
