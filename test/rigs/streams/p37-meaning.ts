/**
 * P37: every pair of a caller's format and an upstream's keeps the meaning. Every case ends as it is written
 * down, streamed and whole; long conversations reach the upstream as they were said and turn by turn begin
 * with the bytes of the turn before; streams that are cut anywhere never look complete.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { pairCallers } from "../../../server/src/gateway/dispatch/testing/pairs/callers.ts";
import { caseNames, outcomeOf } from "../../../server/src/gateway/dispatch/testing/pairs/cases.ts";
import { cutOnce } from "../../../server/src/gateway/dispatch/testing/pairs/cuts.ts";
import { pairTable } from "../../../server/src/gateway/dispatch/testing/pairs/table.ts";
import { talk } from "../../../server/src/gateway/dispatch/testing/pairs/talks.ts";
import { pairUpstreams } from "../../../server/src/gateway/dispatch/testing/pairs/upstreams.ts";
import { countFigure, type Figure, type Rig } from "../harness/figure.ts";

const pairs = pairCallers.flatMap((caller) => pairUpstreams.map((at) => ({ caller, at })));

/** What `check` threw, as one line; undefined when it did not. */
async function missOf(check: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await check();
  } catch (error) {
    const [line = ""] = String(error instanceof Error ? error.message : error).split("\n");
    return line;
  }
  return undefined;
}

async function askTable(): Promise<Figure> {
  const misses: string[] = [];
  for (const { caller, at } of pairs)
    for (const name of caseNames) {
      const written = pairTable[caller.name][name][at.name];
      const note = `${caller.name} at ${at.name}: ${name}`;
      const missed = await missOf(async () => {
        const outcome = await outcomeOf({ caller, at }, name);
        if (outcome !== written) throw new Error(`${outcome}, written down: ${written}`);
      });
      if (missed !== undefined) misses.push(`${note}: ${missed}`);
    }
  return countFigure(
    "P37",
    `cases of ${pairs.length} pairs as written down`,
    pairs.length * caseNames.length,
    misses,
  );
}

async function playTalks(seed: number, talks: number, turns: number): Promise<Figure> {
  const misses: string[] = [];
  for (let round = 0; round < talks; round += 1)
    for (const pair of pairs) {
      const missed = await missOf(() => talk(pair, seed + round, turns));
      if (missed !== undefined) misses.push(missed);
    }
  return countFigure(
    "P37",
    `conversations of ${turns} turns that keep their meaning and beginning`,
    talks * pairs.length,
    misses,
  );
}

async function cutAll(seed: number, cuts: number): Promise<Figure> {
  const misses: string[] = [];
  const seen = { complete: 0, cut: 0, fault: 0 };
  for (let round = 0; round < cuts; round += 1) {
    const missed = await missOf(async () => {
      seen[await cutOnce(seed + round)] += 1;
    });
    if (missed !== undefined) misses.push(missed);
    if (round % 1_000 === 999) {
      if (cuts > 10_000 && round % 20_000 === 19_999)
        process.stderr.write(`     P37 ${round + 1} of ${cuts} cuts\n`);
      await nextTurn();
    }
  }
  const told = `${seen.cut} in the middle, ${seen.fault} before the first event, ${seen.complete} after the last`;
  return countFigure("P37", `cut streams that never look complete (${told})`, cuts, misses);
}

export const run: Rig = async ({ size, seed }) => {
  const isLong = size === "long";
  return [
    await askTable(),
    await playTalks(seed, isLong ? 10 : 1, isLong ? 50 : 12),
    await cutAll(seed, isLong ? 100_000 : 500),
  ];
};
