/**
 * What the rest of a month will probably add up to. Days are a product of what is usual for their weekday and
 * of the height of their week, and the height goes on as it changed over the last weeks. How wrong that is,
 * is measured by doing the same in the past, not assumed. Pure.
 */
import { addDays } from "../../../format/zone.ts";
import { quantile, sum } from "./statistics.ts";
import { fitOf, predict } from "./weeks.ts";

/** Days that are over, without a gap. */
export interface History {
  /** YYYY-MM-DD, of the first value. */
  readonly first: string;
  readonly values: readonly number[];
}

export interface Forecast {
  /** The days to come, today among them. */
  readonly days: readonly { readonly day: string; readonly expected: number }[];
  /** Of these days together. */
  readonly total: number;
  /** How it did in the past; undefined while there are too few days to tell. */
  readonly error:
    | {
        /** How often the past was forecast. */
        readonly tries: number;
        /** Sum of the distances, as a share of what the days added up to. */
        readonly share: number;
        /** The total lies between these in four of five cases, if the future is as the past. */
        readonly low: number;
        readonly high: number;
        /** The same for a single day, as distances from what is expected. */
        readonly dayLow: number;
        readonly dayHigh: number;
      }
    | undefined;
}

/** Days needed at all. */
const daysMin = 7;
/** Days before the first try in the past; where too few tries would be left, fewer. */
const learnt = 28;
const learntMin = 14;
/** Most days to come. */
const daysMax = 62;
/** Fewer tries measure nothing. */
const triesMin = 8;
/** The share of cases that the bounds hold. */
const coverage = 0.8;

/** A forecast of the past and what came. */
interface Try {
  /** Days that were known. */
  readonly end: number;
  readonly expected: readonly number[];
  readonly came: readonly number[];
  /** What came of them together, as a share of what was expected. */
  readonly ratio: number;
}

/** The forecasts of so many days that the history can be compared with; those of nothing are left out. */
function triesOf(values: readonly number[], count: number): readonly Try[] {
  const tries: Try[] = [];
  const first = Math.max(learntMin, Math.min(learnt, values.length - count - triesMin + 1));
  for (let end = first; end + count <= values.length; end++) {
    const expected = predict(fitOf(values.slice(0, end)), count);
    const [total, came] = [sum(expected), values.slice(end, end + count)];
    if (total > 0) tries.push({ end, expected, came, ratio: sum(came) / total });
  }
  return tries;
}

/** How many of these tries do not overlap; at least 1. */
const separate = (tries: number, count: number): number => 1 + Math.max(0, tries - 1) / count;

/**
 * The factor by which forecasts were usually too low, as far as these tries tell: little where they are of
 * the same few days.
 */
function correctionOf(tries: readonly Try[], count: number): number {
  if (tries.length === 0) return 1;
  const apart = separate(tries.length, count);
  return (
    1 +
    (quantile(
      tries.map(({ ratio }) => ratio),
      0.5,
    ) -
      1) *
      (apart / (apart + 3))
  );
}

/** Half the width of the bounds: no further off were four of five; more than nothing if any was off. */
function reachOf(distances: readonly number[], tries: number, count: number): number {
  const sizes = distances.map(Math.abs);
  const usual = quantile(sizes, coverage);
  const reach = usual > 0 ? usual : sum(sizes) / Math.max(1, sizes.length);
  // Tries that overlap are off alike: fewer of them say less of what else may come.
  return reach * (1 + 1 / separate(tries, count));
}

function measure(
  tries: readonly Try[],
  count: number,
): Pick<NonNullable<Forecast["error"]>, "share"> & {
  /** Of a total, as a share of what is expected. */
  readonly reach: number;
  /** Of a day, as a share of the mean day. */
  readonly dayReach: number;
} {
  const offs: number[] = [];
  const daysOff: number[] = [];
  let distance = 0;
  for (const one of tries) {
    // As it would have been then: corrected by the tries that were over.
    const factor = correctionOf(
      tries.filter(({ end }) => end + count <= one.end),
      count,
    );
    const total = sum(one.expected) * factor;
    const off = sum(one.came) - total;
    offs.push(off / total);
    distance += Math.abs(off);
    for (const [at, came] of one.came.entries())
      daysOff.push(((came - (one.expected[at] ?? 0) * factor) * count) / total);
  }
  const actual = sum(tries.map(({ came }) => sum(came)));
  return {
    share: actual > 0 ? distance / actual : 0,
    reach: reachOf(offs, tries.length, count),
    dayReach: reachOf(daysOff, tries.length * count, count),
  };
}

/** The days after the history, up to `last`. Undefined with too little history, and with nothing to come. */
export function forecastOf({ first, values }: History, last: string): Forecast | undefined {
  // An account that began within the history is not forecast from the days before it.
  const begun = values.findIndex((value) => value > 0);
  const used = begun < 0 ? [] : values.slice(begun);
  if (used.length < daysMin) return undefined;
  const days: string[] = [];
  for (let day = addDays(first, values.length); day <= last && days.length < daysMax; day = addDays(day, 1))
    days.push(day);
  const count = days.length;
  if (count === 0) return undefined;
  const tries = triesOf(used, count);
  const isMeasured = tries.length >= triesMin;
  const factor = isMeasured ? correctionOf(tries, count) : 1;
  const expected = predict(fitOf(used), count).map((value) => value * factor);
  const total = sum(expected);
  if (total === 0) return undefined;
  const forecast = { days: days.map((day, at) => ({ day, expected: expected[at] ?? 0 })), total };
  if (!isMeasured) return { ...forecast, error: undefined };
  const { share, reach, dayReach } = measure(tries, count);
  const dayOff = (total / count) * dayReach;
  return {
    ...forecast,
    error: {
      ...{ tries: tries.length, share },
      ...{ low: total * Math.max(0, 1 - reach), high: total * (1 + reach) },
      ...{ dayLow: -dayOff, dayHigh: dayOff },
    },
  };
}
