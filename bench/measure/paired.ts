/**
 * Statistics of paired ratios: the typical ratio, its confidence interval, and whether it counts as "no
 * slower". Pure.
 */

/** The typical ratio of some pairs, with its 95 % confidence interval. */
export interface Estimate {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly pairs: number;
}

/** `yes`: within the margin. `no`: slower by more than the margin. Otherwise undecided. */
export type PairVerdict = "yes" | "no" | "not told apart";

const allowedMiss = 0.05;

/** Fewer pairs than this have no 95 % interval, however similar they are. */
export const pairsMin = 6;

/** More are never needed, and keep the counts below exact. */
export const pairsMax = 200;

/**
 * Number of sorted pairwise means outside the interval at each end. Uses the exact distribution of Wilcoxon's
 * signed-rank sum (each of 1 to n included with probability ½), not an approximation.
 */
export function signedRankCut(pairs: number): number {
  const sums = (pairs * (pairs + 1)) / 2;
  const ways = new Float64Array(sums + 1);
  ways[0] = 1;
  for (let rank = 1; rank <= pairs; rank++) {
    for (let sum = sums; sum >= rank; sum--) ways[sum] = (ways[sum] ?? 0) + (ways[sum - rank] ?? 0);
  }
  const allowed = (allowedMiss / 2) * 2 ** pairs;
  let cut = 0;
  for (let reached = ways[0]; reached <= allowed; reached += ways[cut] ?? 0) cut++;
  return cut;
}

/**
 * The Hodges-Lehmann estimate of a ratio (the median of the means of all pairs), with its exact interval. A
 * single outlier has little effect. Works on logarithms, so that a ratio and its inverse are treated alike.
 * @returns undefined with fewer than six pairs.
 */
export function estimateRatio(ratios: readonly number[]): Estimate | undefined {
  if (ratios.length < pairsMin) return undefined;
  if (ratios.length > pairsMax) throw new Error(`more than ${pairsMax} pairs`);
  const logs = ratios.map((ratio) => Math.log(ratio));
  const means = logs.flatMap((a, i) => logs.slice(i).map((b) => (a + b) / 2)).toSorted((a, b) => a - b);
  const cut = signedRankCut(ratios.length);
  const at = (index: number) => means[index] ?? Number.NaN;
  const middle = (means.length - 1) / 2;
  return {
    ratio: Math.exp((at(Math.floor(middle)) + at(Math.ceil(middle))) / 2),
    low: Math.exp(at(cut - 1)),
    high: Math.exp(at(means.length - cut)),
    pairs: ratios.length,
  };
}

/**
 * Judges whether the first of each pair is no slower than the second. `yes` when the whole interval is within
 * the margin; `no` when the whole interval is above 1 and the estimate above the margin.
 * @param margin the slowdown that still counts as none, as a share: 0.03 = 3 %.
 */
export function judgePairs(estimate: Estimate | undefined, margin: number): PairVerdict {
  if (estimate === undefined) return "not told apart";
  if (estimate.high <= 1 + margin) return "yes";
  return estimate.low > 1 && estimate.ratio > 1 + margin ? "no" : "not told apart";
}
