/** Median, spread and percentiles of readings. */

/** Median, lowest and highest of some readings. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/**
 * The value below which a share of the readings lies, by linear interpolation between ranks.
 * @param share 0 to 1; 0.5 is the median.
 */
export function percentile(readings: readonly number[], share: number): number {
  if (readings.length === 0) throw new Error("percentile of no readings");
  const sorted = readings.toSorted((a, b) => a - b);
  const rank = share * (sorted.length - 1);
  const low = sorted[Math.floor(rank)] ?? 0;
  const high = sorted[Math.ceil(rank)] ?? 0;
  // Readings may be infinite, whose difference is no number.
  if (low === high) return low;
  return low + (high - low) * (rank - Math.floor(rank));
}

export function median(readings: readonly number[]): number {
  return percentile(readings, 0.5);
}

export function mean(readings: readonly number[]): number {
  if (readings.length === 0) throw new Error("mean of no readings");
  return readings.reduce((sum, reading) => sum + reading, 0) / readings.length;
}

export function spread(readings: readonly number[]): Spread {
  return {
    median: median(readings),
    min: percentile(readings, 0),
    max: percentile(readings, 1),
    count: readings.length,
  };
}
