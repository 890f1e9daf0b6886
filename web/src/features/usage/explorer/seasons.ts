/**
 * The spans of an answer as points to compare: a day with its weekday, an hour with its hour of the day.
 * Pure.
 */
import { dayAt, toWallTime } from "../../../format/zone.ts";
import type { Point } from "./anomalies.ts";
import { type Explored, type ExploreMeasure, heightOf, spanFigures } from "./groups.ts";

const spanMs = { day: 86_400_000, hour: 3_600_000 } as const;

/** True when the last span of an answer is not over. */
export function isLastOpen({ spans, asOf, to, grain }: Explored): boolean {
  const last = Date.parse(spans.at(-1) ?? "");
  // A day of 25 hours is open for an hour more; it ends with the period at the latest.
  const end = Math.min(Date.parse(to), last + spanMs[grain]);
  return end > Date.parse(asOf);
}

/** The local day of a span, as in `2026-11-21`. */
export const dayOfSpan = (iso: string, timeZone: string): string => dayAt(Date.parse(iso), timeZone);

function seasonOf(iso: string, { grain, timeZone }: Explored): number {
  if (grain === "hour") return Number(toWallTime(iso, timeZone).slice(11, 13));
  return new Date(dayOfSpan(iso, timeZone)).getUTCDay();
}

/** The spans that are over. */
export function pointsOf(answer: Explored, measure: ExploreMeasure): readonly Point[] {
  const figures = spanFigures(answer.all, measure);
  const over = answer.spans.slice(0, isLastOpen(answer) ? -1 : undefined);
  return over.map((iso, at) => ({ value: heightOf(figures[at] ?? "0"), season: seasonOf(iso, answer) }));
}
