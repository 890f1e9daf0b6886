/**
 * The lease protocol in the simulator: money is admitted exactly. Repeat a run with `SEED=… OPERATIONS=… node
 * --test test/simulator/simulator.test.ts`; every violation names its run's seed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runsOf } from "../../server/src/lib/testing/runs.ts";
import { chooseSeed } from "../rigs/harness/random.ts";
import { playApart, type SceneName, simulateApart } from "./apart.ts";
import { simulateOnce } from "./simulation.ts";

const seed = chooseSeed();
const operations = Number(process.env["OPERATIONS"] ?? runsOf(1_000_000));
const scenes = Math.max(20, Math.floor(operations / 2_000));

test(`money is conserved in ${operations} random operations (SEED=${seed})`, async (context) => {
  const sums = await simulateApart({ seed, operations });
  const { violations, ...figures } = sums;
  for (const [name, figure] of Object.entries(figures)) context.diagnostic(`${name} ${figure}`);
  assert.deepEqual(violations, []);
  // A simulator without operations would find nothing.
  assert.ok(sums.operations >= operations);
  if (operations < 100_000) return;
  assert.ok(sums.placed > operations / 20, `${sums.placed} holds placed`);
  assert.ok(sums.acknowledged > operations / 50, `${sums.acknowledged} settlements acknowledged`);
});

test("the same seed gives the same run", async () => {
  const [first, second] = [await simulateOnce(seed, 1_000), await simulateOnce(seed, 1_000)];
  assert.deepEqual(first, second);
  assert.notDeepEqual(await simulateOnce(seed + 1, 1_000), first);
});

const scenesByName: Readonly<Record<SceneName, string>> = {
  admitExactly: "a balance for exactly N calls admits exactly N",
  spendDown: "callers who go on until they are refused leave less than one hold",
  gatherScraps: "parts of holds left in several processes come together",
};

for (const [scene, name] of Object.entries(scenesByName))
  test(`${name} (${scenes} scenes, SEED=${seed})`, async () => {
    assert.deepEqual(await playApart({ scene: scene as SceneName, seed, times: scenes }), []);
  });
