import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { filterModels } from "./filters.ts";

const model = (id: string, change: Partial<ShownModelDocument> = {}): ShownModelDocument => ({
  id,
  name: id,
  description: null,
  family: null,
  context: null,
  maxOutput: null,
  modalities: null,
  capabilities: null,
  operations: ["chat"],
  deprecated: null,
  price: { input: "1", output: "1" },
  scheduledPrices: [],
  deployments: [
    {
      upstream: "main",
      model: `up-${id}`,
      priority: 1,
      weight: 1,
      cost: null,
      timeouts: null,
      formats: null,
    },
  ],
  limits: { requestsPerMinute: null, tokensPerMinute: null, concurrency: null },
  fallbacks: [],
  hedge: null,
  disabled: false,
  status: "available",
  createdAt: null,
  source: "console",
  revision: 1,
  ...change,
});

const all = { q: "", source: [], status: [], upstream: [], operation: [], sort: "" };
const models = [
  model("b", { price: { input: "0.000000002", output: "1" } }),
  model("a", { price: null, status: "unpriced", source: "file" }),
  model("c", { price: { input: "0.000000001", output: "1" }, family: "Halo Labs" }),
];
const ids = (filters: Partial<Parameters<typeof filterModels>[1]>) =>
  filterModels(models, { ...all, ...filters }).map(({ id }) => id);

test("filters of one kind join by or, kinds and words by and", () => {
  assert.deepEqual(ids({}), ["a", "b", "c"]);
  assert.deepEqual(ids({ source: ["file", "console"] }), ["a", "b", "c"]);
  assert.deepEqual(ids({ source: ["console"], status: ["unpriced"] }), []);
  const disabled = model("d", { status: "disabled", disabled: true });
  assert.deepEqual(filterModels([...models, disabled], { ...all, status: ["disabled"] }), [disabled]);
  assert.deepEqual(ids({ q: "halo LABS" }), ["c"]);
  assert.deepEqual(ids({ q: "up-b" }), ["b"]);
  assert.deepEqual(ids({ upstream: ["other"] }), []);
  assert.deepEqual(ids({ operation: ["embeddings"] }), []);
  assert.deepEqual(ids({ operation: ["embeddings", "chat"] }), ids({}));
});

test("prices are compared exactly, and what has none comes last both ways", () => {
  assert.deepEqual(ids({ sort: "cheap" }), ["c", "b", "a"]);
  assert.deepEqual(ids({ sort: "dear" }), ["b", "c", "a"]);
});
