/** The statistics of pairs, compared with tables, known cases, and many simulated series. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../payloads.ts";
import { estimateRatio, judgePairs, pairsMax, signedRankCut } from "./paired.ts";

test("the cut of the signed ranks is that of the printed tables (two-sided, 5 %)", () => {
  // Critical values of Wilcoxon's signed-rank test: 0 at 6 pairs, 2, 3, 5, 8, ... 25
  // at 15, 52 at 20, 89 at 25, 137 at 30.
  const critical: Record<number, number> = {
    6: 0,
    7: 2,
    8: 3,
    9: 5,
    10: 8,
    12: 13,
    15: 25,
    20: 52,
    25: 89,
    30: 137,
  };
  for (const [pairs, value] of Object.entries(critical))
    assert.equal(signedRankCut(Number(pairs)), value + 1);
});

test("an estimate is the median of pairwise means, and six pairs span from lowest to highest", () => {
  const estimate = estimateRatio([1, 1.1, 0.9, 1.02, 0.98, 1.05]);
  assert.ok(Math.abs((estimate?.ratio ?? 0) - 1.008) < 0.005);
  assert.ok(Math.abs((estimate?.low ?? 0) - 0.9) < 1e-9);
  assert.ok(Math.abs((estimate?.high ?? 0) - 1.1) < 1e-9);
  assert.equal(estimateRatio([1, 1, 1, 1, 1]), undefined);
  assert.throws(() => estimateRatio(new Array(pairsMax + 1).fill(1)));
  assert.ok(Number.isFinite(estimateRatio(new Array(pairsMax).fill(1.5))?.high));
});

test("swapping the sides inverts the estimate and its interval", () => {
  const ratios = [1.2, 1.1, 1.3, 0.9, 1.15, 1.22, 1.05];
  const there = estimateRatio(ratios);
  const back = estimateRatio(ratios.map((ratio) => 1 / ratio));
  assert.ok(there !== undefined && back !== undefined);
  for (const [a, b] of [
    [there.ratio, back.ratio],
    [there.low, back.high],
    [there.high, back.low],
  ] as const) {
    assert.ok(Math.abs(a * b - 1) < 1e-9);
  }
});

test("one wild pair in twenty hardly moves the estimate", () => {
  const calm = Array.from({ length: 20 }, (_, i) => 1 + (i - 9.5) / 1000);
  const wild = calm.with(7, 3);
  const [a, b] = [estimateRatio(calm), estimateRatio(wild)];
  assert.ok(a !== undefined && b !== undefined && Math.abs(a.ratio - b.ratio) < 0.002 && b.high < 1.02);
});

/** Pairs with a known ratio and errors of a few percent, some of them large. */
function series(random: () => number, truth: number, count: number): number[] {
  return Array.from({ length: count }, () => {
    const size = random() < 0.05 ? 0.3 : 0.06;
    const error = (random() + random() + random() - 1.5) * size;
    return truth * Math.exp(error);
  });
}

test("of a thousand series the interval holds the true ratio in 95 of 100, and twenty pairs tell 6 % from none", () => {
  const random = seededRandom(7);
  let held = 0;
  let told = 0;
  let wronglyNo = 0;
  for (let run = 0; run < 1000; run++) {
    const same = estimateRatio(series(random, 1, 20));
    if (same !== undefined && same.low <= 1 && same.high >= 1) held++;
    if (judgePairs(same, 0.03) === "no") wronglyNo++;
    if (judgePairs(estimateRatio(series(random, 1.06, 20)), 0.03) === "no") told++;
  }
  assert.ok(held >= 930 && held <= 970, `held ${held}`);
  assert.ok(told >= 950, `told ${told}`);
  assert.ok(wronglyNo <= 10, `wrongly no ${wronglyNo}`);
});

test("the verdict: yes within the margin, no beyond it and for certain, otherwise not told apart", () => {
  const verdict = (ratio: number, low: number, high: number) =>
    judgePairs({ ratio, low, high, pairs: 20 }, 0.03);
  assert.equal(verdict(1.0, 0.98, 1.03), "yes");
  assert.equal(verdict(1.015, 1.005, 1.025), "yes");
  assert.equal(verdict(0.9, 0.85, 0.95), "yes");
  assert.equal(verdict(1.05, 1.02, 1.08), "no");
  assert.equal(verdict(1.02, 1.005, 1.035), "not told apart");
  assert.equal(verdict(1.05, 0.99, 1.11), "not told apart");
  assert.equal(judgePairs(undefined, 0.03), "not told apart");
});
