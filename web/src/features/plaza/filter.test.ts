/** Filters, orders and counts over models with unknown facts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { countValues, findModels, type PlazaModel, plazaDefaults, similarModels } from "./filter.ts";

function modelOf(id: string, change: Partial<PlazaModel> = {}): PlazaModel {
  return {
    id,
    name: id,
    family: null,
    description: null,
    descriptionMessage: null,
    createdAt: null,
    context: null,
    maxOutput: null,
    modalities: null,
    capabilities: null,
    operations: ["chat"],
    deprecatedAt: null,
    status: "available",
    price: null,
    scheduledPrices: [],
    myLimits: { requestsPerMinute: null, tokensPerMinute: null, concurrency: null },
    health: null,
    ...change,
  };
}

const health = (requests: number, p50: number) => ({
  requests,
  successRate: 1,
  counted: requests,
  firstTokenMs: { p50, p95: p50 },
  outputTokensPerSecond: null,
});

const models = [
  modelOf("a/large", {
    name: "Àlpha Large",
    family: "Alpha",
    context: 200_000,
    modalities: { input: ["text", "image"], output: ["text"] },
    capabilities: ["tools", "vision"],
    price: { input: "10.00", output: "30.00" },
    createdAt: "2026-01-01T00:00:00.000Z",
    health: health(5, 900),
  }),
  modelOf("b-small", {
    name: "Beta",
    family: "Beta",
    description: "Fast and cheap",
    context: 8_000,
    modalities: { input: ["text"], output: ["text"] },
    capabilities: [],
    price: { input: "9.50", output: "0.00" },
    createdAt: "2026-05-01T00:00:00.000Z",
    health: health(50, 100),
  }),
  modelOf("c-unknown", { status: "unpriced" }),
];

const ids = (change: Partial<typeof plazaDefaults>): string[] =>
  findModels(models, { ...plazaDefaults, ...change }).map(({ id }) => id);

test("search finds all words in id, name, family and description, without accents and case", () => {
  assert.deepEqual(ids({ q: "alpha LARGE" }), ["a/large"]);
  assert.deepEqual(ids({ q: "cheap fast" }), ["b-small"]);
  assert.deepEqual(ids({ q: "alpha beta" }), []);
  assert.deepEqual(ids({}), ["a/large", "b-small", "c-unknown"]);
});

test("operations are any of", () => {
  const some = [
    { ...(models[0] as PlazaModel), operations: ["embeddings" as const] },
    { ...(models[1] as PlazaModel), operations: ["chat" as const, "completion" as const] },
  ];
  const found = (...operation: string[]) =>
    findModels(some, { ...plazaDefaults, operation }).map(({ id }) => id);
  assert.deepEqual(found(), ["a/large", "b-small"]);
  assert.deepEqual(found("embeddings"), ["a/large"]);
  assert.deepEqual(found("completion", "rerank"), ["b-small"]);
  assert.deepEqual(found("speech"), []);
});

test("families are any of, modalities and capabilities all of; unknown matches none", () => {
  assert.deepEqual(ids({ family: ["Alpha", "?"] }), ["a/large", "c-unknown"]);
  assert.deepEqual(ids({ in: ["text"] }), ["a/large", "b-small"]);
  assert.deepEqual(ids({ in: ["text", "image"] }), ["a/large"]);
  assert.deepEqual(ids({ out: ["audio"] }), []);
  assert.deepEqual(ids({ can: ["vision", "tools"] }), ["a/large"]);
  assert.deepEqual(ids({ available: "1" }), ["a/large", "b-small"]);
});

test("a status is any of those asked for, by its word of an earlier version too; what can be called now may be degraded", () => {
  const some = (["available", "degraded", "down", "unpriced"] as const).map((status) =>
    modelOf(status, { status }),
  );
  const found = (change: Partial<typeof plazaDefaults>) =>
    findModels(some, { ...plazaDefaults, ...change }).map(({ id }) => id);
  assert.deepEqual(found({ status: ["down"] }), ["down"]);
  assert.deepEqual(found({ status: ["unavailable", "unpriced"] }), ["down", "unpriced"]);
  assert.deepEqual(found({ available: "1" }), ["available", "degraded"]);
});

test("context at least, price at most, compared as amounts and not as texts", () => {
  assert.deepEqual(ids({ context: "128000" }), ["a/large"]);
  assert.deepEqual(ids({ maxin: "9.5" }), ["b-small"]);
  assert.deepEqual(ids({ maxin: "10" }), ["a/large", "b-small"]);
  assert.deepEqual(ids({ maxout: "0" }), ["b-small"]);
  assert.deepEqual(ids({ maxin: "cheap" }), ["a/large", "b-small", "c-unknown"]);
});

test("orders put what is not known last", () => {
  assert.deepEqual(ids({ sort: "input" }), ["b-small", "a/large", "c-unknown"]);
  assert.deepEqual(ids({ sort: "context" }), ["a/large", "b-small", "c-unknown"]);
  assert.deepEqual(ids({ sort: "newest" }), ["b-small", "a/large", "c-unknown"]);
  assert.deepEqual(ids({ sort: "used" }), ["b-small", "a/large", "c-unknown"]);
  assert.deepEqual(ids({ sort: "fast" }), ["b-small", "a/large", "c-unknown"]);
  assert.deepEqual(ids({ sort: "toString" }), ["a/large", "b-small", "c-unknown"]);
});

test("values are counted once a model", () => {
  assert.deepEqual(
    countValues(models, (model) => model.modalities?.input ?? []),
    [
      { value: "text", count: 2 },
      { value: "image", count: 1 },
    ],
  );
});

test("a mistyped id finds its neighbours", () => {
  assert.deepEqual(
    similarModels(models, "b_smal").map(({ id }) => id),
    ["b-small"],
  );
  assert.deepEqual(similarModels(models, "zzz"), []);
});
