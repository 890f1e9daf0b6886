/**
 * Days as a product: what is usual for their weekday × the height of their week. Both are robust: one odd day
 * moves neither. The height of the weeks to come follows the change from week to week, as far as it stands
 * out from the noise, and ever less. Pure.
 */
import { median, sum } from "./statistics.ts";

/** Whole weeks looked back on. */
const weeksMax = 6;
/** A change from week to week is told from this many weeks on. */
const trendWeeksMin = 3;
/** Each week back counts so much of the one after it. */
const fading = 0.6;
/** Each week ahead grows by so much of what the one before grew. */
const damping = 0.9;
/** The most a week may be of the one before, up or down: logarithm. */
const changeMax = Math.log(2);

/** What is known of the days after a history. */
export interface WeeksFit {
  /**
   * What is usual for the days of a week that begins with the first day ahead, where a week's height is 1.
   */
  readonly weekdays: readonly number[];
  /** The height of the week that is just over. */
  readonly height: number;
  /** The logarithm of the factor from that week to the next. */
  readonly change: number;
}

/**
 * The mean after the highest and the lowest took the place of their neighbours; of three values the median,
 * of fewer the mean. 0 without values.
 */
export function typical(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const last = sorted.length - 1;
  if (last >= 2) {
    sorted[0] = sorted[1] ?? 0;
    sorted[last] = sorted[last - 1] ?? 0;
  }
  return sorted.length === 0 ? 0 : sum(sorted) / sorted.length;
}

/** Ratios to what is not 0. */
const ratios = (values: readonly number[], to: readonly number[]): number[] =>
  values.flatMap((value, at) => {
    const usual = to[at] ?? 0;
    return usual > 0 ? [value / usual] : [];
  });

/**
 * The usual change of the logarithms of weeks, the latest first: the median over all pairs, less of it the
 * less it stands out from how far the weeks lie from that line.
 */
function changeOf(heights: readonly number[]): number {
  const points = heights.flatMap((height, back) => (height > 0 ? [{ x: -back, y: Math.log(height) }] : []));
  if (points.length < trendWeeksMin) return 0;
  const slopes = points.flatMap((one, at) =>
    points.slice(at + 1).map((other) => (other.y - one.y) / (other.x - one.x)),
  );
  const slope = median(slopes);
  const centre = median(points.map(({ x, y }) => y - slope * x));
  const middle = sum(points.map(({ x }) => x)) / points.length;
  const spreadOfX = sum(points.map(({ x }) => (x - middle) ** 2));
  const residuals = sum(points.map(({ x, y }) => (y - centre - slope * x) ** 2));
  const variance = residuals / (points.length - 2) / spreadOfX;
  const share = slope === 0 ? 0 : Math.max(0, 1 - (2 * variance) / slope ** 2);
  return Math.max(-changeMax, Math.min(changeMax, slope * share));
}

/** Most odd days that are told from use that comes and goes. */
const oddMax = 2;
/** A fit with less than this share of what came does not describe it. */
const fitMin = 0.75;

/** The sum of days of which the highest two are no higher than the third. */
function plainSum(days: readonly number[]): number {
  const sorted = days.toSorted((one, other) => other - one);
  return sum(days.map((day) => Math.min(day, sorted[oddMax] ?? day)));
}

/**
 * Reads the last weeks of these days. All days count alike where there are less than two weeks, and where use
 * comes and goes, so that neither weekdays nor weeks have something usual.
 */
export function fitOf(values: readonly number[]): WeeksFit {
  const count = Math.min(weeksMax, Math.floor(values.length / 7));
  if (count < 2) return { weekdays: Array(7).fill(typical(values)), height: 1, change: 0 };
  // The latest week first; a week's days have the weekdays of the week ahead.
  const weeks = Array.from({ length: count }, (_, back) => {
    const end = values.length - back * 7;
    return values.slice(end - 7, end);
  });
  const ofWeekday = (at: number): number[] => weeks.map((week) => week[at] ?? 0);
  let weekdays = Array.from({ length: 7 }, (_, at) => typical(ofWeekday(at)));
  let heights: number[] = [];
  for (let round = 0; round < 3; round++) {
    heights = weeks.map((week) => typical(ratios(week, weekdays)));
    weekdays = weekdays.map((_, at) => typical(ratios(ofWeekday(at), heights)));
  }
  const last = weeks.flat();
  const plain = plainSum(last);
  if (sum(heights) * sum(weekdays) < plain * fitMin)
    return { weekdays: Array(7).fill(plain / last.length), height: 1, change: 0 };
  const change = changeOf(heights);
  const weights = heights.map((_, back) => fading ** back);
  const brought = heights.map((height, back) => height * Math.exp(change * back) * (weights[back] ?? 0));
  return { weekdays, height: sum(brought) / sum(weights), change };
}

/** The next days. */
export function predict({ weekdays, height, change }: WeeksFit, count: number): number[] {
  const days: number[] = [];
  let [week, step] = [height, change];
  for (let at = 0; at < count; at++) {
    if (at % 7 === 0) {
      step *= damping;
      week *= Math.exp(step);
    }
    days.push((weekdays[at % 7] ?? 0) * week);
  }
  return days;
}
