/** Promise P07: every vector of every provider costs exactly what was computed by hand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testedInProcess } from "../../providers/testing/all.ts";
import { vectorPrices } from "./prices.ts";
import { missesOf, suites } from "./suites.ts";

for (const suite of new Set(testedInProcess.flatMap(({ priceSuites }) => priceSuites))) {
  const { name, vectors } = suite;
  test(`${vectors.length} vectors of ${name}`, () => assert.deepEqual(missesOf(suite), []));
}

test("there are at least 200 vectors, and every price and class is used by one", () => {
  const all = suites.flatMap(({ read, vectors }) => vectors.map((vector) => ({ ...vector, read })));
  assert.ok(all.length >= 200, String(all.length));
  assert.deepEqual(new Set(all.map(({ price }) => price)), new Set(Object.keys(vectorPrices)));
  const used = new Set(
    all.flatMap(({ read, usage }) =>
      Object.entries(read(JSON.parse(usage)) ?? {}).flatMap(([name, tokens]) =>
        typeof tokens === "number" && tokens > 0 ? [name] : [],
      ),
    ),
  );
  assert.deepEqual([...used].sort(), [
    "audioInput",
    "audioOutput",
    "cacheWrite",
    "cachedInput",
    "imageInput",
    "imageOutput",
    "input",
    "longCacheWrite",
    "output",
    "reasoning",
  ]);
});
