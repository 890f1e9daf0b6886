/** Promise P07: every vector of six providers' shapes costs exactly what was computed by hand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Price } from "@plaza/contract/catalog.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import { readUsage as readAnthropic } from "../../providers/anthropic/usage.ts";
import { readUsage as readBedrock } from "../../providers/bedrock/usage.ts";
import { readUsage as readGoogle } from "../../providers/google/usage.ts";
import { readUsage as readOpenai } from "../../providers/openai/usage.ts";
import { chargeFor } from "../price.ts";
import { anthropicVectors } from "./anthropic.ts";
import { azureVectors } from "./azure.ts";
import { bedrockVectors } from "./bedrock.ts";
import { compatibleVectors } from "./compatible.ts";
import { googleVectors } from "./google.ts";
import { openaiVectors } from "./openai.ts";
import { vectorPrices } from "./prices.ts";
import type { PriceVector } from "./vector.ts";

type Read = (value: unknown) => Usage | undefined;

const suites: readonly [string, Read, readonly PriceVector[]][] = [
  ["openai", readOpenai, openaiVectors],
  ["compatible", readOpenai, compatibleVectors],
  ["azure", readOpenai, azureVectors],
  ["anthropic", readAnthropic, anthropicVectors],
  ["google", readGoogle, googleVectors],
  ["bedrock", readBedrock, bedrockVectors],
];

for (const [provider, read, vectors] of suites) {
  test(`${vectors.length} vectors of ${provider}`, () => {
    for (const { name, price, usage, working, charge } of vectors) {
      const found = read(JSON.parse(usage));
      assert.ok(found !== undefined, `${name}: not read`);
      assert.equal(chargeFor(found, vectorPrices[price] as Price), charge, `${name}: ${working}`);
    }
  });
}

test("there are at least 200 vectors, and every price and class is used by one", () => {
  const all = suites.flatMap(([, read, vectors]) => vectors.map((vector) => ({ ...vector, read })));
  assert.ok(all.length >= 200, String(all.length));
  assert.deepEqual(new Set(all.map(({ price }) => price)), new Set(Object.keys(vectorPrices)));
  const used = new Set(
    all.flatMap(({ read, usage }) =>
      Object.entries(read(JSON.parse(usage)) ?? {}).flatMap(([name, tokens]) => (tokens > 0 ? [name] : [])),
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
