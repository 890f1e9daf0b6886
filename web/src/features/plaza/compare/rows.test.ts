/** Best values and differences of compared models. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { comparePath, type PlazaModel } from "../models.ts";
import { bestIn, compareRows, differingRows, type RowName, rowsFor } from "./rows.ts";

const plain: PlazaModel = {
  id: "plain",
  name: "Plain",
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
};

const health = (successRate: number | null, p50: number) => ({
  requests: 10,
  successRate,
  counted: 10,
  firstTokenMs: { p50, p95: 900 },
  outputTokensPerSecond: null,
});

const a = {
  ...plain,
  id: "a",
  context: 8_000,
  price: { input: "2.00", output: "4.00" },
  health: health(0.9, 300),
};
const b = {
  ...plain,
  id: "b",
  context: 128_000,
  price: { input: "10.00", output: "4.00", cachedInput: "1.00" },
  myLimits: { ...plain.myLimits, concurrency: 5 },
  health: health(null, 200),
};
const c = { ...plain, id: "c", context: 128_000 };

function best(name: RowName, ...models: PlazaModel[]): string[] {
  const row = compareRows.find((one) => one.name === name);
  assert.ok(row !== undefined);
  return [...bestIn(row, models)];
}

test("best is the largest or the smallest known value, compared as numbers; ties are all best", () => {
  assert.deepEqual(best("context", a, b, c), ["b", "c"]);
  assert.deepEqual(best("input", a, b, c), ["a"]);
  assert.deepEqual(best("firstTokenP50", a, b), ["b"]);
  assert.deepEqual(best("cachedInput", a, b), ["b"]);
});

test("no limit is the best limit", () => {
  assert.deepEqual(best("concurrency", a, b), ["a"]);
  assert.deepEqual(best("requestsPerMinute", a, b), []);
});

test("nothing is best where all are the same, or fewer than two are known", () => {
  assert.deepEqual(best("output", a, b, c), []);
  assert.deepEqual(best("success", a, b), []);
  assert.deepEqual(best("speed", a, b), []);
  assert.deepEqual(best("context", a), []);
  assert.deepEqual(best("id", a, b), []);
});

test("differences are the lines in which not all say the same", () => {
  const names = differingRows([a, b]).map(({ name }) => name);
  assert.ok(names.includes("context") && names.includes("input") && names.includes("concurrency"));
  assert.ok(!names.includes("output") && !names.includes("operations") && !names.includes("firstTokenP95"));
  assert.deepEqual(
    differingRows([a, { ...a, id: "z" }]).map(({ name }) => name),
    ["id"],
  );
});

test("prices are listed whole only where a model has more than the usual three rates", () => {
  const names = (models: readonly PlazaModel[]) => rowsFor(models).map(({ name }) => name);
  assert.ok(!names([a, b]).includes("prices"));
  const priced = { ...b, price: { ...b.price, perRequest: "0.01" } } as PlazaModel;
  assert.ok(names([a, priced]).includes("prices"));
});

test("the address of a comparison has every id as it is", () => {
  assert.equal(comparePath(["a/b", "c&d"]), "/compare?model=a%2Fb&model=c%26d");
});
