/**
 * Pure: the spans of an explored period, and the period it is compared with, by the clocks of a time zone.
 */
import { dayOf, slotMs, type ZoneStretch, zoneStretches } from "../../../lib/time/time-zone.ts";

/** One day or hour of the period. */
export interface ExploreSpan {
  /** As the store numbers it: days since 1970 in the zone, or hours of the period. */
  readonly span: number;
  readonly fromSlot: number;
}

/** The spans that have begun by now, in order. */
export function spansOf(
  stretches: readonly ZoneStretch[],
  grain: "day" | "hour",
  nowMs: number,
): ExploreSpan[] {
  const first = stretches[0]?.from ?? 0;
  const found: ExploreSpan[] = [];
  for (const { from, to, offset } of stretches) {
    for (let slot = from; slot < to && slot * slotMs <= nowMs; slot++) {
      const span = grain === "day" ? dayOf(slot, offset) : Math.floor((slot - first) / 2);
      if (found.at(-1)?.span !== span) found.push({ span, fromSlot: slot });
    }
  }
  return found;
}

const offsetAt = (timeZone: string, slot: number): number =>
  zoneStretches(timeZone, slot, slot + 1)[0]?.offset ?? 0;

/**
 * The period before: as long by the zone's clocks, so that midnights meet midnights. While the period lasts
 * it is compared with as much of the former one as has passed of it. Empty before 1970.
 */
export function previousStretches(
  stretches: readonly ZoneStretch[],
  timeZone: string,
  nowMs: number,
): { readonly from: number; readonly to: number; readonly stretches: readonly ZoneStretch[] } {
  const [from, to] = [stretches[0]?.from ?? 0, stretches.at(-1)?.to ?? 0];
  const wall = (slot: number) => slot + offsetAt(timeZone, slot);
  const length = wall(to) - wall(from);
  const back = (slot: number): number => {
    const former = Math.max(0, slot - length);
    return Math.max(0, wall(slot) - length - offsetAt(timeZone, former));
  };
  const passed = Math.min(to, Math.max(from, Math.ceil(nowMs / slotMs)));
  // Clocks that went back must not make the two overlap.
  const end = Math.min(back(passed), from);
  const begin = Math.min(back(from), end);
  return { from: begin, to: end, stretches: begin < end ? zoneStretches(timeZone, begin, end) : [] };
}
