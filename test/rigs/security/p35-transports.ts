/**
 * P35: both transports serve the same. Random bytes from a grammar with mutations, in random pieces, go to a
 * connection of our own and to one of node:http: the same requests must be served and the same bytes sent.
 * What may differ is written down in `test/transport/differential.ts`.
 */
import { compare, type Difference, minimise, shown } from "../../transport/differential.ts";
import { createCase } from "../../transport/grammar.ts";
import { countFigure, type Rig } from "../harness/figure.ts";
import { seededRandom } from "../harness/random.ts";

/** Cases that are under way at once. */
const batch = 50;
/** Each takes a while to minimise. */
const differencesMax = 5;

export const run: Rig = async ({ size, seed }) => {
  const cases = size === "long" ? 1_000_000 : 2_000;
  const random = seededRandom(seed);
  const differences: Difference[] = [];
  let done = 0;
  while (done < cases && differences.length < differencesMax) {
    differences.push(...(await compare(Array.from({ length: batch }, () => createCase(random)))));
    done += batch;
    if (done % 100_000 === 0) process.stderr.write(`     P35 ${done} of ${cases} cases\n`);
  }
  const misses: string[] = [];
  for (const difference of differences.slice(0, differencesMax))
    misses.push(shown(await minimise(difference)));
  return [countFigure("P35", "cases that both transports serve alike", done, misses)];
};
