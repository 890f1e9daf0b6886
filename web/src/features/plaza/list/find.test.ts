/** Filters, orders and counts over models with unknown facts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlazaModel } from "../models.ts";
import { similarModels } from "../search/similar.ts";
import { findModels } from "./find.ts";
import { isAscending, nextOrder, orderOf } from "./order.ts";
import { cleared, countFilters, plazaDefaults } from "./state.ts";

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
  findModels(models, { ...plazaDefaults, ...change }).found.map(({ id }) => id);

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
    findModels(some, { ...plazaDefaults, operation }).found.map(({ id }) => id);
  assert.deepEqual(found(), ["a/large", "b-small"]);
  assert.deepEqual(found("embeddings"), ["a/large"]);
  assert.deepEqual(found("completion", "rerank"), ["b-small"]);
  assert.deepEqual(found("speech"), []);
});

test("values of a facet are alternatives, facets must all match; unknown matches none", () => {
  assert.deepEqual(ids({ family: ["Alpha", "?"] }), ["a/large", "c-unknown"]);
  assert.deepEqual(ids({ maker: ["Beta", "?"] }), ["b-small", "c-unknown"]);
  assert.deepEqual(ids({ in: ["text"] }), ["a/large", "b-small"]);
  assert.deepEqual(ids({ in: ["text", "image"] }), ["a/large", "b-small"]);
  assert.deepEqual(ids({ in: ["text"], can: ["vision"] }), ["a/large"]);
  assert.deepEqual(ids({ out: ["audio"] }), []);
  assert.deepEqual(ids({ available: "1" }), ["a/large", "b-small"]);
  assert.deepEqual(ids({ measured: "1" }), ["a/large", "b-small"]);
  assert.deepEqual(ids({ price: ["10", "more"] }), ["a/large", "b-small"]);
  assert.deepEqual(ids({ price: ["more"] }), []);
});

test("a facet can ask for every chosen value", () => {
  assert.deepEqual(ids({ in: ["text", "image"], every: ["in"] }), ["a/large"]);
  assert.deepEqual(ids({ can: ["vision", "tools"], every: ["can"] }), ["a/large"]);
  assert.deepEqual(ids({ can: ["vision", "json"], every: ["can"] }), []);
});

test("what is deprecated by now can be left out", () => {
  const some = [modelOf("old", { deprecatedAt: "2020-01-01T00:00:00.000Z" }), modelOf("new")];
  const { found, facets } = findModels(some, { ...plazaDefaults, current: "1" });
  assert.deepEqual(
    found.map(({ id }) => id),
    ["new"],
  );
  assert.equal(facets.flags.current, 1);
});

const countsOf = (change: Partial<typeof plazaDefaults>, name: "maker" | "in" | "can" | "status") =>
  Object.fromEntries(
    findModels(models, { ...plazaDefaults, ...change }).facets.values[name].map(({ value, count }) => [
      value,
      count,
    ]),
  );

test("counts say what would be shown: a facet's own choice does not lower them, all others do", () => {
  assert.deepEqual(countsOf({}, "maker"), { "?": 1, Alpha: 1, Beta: 1 });
  assert.deepEqual(countsOf({ maker: ["Alpha"] }, "maker"), { "?": 1, Alpha: 1, Beta: 1 });
  assert.deepEqual(countsOf({ maker: ["Alpha"] }, "in"), { text: 1, image: 1 });
  assert.deepEqual(countsOf({ q: "beta" }, "in"), { text: 1, image: 0 });
  assert.deepEqual(countsOf({ maker: ["Alpha"], in: ["image"] }, "maker"), { "?": 0, Alpha: 1, Beta: 0 });
  assert.deepEqual(countsOf({ in: ["image"], every: ["in"] }, "in"), { text: 1, image: 1 });
});

test("a value that only the link knows is offered, to be unchecked", () => {
  assert.deepEqual(countsOf({ maker: ["Gone"] }, "maker"), { "?": 1, Alpha: 1, Beta: 1, Gone: 0 });
});

test("ranges of prices are offered from the lowest, however many models have them", () => {
  const priced = ["30", "30", "30", "0.1", "0", "1", "1"].map((input, at) =>
    modelOf(`m${at}`, { price: { input, output: "1" } }),
  );
  const { price } = findModels(priced, plazaDefaults).facets.values;
  assert.deepEqual(
    price.map(({ value }) => value),
    ["0", "0.5", "2", "more"],
  );
});

test("counts of contexts and switches", () => {
  const { facets } = findModels(models, { ...plazaDefaults, maxin: "9.5" });
  assert.deepEqual(facets.context, { 8000: 1, 32000: 0, 128000: 0, 200000: 0, 1000000: 0 });
  assert.deepEqual(facets.flags, { available: 1, current: 1, measured: 1 });
});

test("clearing keeps order, view and comparison; only filters are counted", () => {
  const state = { ...plazaDefaults, q: "x", maker: ["A", "B"], current: "1", sort: "name", compare: ["m"] };
  assert.equal(countFilters(state), 3);
  assert.deepEqual(cleared(state), { ...plazaDefaults, sort: "name", compare: ["m"] });
});

test("a status is any of those asked for, by its word of an earlier version too; what can be called now may be degraded", () => {
  const some = (["available", "degraded", "down", "unpriced"] as const).map((status) =>
    modelOf(status, { status }),
  );
  const found = (change: Partial<typeof plazaDefaults>) =>
    findModels(some, { ...plazaDefaults, ...change }).found.map(({ id }) => id);
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

test("an order is turned around with unknown ones last all the same, and then taken back", () => {
  assert.deepEqual(ids({ sort: "-input" }), ["a/large", "b-small", "c-unknown"]);
  assert.deepEqual(ids({ sort: "-context" }), ["b-small", "a/large", "c-unknown"]);
  assert.deepEqual(ids({ sort: "-maker" }), ["b-small", "a/large", "c-unknown"]);
  assert.deepEqual(
    ["", "input", "-input", "name"].map((text) => nextOrder(text, "input")),
    ["input", "-input", "", "input"],
  );
  const ascending = (text: string) => isAscending(orderOf(text) ?? { name: "id", isReversed: false });
  assert.deepEqual(["input", "-input", "context", "-context"].map(ascending), [true, false, false, true]);
});

test("a search has the best match first, unless another order is asked for", () => {
  const some = [modelOf("x-pro-max"), modelOf("pro-two"), modelOf("pro")];
  const found = (sort: string) =>
    findModels(some, { ...plazaDefaults, q: "pro", sort }).found.map(({ id }) => id);
  assert.deepEqual(found(""), ["pro", "pro-two", "x-pro-max"]);
  assert.deepEqual(found("-id"), ["x-pro-max", "pro-two", "pro"]);
});

test("a mistyped id finds its neighbours", () => {
  assert.deepEqual(
    similarModels(models, "b_smal").map(({ id }) => id),
    ["b-small"],
  );
  assert.deepEqual(similarModels(models, "zzz"), []);
});
