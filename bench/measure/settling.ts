/** When a gateway under load has settled, and single windows of one that has. Prints nothing. */

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

/** Whether the last slices agree. */
export function hasSettled(costsUs: readonly number[], rule: SettleRule): boolean {
  const last = costsUs.slice(-rule.slices);
  if (last.length < rule.slices) return false;
  return Math.max(...last) - Math.min(...last) <= rule.within * median(last);
}

/** More other work than this on the two cores makes a window worthless; percent of one core. */
const foreignMostPercent = 40;
/** Chunks that pile up travel together and cost less each: then the window was at another load. Percent. */
const paceTolerancePercent = 5;
/** A disturbed window is measured again so often; then the last one counts and is marked. */
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

/** Puts the load of a case on a gateway until what a piece of work costs no longer falls. */
export function settle(rig: Rig, name: SteadyCase, gateway: Gateway): Promise<Settled> {
  const rule = rig.size.settle;
  return underLoad(rig, name, gateway, async (load) => {
    const costsUs: number[] = [];
    while (!hasSettled(costsUs, rule) && costsUs.length < rule.slicesMax) {
      costsUs.push((await load.window(rule.sliceMs)).costUs);
    }
    return { isSettled: hasSettled(costsUs, rule), costsUs };
  });
}

/** One window, and how often it had to be measured again because something disturbed it. */
export interface MeasuredWindow extends SteadyFigures {
  readonly repeats: number;
  readonly isDisturbed: boolean;
}

/**
 * One window of a load: first a lead-in that does not count, because the other gateway had the core, its
 * caches and the compiler's guesses until now.
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
