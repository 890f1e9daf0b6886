/**
 * Pure: composes a range of half hours from daily and half-hourly sums, so that few rows are read. A time
 * zone's day is the UTC day of that date, minus the hours that belong to its neighbour, plus those of the
 * other neighbour.
 */
import { slotsPerDay, type ZoneStretch } from "../../lib/time/time-zone.ts";

/** Half hours of an hour. */
export const slotsPerHour = 2;

/** Sums of one table to add. */
export interface Part {
  readonly table: "usage_slots" | "usage_days";
  /** In spans of the table; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Half hours by which the requested days are ahead of UTC; absent when days are not separated. */
  readonly dayOffset?: number;
  /** Half hours of a separated span, if not a day's. */
  readonly spanSlots?: number;
  /** Only these half hours of each UTC day. */
  readonly window?: { readonly from: number; readonly to: number };
  /** Subtracts the sums from their day and adds them to the next or previous one. */
  readonly move?: 1 | -1;
}

/** The parts of a stretch with one offset. */
function partsOfStretch({ from, to, offset }: ZoneStretch, byDay: boolean, openDay: number): Part[] {
  const dayOffset = byDay ? { dayOffset: offset } : {};
  const slots = (first: number, last: number): Part => ({
    table: "usage_slots",
    from: first,
    to: last,
    ...dayOffset,
  });
  const firstDay = Math.ceil(from / slotsPerDay);
  const lastDay = Math.min(Math.floor(to / slotsPerDay), openDay);
  if (firstDay >= lastDay) return [slots(from, to)];
  const [first, last] = [firstDay * slotsPerDay, lastDay * slotsPerDay];
  const parts: Part[] = [
    slots(from, first),
    { table: "usage_days", from: firstDay, to: lastDay, ...(byDay ? { dayOffset: 0 } : {}) },
    slots(last, to),
  ];
  if (byDay && offset !== 0) {
    const window = offset > 0 ? { from: slotsPerDay - offset, to: slotsPerDay } : { from: 0, to: -offset };
    const move = offset > 0 ? 1 : -1;
    parts.push({ table: "usage_slots", from: first, to: last, dayOffset: 0, window, move });
  }
  return parts.filter((part) => part.to > part.from);
}

/**
 * The parts of a range, given as stretches with one offset each; offsets matter only when days are separated.
 * `openDay`: the first UTC day whose daily sums are not written.
 */
export function partsOf(
  {
    stretches,
    byDay,
    byHour = false,
  }: {
    readonly stretches: readonly ZoneStretch[];
    readonly byDay: boolean;
    readonly byHour?: boolean | undefined;
  },
  openDay: number,
): Part[] {
  if (byHour) {
    const [from, to] = [stretches[0]?.from ?? 0, stretches.at(-1)?.to ?? 0];
    return [{ table: "usage_slots", from, to, dayOffset: -from, spanSlots: slotsPerHour }];
  }
  if (byDay) return stretches.flatMap((stretch) => partsOfStretch(stretch, true, openDay));
  const whole = { from: stretches[0]?.from ?? 0, to: stretches.at(-1)?.to ?? 0, offset: 0 };
  return partsOfStretch(whole, false, openDay);
}
