import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { emptyModel, emptyPrice, modelDocumentOf, modelFieldOf, modelValuesOf } from "./values.ts";

const full: ShownModelDocument = {
  id: "halo",
  name: "Halo",
  description: "Sees.",
  family: "Halo Labs",
  context: 1_048_576,
  maxOutput: 65_536,
  modalities: { input: ["text", "image"], output: ["text"] },
  capabilities: [],
  operations: ["chat", "completion"],
  deprecated: "2027-01-31T00:00:00.000Z",
  price: {
    input: "1.25",
    output: "10",
    cachedInput: "0.125",
    perRequest: "0.001",
    tiers: [{ abovePromptTokens: 200_000, input: "2.5", output: "15" }],
  },
  scheduledPrices: [{ validFrom: "2027-01-01T00:00:00.000Z", input: "1", output: "8" }],
  deployments: [
    {
      upstream: "main",
      model: "up-halo",
      priority: 1,
      weight: 0.5,
      cost: { input: "1", output: "8" },
      timeouts: null,
      formats: ["openai-responses"],
    },
    {
      upstream: "backup",
      model: "halo-2",
      priority: 2,
      weight: 1,
      cost: null,
      timeouts: { connectMs: 500, firstByteMs: 30_000, firstTokenMs: null, idleMs: null, totalMs: 900_000 },
      formats: null,
    },
  ],
  limits: { requestsPerMinute: 0, tokensPerMinute: null, concurrency: 7 },
  fallbacks: ["aurora"],
  hedge: { afterMs: 1_500 },
  disabled: true,
  status: "disabled",
  createdAt: null,
  source: "console",
  revision: 3,
};

test("a model that is opened and saved unchanged is sent as it was, midnights as days", () => {
  const { disabled: _____, status: _, createdAt: __, source: ___, revision: ____, ...document } = full;
  assert.deepEqual(modelDocumentOf(modelValuesOf(full)), {
    ...document,
    deprecated: "2027-01-31",
    scheduledPrices: [{ validFrom: "2027-01-01", input: "1", output: "8" }],
  });
});

test("unknown stays unknown: no modalities, no capabilities, no price, no name of its own", () => {
  const bare: ShownModelDocument = {
    ...full,
    name: "halo",
    modalities: null,
    capabilities: null,
    deprecated: null,
    price: null,
    scheduledPrices: [],
    hedge: null,
  };
  const sent = modelDocumentOf(modelValuesOf(bare));
  assert.deepEqual(
    [sent.name, sent.modalities, sent.capabilities, sent.deprecated, sent.price, sent.hedge],
    [null, null, null, null, null, null],
  );
});

test("an amount is sent as it was typed, and an empty one that is required still is, so that the server names it", () => {
  const price = { ...emptyPrice, rates: { ...emptyPrice.rates, input: " 0.1 " } };
  assert.deepEqual(modelDocumentOf({ ...emptyModel, price }).price, { input: "0.1", output: "" });
});

test("hedging by the model's own percentile has no time", () => {
  assert.deepEqual(modelDocumentOf({ ...emptyModel, hedge: "p95", hedgeAfter: 3 }).hedge, { afterMs: null });
  assert.equal(modelValuesOf({ ...full, hedge: { afterMs: null } }).hedge, "p95");
});

test("each path of the document leads to the field that shows it, and a field to itself", () => {
  const fields = {
    "limits.concurrency": "concurrency",
    "hedge.afterMs": "hedgeAfter",
    "modalities.input.0": "inputs.0",
    "price.input": "price.rates.input",
    "price.perRequest": "price.perRequest",
    "price.tiers.1.abovePromptTokens": "price.tiers.1.above",
    "price.tiers.1.audioOutput": "price.tiers.1.rates.audioOutput",
    "scheduledPrices.2": "scheduled.2",
    "scheduledPrices.2.validFrom": "scheduled.2.validFrom",
    "scheduledPrices.2.output": "scheduled.2.price.rates.output",
    "scheduledPrices.2.tiers.0.input": "scheduled.2.price.tiers.0.rates.input",
    "deployments.3": "deployments.3.model",
    "deployments.3.model": "deployments.3.model",
    "deployments.3.timeouts.firstTokenMs": "deployments.3.timers.firstToken",
    "deployments.3.cost.cachedInput": "deployments.3.cost.rates.cachedInput",
    "deployments.3.formats.1": "deployments.3.formats.1",
  };
  for (const [path, field] of Object.entries(fields)) {
    assert.equal(modelFieldOf(path), field);
    assert.equal(modelFieldOf(field), field);
  }
});
