import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model, Price, Rates } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { rateNames } from "../domain/price-classes.ts";
import type { Caller } from "./authenticate.ts";
import { getModel, listModels } from "./models.ts";
import type { Snapshot } from "./snapshot.ts";

const caller = { key: {}, models: undefined } as unknown as Caller;
const noon = Date.UTC(2026, 10, 21, 12);
const dollars = (input: bigint, output: bigint): Price => ({
  input: nanoUsd(input * 10n ** 9n),
  output: nanoUsd(output * 10n ** 9n),
});

function shown(model: Partial<Model>, nowMs = noon) {
  const live = { model: { id: "m", name: "M", deployments: [], ...model }, deployments: [] };
  const snapshot: Snapshot = { models: new Map([["m", live]]), limits: {} };
  const object = getModel(snapshot, caller, "m", nowMs);
  assert.deepEqual(listModels(snapshot, caller, nowMs).data, [object]);
  return object;
}

test("pricing shows every class that has a rate, as decimal strings of dollars", () => {
  const rates = Object.fromEntries(
    rateNames.map((name, index) => [name, nanoUsd(BigInt(index) * 250_000_000n)]),
  ) as unknown as Rates;
  const tier = { abovePromptTokens: 200_000, ...dollars(9n, 10n), cachedInput: nanoUsd(1n) };
  const { pricing } = shown({ price: { ...rates, perRequest: nanoUsd(1_000_000n), tiers: [tier] } });
  assert.deepEqual(pricing, {
    input: "0.00",
    output: "0.25",
    cached_input: "0.50",
    cache_write: "0.75",
    long_cache_write: "1.00",
    reasoning: "1.25",
    audio_input: "1.50",
    audio_output: "1.75",
    image_input: "2.00",
    image_output: "2.25",
    per_request: "0.001",
    tiers: [{ above_prompt_tokens: 200_000, input: "9.00", output: "10.00", cached_input: "0.000000001" }],
    unit: "USD per 1M tokens",
  });
  assert.deepEqual(shown({ price: dollars(1n, 2n) }).pricing, {
    input: "1.00",
    output: "2.00",
    unit: "USD per 1M tokens",
  });
});

test("a schedule is shown until its time and is the price from then on, without the catalog being loaded again", () => {
  const priceRows = [
    { id: 1, validFrom: 0, price: dollars(1n, 2n) },
    { id: 2, validFrom: noon + 1, price: dollars(3n, 4n) },
  ];
  const model = { price: dollars(1n, 2n), priceRows };
  assert.deepEqual(shown(model).pricing, {
    input: "1.00",
    output: "2.00",
    unit: "USD per 1M tokens",
    scheduled: [{ valid_from: "2026-11-21T12:00:00.001Z", input: "3.00", output: "4.00" }],
  });
  const after = { input: "3.00", output: "4.00", unit: "USD per 1M tokens" };
  assert.deepEqual(shown(model, noon + 1).pricing, after);
  const { priceRows: _, ...withoutRows } = {
    ...model,
    scheduledPrices: [{ validFrom: noon + 1, price: dollars(3n, 4n) }],
  };
  assert.deepEqual(shown(withoutRows, noon + 1).pricing, after);
});

test("no price now is no pricing, and an explicit 0 is a price", () => {
  const unpriced = shown({ priceRows: [{ id: 1, validFrom: 0, price: undefined }] });
  assert.equal(unpriced.pricing, null);
  assert.equal(unpriced.status, "unpriced");
  assert.equal(shown({ price: dollars(0n, 0n) }).pricing?.input, "0.00");
  assert.equal(shown({ price: dollars(0n, 0n) }).status, "unavailable");
});
