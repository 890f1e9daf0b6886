/**
 * Compares two builds of Plaza: both running, each measured while the other is idle, in the order A B B A, so
 * that steady drift cancels out. Both are restarted every few pairs, because two processes of one build may
 * differ.
 */

import type { Gateway } from "../gateways/gateway.ts";
import type { PlazaBuild } from "../gateways/plaza-build.ts";
import type { Pair } from "../report/pair-report.ts";
import { describePair } from "../report/pair-report.ts";
import type { SteadyCase } from "../report/reading.ts";
import { describeSettled } from "../report/report.ts";
import type { Rig } from "../rig.ts";
import type { Progress } from "../rounds.ts";
import { measureWindow, settle } from "./settling.ts";
import { mean } from "./statistics.ts";

/** Pairs measured with one process of each build. */
const pairsPerStart = 5;

export interface PairPlan {
  readonly plaza: PlazaBuild;
  readonly other: PlazaBuild;
  readonly pairs: number;
  readonly hasNginx: boolean;
}

interface Sides {
  readonly plaza: Gateway;
  readonly other: Gateway;
  readonly nginx: Gateway | undefined;
}

/** A B B A in even pairs and B A A B in odd ones, nginx in the middle. */
export function orderOf({ plaza, other, nginx }: Sides, index: number): Gateway[] {
  const [a, b] = index % 2 === 0 ? [plaza, other] : [other, plaza];
  return [a, b, ...(nginx === undefined ? [] : [nginx]), b, a];
}

async function measurePair(rig: Rig, name: SteadyCase, sides: Sides, index: number): Promise<Pair> {
  const windows: Pair["windows"][number][] = [];
  for (const gateway of orderOf(sides, index)) {
    windows.push({ ...(await measureWindow(rig, name, gateway)), gateway: gateway.name });
  }
  const costOf = (wanted: Gateway["name"]) =>
    mean(windows.filter(({ gateway }) => gateway === wanted).map(({ costUs }) => costUs));
  const plazaUs = costOf("plaza");
  const otherUs = costOf("other");
  const nginxUs = sides.nginx === undefined ? undefined : costOf("nginx");
  return { case: name, plazaUs, otherUs, nginxUs, ratio: plazaUs / otherUs, windows };
}

/** Starts one process of each build, alternating the order, and warms both up. */
async function startSides(
  rig: Rig,
  name: SteadyCase,
  plan: PairPlan,
  start: number,
  progress: Progress,
): Promise<Sides> {
  const sides: Partial<Record<"plaza" | "other", Gateway>> = {};
  for (const side of start % 2 === 0 ? (["plaza", "other"] as const) : (["other", "plaza"] as const)) {
    const { gateway } = await plan[side].start({ isPinned: true });
    sides[side] = gateway;
    const settled = await settle(rig, name, gateway);
    progress(`warm-up, ${describeSettled(name, side, settled, rig.size.settle)}`);
  }
  const { plaza, other } = sides;
  if (plaza === undefined || other === undefined) throw new Error("a build was not started");
  return { plaza, other, nginx: plan.hasNginx ? await rig.startNginx() : undefined };
}

export async function runPairs(
  rig: Rig,
  name: SteadyCase,
  plan: PairPlan,
  progress: Progress,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  while (pairs.length < plan.pairs) {
    const sides = await startSides(rig, name, plan, pairs.length / pairsPerStart, progress);
    const until = Math.min(plan.pairs, pairs.length + pairsPerStart);
    while (pairs.length < until) {
      const pair = await measurePair(rig, name, sides, pairs.length);
      pairs.push(pair);
      progress(`${name}, pair ${pairs.length} of ${plan.pairs}: ${describePair(pair)}`);
    }
    for (const gateway of [sides.plaza, sides.other, sides.nginx]) await gateway?.stop();
  }
  return pairs;
}
