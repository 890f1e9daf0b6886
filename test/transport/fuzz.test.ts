/**
 * Both transports do the same with the same bytes. `CASES=1000000 SEED=1` before the command runs more; the
 * seed is printed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseSeed, seededRandom } from "../rigs/harness/random.ts";
import { compare, type Difference, differenceOf, minimise, shown } from "./differential.ts";
import { finds } from "./finds.ts";
import { createCase } from "./grammar.ts";

const cases = Number(process.env["CASES"] ?? 3_000);
const batch = 50;
/** Each takes a while to minimise. */
const differencesMax = 5;

test("both transports serve the same requests and send the same bytes", async (context) => {
  const seed = chooseSeed();
  const random = seededRandom(seed);
  const differences: Difference[] = [];
  let done = 0;
  while (done < cases && differences.length < differencesMax) {
    differences.push(...(await compare(Array.from({ length: batch }, () => createCase(random)))));
    done += batch;
  }
  context.diagnostic(`${done} cases, seed ${seed}`);
  const reports: string[] = [];
  for (const difference of differences.slice(0, differencesMax))
    reports.push(shown(await minimise(difference)));
  assert.equal(differences.length, 0, `seed ${seed}\n${reports.join("\n")}`);
});

test("what the fuzzer found once stays mended", async () => {
  for (const { what, text, cuts } of finds) {
    const difference = await differenceOf(Buffer.from(text, "latin1"), cuts);
    assert.equal(difference && shown(difference), undefined, what);
  }
});
