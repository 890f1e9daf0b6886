/**
 * Spans that are far from what is usual at their time: of a weekday, or of an hour of the day. Pure and
 * deterministic: the same figures give the same marks.
 */
import { median, spread } from "./statistics.ts";

/** A span that is over. */
export interface Point {
  readonly value: number;
  /** What it is compared with: the weekday of a day, or the hour of the day of an hour. */
  readonly season: number;
}

export interface Anomaly {
  /** Which point. */
  readonly at: number;
  readonly value: number;
  /** The median of the others of its season. */
  readonly expected: number;
  /** Distance in usual distances; negative: too low. */
  readonly score: number;
}

/** Fewer points say nothing about what is usual. */
export const pointsMin = 14;
/** Fewer others of a season are no season: then all others count. */
const othersMin = 3;
const scoreMin = 3.5;
/** A distance below this share of the usual height is never marked, however steady the rest is. */
const shareMin = 0.25;

/** What is usual for a point: the median of the others of its season, or of all others. */
function expectedAt(points: readonly Point[], at: number): number {
  const others = points.filter((_, index) => index !== at);
  const same = others.filter(({ season }) => season === points[at]?.season);
  return median((same.length >= othersMin ? same : others).map(({ value }) => value));
}

/** The points that are far off, in order; none of fewer than `pointsMin`. */
export function anomaliesOf(points: readonly Point[]): readonly Anomaly[] {
  if (points.length < pointsMin) return [];
  const expected = points.map((_, at) => expectedAt(points, at));
  const residuals = points.map(({ value }, at) => value - (expected[at] ?? 0));
  const centre = median(residuals);
  const usual = spread(residuals);
  const height = median(points.map(({ value }) => Math.abs(value)));
  if (!(usual > 0)) return [];
  return points.flatMap(({ value }, at) => {
    const distance = (residuals[at] ?? 0) - centre;
    const score = distance / usual;
    const isFar = Math.abs(score) >= scoreMin && Math.abs(distance) > height * shareMin;
    return isFar ? [{ at, value, expected: expected[at] ?? 0, score }] : [];
  });
}

/** A group and its values at the same points. */
export interface Part<Id> {
  readonly id: Id;
  readonly values: readonly number[];
}

/** The group that explains most of an anomaly; undefined when none goes the same way. */
export function causeOf<Id>(
  anomaly: Anomaly,
  points: readonly Point[],
  parts: readonly Part<Id>[],
): { readonly id: Id; readonly value: number; readonly expected: number } | undefined {
  const ways = parts.map(({ id, values }) => {
    const own = points.map(({ season }, at) => ({ season, value: values[at] ?? 0 }));
    const expected = expectedAt(own, anomaly.at);
    const value = values[anomaly.at] ?? 0;
    return { id, value, expected, push: (value - expected) * Math.sign(anomaly.score) };
  });
  const [most] = ways.toSorted((one, other) => other.push - one.push);
  if (most === undefined || most.push <= 0) return undefined;
  return { id: most.id, value: most.value, expected: most.expected };
}
