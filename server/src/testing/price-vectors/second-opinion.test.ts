/**
 * Promise P07: `chargeFor` against the independent implementation. The seeds are fixed, so failures can be
 * repeated.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Usage } from "@plaza/contract/usage.ts";
import { chargeFor } from "../../domain/money/price.ts";
import { compareReports } from "./reports.ts";
import { compareRandom, createRandom, drawPrice } from "./second-opinion.ts";

test("100,000 random usages and prices cost the same by both, never less than nothing, and more tokens never less", () => {
  const { misses, grown } = compareRandom(20_261_121, 100_000);
  assert.deepEqual(misses, []);
  assert.ok(grown > 50_000, "the check of more tokens ran");
});

test("no input makes a charge negative or fail: parts beyond their wholes, counts below zero", () => {
  const random = createRandom(7);
  const draw = () => random(60) - 10;
  for (let run = 0; run < 20_000; run++) {
    const usage: Usage = {
      input: draw(),
      audioInput: draw(),
      imageInput: draw(),
      cachedInput: draw(),
      cacheWrite: draw(),
      longCacheWrite: draw(),
      output: draw(),
      reasoning: draw(),
      audioOutput: draw(),
      imageOutput: draw(),
    };
    const price = drawPrice(random);
    if (chargeFor(usage, price) < (price.perRequest ?? 0n)) assert.fail(JSON.stringify(usage));
  }
});

test("50,000 random reports, as each format's vendor writes them, cost what their tokens cost", () => {
  assert.deepEqual(compareReports(20_261_124, 50_000), []);
});
