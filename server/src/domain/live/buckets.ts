/**
 * Buckets of the latency histograms, and percentiles estimated from them. Processes of an installation can
 * only be added up because all have the same buckets.
 */

/** Highest values of the buckets of a request's duration, in seconds. */
export const durationBounds = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/** The same of the time to the first token. */
export const firstTokenBounds = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** The sum of two histograms of the same buckets, or of one that is shorter because its end is empty. */
export function addCounts(one: readonly number[], other: readonly number[]): number[] {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, index) => (one[index] ?? 0) + (other[index] ?? 0));
}

/**
 * What was counted since `before`. A counter that began again from zero counts from there: never negative.
 */
export function countsSince(now: readonly number[], before: readonly number[]): number[] {
  return now.map((count, index) => {
    const earlier = before[index] ?? 0;
    return count >= earlier ? count - earlier : count;
  });
}

export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/**
 * Estimates a percentile in milliseconds, to a tenth. `share`: 0 to 1. `bounds`: in seconds. Values are taken
 * to be spread evenly in their bucket; those above the last bound count as that bound. Null: no values.
 */
export function percentileMs(
  bounds: readonly number[],
  counts: readonly number[],
  share: number,
): number | null {
  const rank = sumOf(counts) * share;
  if (rank === 0) return null;
  let below = 0;
  let lower = 0;
  for (const [index, upper] of bounds.entries()) {
    const count = counts[index] ?? 0;
    if (count > 0 && below + count >= rank)
      return Math.round((lower + ((upper - lower) * (rank - below)) / count) * 10_000) / 10;
    below += count;
    lower = upper;
  }
  return lower * 1_000;
}
