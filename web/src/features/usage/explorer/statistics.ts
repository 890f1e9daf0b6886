/** Robust statistics of a few numbers. Pure. */

/** The value below which this share (0 to 1) lies, between two values by proportion; NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = values.toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const [low = 0, high = low] = [sorted[below], sorted[below + 1]];
  return low + (high - low) * (place - below);
}

/** NaN without values. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * How far values usually lie from their median, as a standard deviation would say of a normal distribution;
 * where more than half are equal, from the mean distance.
 */
export function spread(values: readonly number[]): number {
  const centre = median(values);
  const distances = values.map((value) => Math.abs(value - centre));
  const usual = median(distances) * 1.4826;
  return usual > 0 ? usual : (sum(distances) / Math.max(1, distances.length)) * 1.2533;
}
