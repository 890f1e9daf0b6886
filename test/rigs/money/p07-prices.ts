/**
 * P07: every class of tokens is priced once. Compares hand-computed vectors of every provider's reports,
 * random usages and prices, and random reports of each format with a second implementation
 * (`server/src/testing/price-vectors/`).
 */
import { compareReports } from "../../../server/src/testing/price-vectors/reports.ts";
import { compareRandom } from "../../../server/src/testing/price-vectors/second-opinion.ts";
import { missesOf, suites } from "../../../server/src/testing/price-vectors/suites.ts";
import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";

const usages = { short: 10_000, long: 100_000 };
const vectorsMin = 200;

function vectorFigure(): Figure {
  const count = suites.reduce((sum, { vectors }) => sum + vectors.length, 0);
  const figure = countFigure("P07", "vectors computed by hand", count, suites.flatMap(missesOf));
  const wanted = `100 % of ≥ ${vectorsMin}`;
  return { ...figure, wanted, ok: figure.ok && count >= vectorsMin };
}

export const run: Rig = async ({ size, seed }) => {
  const { misses, grown } = compareRandom(seed, usages[size]);
  return [
    vectorFigure(),
    zeroFigure(
      "P07",
      `random usages and prices that differ from the second implementation (${grown} of them with more tokens, too)`,
      grown === 0 ? 0 : usages[size],
      misses,
    ),
    zeroFigure(
      "P07",
      "random reports of five formats whose charge differs from that of their tokens",
      usages[size],
      compareReports(seed, usages[size]),
    ),
  ];
};
