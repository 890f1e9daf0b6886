/**
 * Periods of usage: what the URL says, in days of a time zone, as the instants the API takes. Pure:
 * the clock is passed in. Knows no page.
 */
import { addDays, dayAt, dayStartMs, isDay, isTimeZone } from "../../format/zone.ts";

/** What `period` may be in a URL; `custom` goes with `from` and `to`, both days inclusive. */
export const periodNames = [
  "today",
  "7d",
  "30d",
  "90d",
  "month",
  "last-month",
  "12m",
  "all",
  "custom",
] as const;
export type PeriodName = (typeof periodNames)[number];

/** The part of a URL that says a period. */
export interface PeriodValues {
  readonly period: string;
  readonly from: string;
  readonly to: string;
  /** IANA name; empty: the profile's, else the browser's. */
  readonly zone: string;
}

/** Days of a zone, both inclusive. */
export interface Days {
  readonly first: string;
  readonly last: string;
}

/** A period as the API takes it. */
export interface Range extends Days {
  /** ISO 8601. */
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
}

function monthDays(day: string): Days {
  const first = `${day.slice(0, 7)}-01`;
  const next = `${addDays(first, 31).slice(0, 7)}-01`;
  return { first, last: addDays(next, -1) };
}

function yearBefore(day: string): string {
  const first = addDays(day, 1);
  const former = `${Number(first.slice(0, 4)) - 1}${first.slice(4)}`;
  return isDay(former) ? former : addDays(former.replace("-29", "-28"), 1);
}

function customDays({ from, to }: PeriodValues, today: string): Days {
  const last = isDay(to) ? to : isDay(from) && from > today ? from : today;
  const first = isDay(from) ? from : addDays(last, -29);
  return first <= last ? { first, last } : { first: last, last: first };
}

/** The days of a period; undefined for all time. A name that is none reads as 30 days. */
export function daysOf(values: PeriodValues, today: string): Days | undefined {
  switch (values.period) {
    case "all":
      return undefined;
    case "today":
      return { first: today, last: today };
    case "7d":
      return { first: addDays(today, -6), last: today };
    case "90d":
      return { first: addDays(today, -89), last: today };
    case "month":
      return { first: monthDays(today).first, last: today };
    case "last-month":
      return monthDays(addDays(monthDays(today).first, -1));
    case "12m":
      return { first: yearBefore(today), last: today };
    case "custom":
      return customDays(values, today);
    default:
      return { first: addDays(today, -29), last: today };
  }
}

/** The instants of a period in a zone; undefined for all time. */
export function rangeOf(values: PeriodValues, timeZone: string, nowMs: number): Range | undefined {
  const days = daysOf(values, dayAt(nowMs, timeZone));
  if (days === undefined) return undefined;
  return {
    ...days,
    from: new Date(dayStartMs(days.first, timeZone)).toISOString(),
    to: new Date(dayStartMs(addDays(days.last, 1), timeZone)).toISOString(),
  };
}

const grainMs = 30 * 60_000;
/** Days that are looked at; more than the API takes in one question. */
const daysSeenMax = 2_000;

/** Why usage cannot be shown by the days of a zone; undefined when it can. */
export function zoneFault(
  timeZone: string,
  days: Days | undefined,
  today: string,
): "unknown" | "offset" | undefined {
  if (!isTimeZone(timeZone)) return "unknown";
  const first = days?.first ?? today;
  const last = days?.last ?? today;
  for (let day = first, seen = 0; day <= last && seen < daysSeenMax; day = addDays(day, 1), seen += 1) {
    if (dayStartMs(day, timeZone) % grainMs !== 0) return "offset";
  }
  return undefined;
}

/** Every day from the first to the last. */
export function daysBetween({ first, last }: Days): string[] {
  const days: string[] = [];
  for (let day = first; day <= last && days.length < daysSeenMax; day = addDays(day, 1)) days.push(day);
  return days;
}
