/**
 * Times to first token of one deployment: a moving average for routing and a small histogram for the 95th
 * percentile. No clock: times are passed in. Always milliseconds.
 */

/**
 * Upper bound of the first bin, and the growth factor of the others: 40 bins cover more than five minutes.
 */
const firstBoundMs = 10;
const growth = 1.3;
const bins = 41;
const binBase = Math.log(growth);

/** Minimum weight of the newest time in the average; the older the previous time, the lower its weight. */
const newest = 0.2;
const fadeMs = 5_000;
/**
 * Without new times for this many milliseconds the average is unknown, so that a deployment that was slow is
 * tried again.
 */
const staleMs = 60_000;
/** The histogram keeps two generations, so the times of the last five to ten minutes count. */
const generationMs = 300_000;
/** Fewer times say nothing about the slowest 5 %. */
const timesMin = 20;

/** Changed in place: one per deployment, updated once per call. */
export interface FirstTokenTimes {
  averageMs: number;
  lastMs: number;
  /** Number of times in the average. */
  count: number;
  generationStartMs: number;
  current: Uint32Array;
  previous: Uint32Array;
}

export function createFirstTokenTimes(): FirstTokenTimes {
  return {
    averageMs: 0,
    count: 0,
    lastMs: Number.NEGATIVE_INFINITY,
    generationStartMs: Number.NEGATIVE_INFINITY,
    current: new Uint32Array(bins),
    previous: new Uint32Array(bins),
  };
}

function binOf(tookMs: number): number {
  if (!(tookMs > firstBoundMs)) return 0;
  return Math.min(bins - 1, Math.ceil(Math.log(tookMs / firstBoundMs) / binBase));
}

/** Records a time to first token. */
export function addFirstToken(times: FirstTokenTimes, tookMs: number, nowMs: number): void {
  const isKnown = times.averageMs > 0 && nowMs - times.lastMs <= staleMs;
  // Never 0, which means unknown.
  const bounded = Math.max(tookMs, 0.001);
  const weight = isKnown ? Math.max(newest, 1 - Math.exp((times.lastMs - nowMs) / fadeMs)) : 1;
  times.averageMs += weight * (bounded - times.averageMs);
  times.count = isKnown ? times.count + 1 : 1;
  times.lastMs = nowMs;
  const ageMs = nowMs - times.generationStartMs;
  if (ageMs >= generationMs) {
    const isNext = ageMs < 2 * generationMs;
    const reused = times.previous;
    times.previous = times.current;
    times.current = reused.fill(0);
    if (!isNext) times.previous.fill(0);
    times.generationStartMs = nowMs;
  }
  const bin = binOf(tookMs);
  times.current[bin] = (times.current[bin] ?? 0) + 1;
}

/** The average, or 0 when it is unknown or too old. */
export function averageFirstTokenMs(times: FirstTokenTimes, nowMs: number): number {
  return nowMs - times.lastMs <= staleMs ? times.averageMs : 0;
}

/**
 * The 95th percentile over several deployments, as the upper bound of its bin; undefined when there are too
 * few times.
 */
export function p95FirstTokenMs(several: readonly FirstTokenTimes[]): number | undefined {
  let total = 0;
  const sums = new Array<number>(bins).fill(0);
  for (const { current, previous } of several) {
    for (let bin = 0; bin < bins; bin += 1) {
      const times = (current[bin] ?? 0) + (previous[bin] ?? 0);
      sums[bin] = (sums[bin] ?? 0) + times;
      total += times;
    }
  }
  if (total < timesMin) return undefined;
  let left = total * 0.95;
  for (let bin = 0; bin < bins; bin += 1) {
    left -= sums[bin] ?? 0;
    if (left <= 0) return Math.round(firstBoundMs * growth ** bin);
  }
  return Math.round(firstBoundMs * growth ** (bins - 1));
}
