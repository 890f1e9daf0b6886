/**
 * What the rest of a month will probably add up to: for each day the median of the last days of its weekday,
 * brought to the level of the last two weeks. How wrong that is, is measured by doing the same in the past,
 * not assumed. Pure.
 */
import { addDays } from "../../../format/zone.ts";
import { median, sum } from "./statistics.ts";

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

/** Weeks looked back on, and days needed at all. */
const weeks = 4;
const daysMin = 7;
const levelMax = 4;
/** Fewer tries measure nothing. */
const triesMin = 8;

/** What a day so many days after the end of these values is expected to be. */
function expectedAfter(values: readonly number[], ahead: number): number {
  const same: number[] = [];
  const latest = values.length - 1 + ahead - Math.ceil(ahead / 7) * 7;
  for (let at = latest; at >= 0 && same.length < weeks; at -= 7) same.push(values[at] ?? 0);
  return median(same.length >= 2 ? same : values.slice(-daysMin * 2));
}

/**
 * How the last two weeks compare with the medians of their weekdays: above 1 where use grows. Bounded, so
 * that a few odd days promise nothing.
 */
function levelOf(values: readonly number[], weekdays: readonly number[]): number {
  const ratios = values
    .slice(-daysMin * 2)
    .toReversed()
    .flatMap((value, back) => {
      // The day so many days back has the weekday of the one 7 − back days ahead.
      const usual = weekdays[6 - (back % 7)] ?? 0;
      return usual > 0 ? [value / usual] : [];
    });
  return ratios.length < daysMin ? 1 : Math.min(levelMax, Math.max(1 / levelMax, median(ratios)));
}

function nextDays(values: readonly number[], count: number): number[] {
  const weekdays = Array.from({ length: 7 }, (_, at) => expectedAfter(values, at + 1));
  const level = levelOf(values, weekdays);
  return Array.from({ length: count }, (_, at) => (weekdays[at % 7] ?? 0) * level);
}

/** The bounds within which at least four of five values lie: the next ones outside the 10 % at each end. */
function fourOfFive(values: readonly number[]): readonly [low: number, high: number] {
  const sorted = values.toSorted((one, other) => one - other);
  const last = sorted.length - 1;
  return [sorted[Math.floor(last * 0.1)] ?? 0, sorted[Math.ceil(last * 0.9)] ?? 0];
}

function errorOf(values: readonly number[], count: number, total: number): Forecast["error"] {
  const offs: number[] = [];
  const daysOff: number[] = [];
  let actual = 0;
  for (let end = daysMin * 2; end + count <= values.length; end++) {
    const expected = nextDays(values.slice(0, end), count);
    const came = values.slice(end, end + count);
    offs.push(sum(came) - sum(expected));
    daysOff.push(...came.map((value, at) => value - (expected[at] ?? 0)));
    actual += sum(came);
  }
  if (offs.length < triesMin || actual <= 0) return undefined;
  const [low, high] = fourOfFive(offs);
  const [dayLow, dayHigh] = fourOfFive(daysOff);
  return {
    tries: offs.length,
    share: sum(offs.map(Math.abs)) / actual,
    low: Math.max(0, total + Math.min(0, low)),
    high: total + Math.max(0, high),
    dayLow: Math.min(0, dayLow),
    dayHigh: Math.max(0, dayHigh),
  };
}

/** The days after the history, up to `last`; undefined with too little history, or nothing to come. */
export function forecastOf({ first, values }: History, last: string): Forecast | undefined {
  // An account that began within the history is not forecast from the days before it.
  const begun = values.findIndex((value) => value > 0);
  const used = begun < 0 ? [] : values.slice(begun);
  if (used.length < daysMin) return undefined;
  const days: string[] = [];
  for (let day = addDays(first, values.length); day <= last && days.length < 62; day = addDays(day, 1))
    days.push(day);
  if (days.length === 0) return undefined;
  const expected = nextDays(used, days.length);
  const total = sum(expected);
  return {
    days: days.map((day, at) => ({ day, expected: expected[at] ?? 0 })),
    total,
    error: errorOf(used, days.length, total),
  };
}
