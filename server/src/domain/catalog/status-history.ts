/**
 * Pure: the last day of a model by half hours, from how its requests ended. Only answers and upstreams' own
 * failures count: callers' faults, refusals and client disconnects say nothing about a model.
 */
import type { Measured } from "./model-status.ts";

/** The state of a half hour. `none`: no request says anything about it. */
export type HalfHourState = "none" | "available" | "degraded" | "down";

/** One letter for each state, for strips of many models in one answer. */
const stateLetters = { none: "-", available: "a", degraded: "d", down: "x" } as const satisfies Record<
  HalfHourState,
  string
>;

export const stripSlots = 48;

/** Requests of a half hour. `unserved`: truncated answers and upstreams' failures. */
export interface HalfHourCounts {
  readonly complete: number;
  readonly unserved: number;
}

/** With fewer failures and no answer, a half hour is degraded: one failed call is not an outage. */
const downFailuresMin = 3;

/** `successMin`: required share of complete answers, 0 to 1, as for the live status. */
export function stateOfHalfHour(counts: HalfHourCounts | undefined, successMin: number): HalfHourState {
  const { complete, unserved } = counts ?? { complete: 0, unserved: 0 };
  if (complete + unserved === 0) return "none";
  if (complete === 0 && unserved >= downFailuresMin) return "down";
  return complete < (complete + unserved) * successMin ? "degraded" : "available";
}

const worse = (state: HalfHourState, measured: Measured): HalfHourState => {
  if (measured === undefined || state === "down") return state;
  return measured;
};

/** A model's last day. */
export interface StatusHistory {
  /** `stripSlots` letters of `stateLetters`, oldest first; the last one is the current half hour. */
  readonly strip: string;
  /** Share of complete answers among the requests that count, 0 to 1, rounded down to four decimals. */
  readonly uptime: number | null;
  /** How many requests count. */
  readonly counted: number;
}

/**
 * `slotOf`: the counts of a half hour (numbered from 1970). `measured`: the live status, which the current
 * half hour is not better than.
 */
export function historyOf(
  slotOf: (slot: number) => HalfHourCounts | undefined,
  lastSlot: number,
  { successMin, measured }: { readonly successMin: number; readonly measured: Measured },
): StatusHistory {
  let strip = "";
  let complete = 0;
  let counted = 0;
  for (let slot = lastSlot - stripSlots + 1; slot <= lastSlot; slot += 1) {
    const counts = slotOf(slot);
    complete += counts?.complete ?? 0;
    counted += (counts?.complete ?? 0) + (counts?.unserved ?? 0);
    const state = stateOfHalfHour(counts, successMin);
    strip += stateLetters[slot === lastSlot ? worse(state, measured) : state];
  }
  return {
    strip,
    uptime: counted === 0 ? null : Math.floor((complete / counted) * 10_000) / 10_000,
    counted,
  };
}
