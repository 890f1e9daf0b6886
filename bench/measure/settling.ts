/** Warms a gateway up under load until its cost is stable, and measures single windows afterwards. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Gateway } from "../gateways/gateway.ts";
import type { SettleRule } from "../options.ts";
import type { SteadyCase } from "../report/reading.ts";
import type { Rig } from "../rig.ts";
import { median } from "./statistics.ts";
import { type SteadyFigures, type SteadyLoad, startLoad } from "./steady-load.ts";

export interface Settled {
  readonly isSettled: boolean;
  readonly costsUs: readonly number[];
}

/** True when the last slices agree. */
export function hasSettled(costsUs: readonly number[], rule: SettleRule): boolean {
  const last = costsUs.slice(-rule.slices);
  if (last.length < rule.slices) return false;
  return Math.max(...last) - Math.min(...last) <= rule.within * median(last);
}

/** With more other CPU use on the two cores a window is discarded; percent of one core. */
const foreignMostPercent = 40;
/**
 * Delayed chunks are sent together and cost less each, so the load would differ. Allowed deviation in
 * percent.
 */
const paceTolerancePercent = 5;
/** A disturbed window is measured again at most this often; then the last one counts and is marked. */
const repeatsMax = 2;

export function isDisturbed(figures: SteadyFigures): boolean {
  return (
    figures.foreignCpuPercent > foreignMostPercent ||
    Math.abs(figures.paceKeptPercent - 100) > paceTolerancePercent
  );
}

async function underLoad<T>(
  rig: Rig,
  name: SteadyCase,
  gateway: Gateway,
  work: (load: SteadyLoad) => Promise<T>,
): Promise<T> {
  const load = await startLoad(rig, name, gateway);
  let result: T;
  try {
    result = await work(load);
  } catch (error) {
    await load.abandon();
    throw error;
  }
  await load.end();
  return result;
}

/** Applies the load of a case to a gateway until the cost per unit of work no longer falls. */
export function settle(rig: Rig, name: SteadyCase, gateway: Gateway): Promise<Settled> {
  return underLoad(rig, name, gateway, (load) => settleUnder(load, rig.size.settle));
}

/** Measures slices of a load that goes on until the cost no longer falls. */
export async function settleUnder(load: SteadyLoad, rule: SettleRule): Promise<Settled> {
  const costsUs: number[] = [];
  while (!hasSettled(costsUs, rule) && costsUs.length < rule.slicesMax) {
    costsUs.push((await load.window(rule.sliceMs)).costUs);
  }
  return { isSettled: hasSettled(costsUs, rule), costsUs };
}

/** One window, and how often it was repeated because of disturbances. */
export interface MeasuredWindow extends SteadyFigures {
  readonly repeats: number;
  readonly isDisturbed: boolean;
}

/**
 * Measures one window, after a lead-in that does not count, because the other gateway used the core and its
 * caches before.
 */
export async function measureWindow(rig: Rig, name: SteadyCase, gateway: Gateway): Promise<MeasuredWindow> {
  return underLoad(rig, name, gateway, async (load) => {
    for (let repeats = 0; ; repeats++) {
      await sleep(rig.size.leadInMs);
      const figures = await load.window(rig.size.windowMs);
      const disturbed = isDisturbed(figures);
      if (!disturbed || repeats === repeatsMax) return { ...figures, repeats, isDisturbed: disturbed };
    }
  });
}
