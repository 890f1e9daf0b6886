/**
 * Pure: times to first token in buckets, each 5 % wider than the one before, so that percentiles of any
 * number of requests can be computed from a few hundred counts, within 2.5 %.
 */

const growth = 1.05;
const bucketMax = 400;

/** The bucket of a time in whole milliseconds; 0 and 1 have their own buckets. */
export function bucketOf(ms: number): number {
  if (ms < 1) return 0;
  return Math.min(bucketMax, 1 + Math.floor(Math.log(ms) / Math.log(growth) + 1e-9));
}

/** The middle of a bucket, in whole milliseconds. */
function middleOf(bucket: number): number {
  if (bucket === 0) return 0;
  const least = growth ** (bucket - 1);
  return Math.round((least + least * growth) / 2);
}

/** The time within which this share (0 to 1) of the requests had a first token; null without requests. */
export function percentileOf(counts: ReadonlyMap<number, number>, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.max(1, Math.ceil(share * total));
  for (const bucket of [...counts.keys()].sort((one, other) => one - other)) {
    left -= counts.get(bucket) ?? 0;
    if (left <= 0) return middleOf(bucket);
  }
  return null;
}
