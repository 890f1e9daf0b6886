/** Places of models in the chart of price and speed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlazaModel } from "../models.ts";
import { layoutOf, linearTicks, logTicks, type Plotted, plotted, qualityOf } from "./points.ts";

const model = (id: string, change: Partial<PlazaModel> = {}): PlazaModel => ({
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
  price: { input: "1.00", output: "2.00" },
  scheduledPrices: [],
  myLimits: { requestsPerMinute: null, tokensPerMinute: null, concurrency: null },
  health: {
    requests: 9,
    successRate: 0.97,
    counted: 9,
    firstTokenMs: { p50: 400, p95: 900 },
    outputTokensPerSecond: null,
  },
  ...change,
});

const point = (id: string, price: number, speed: number): Plotted => ({
  model: model(id),
  price,
  speed,
  quality: "high",
});
const size = { width: 800, height: 400 };

test("only what has a price and was measured is plotted, on the axes asked for", () => {
  const models = [model("a"), model("unpriced", { price: null }), model("unused", { health: null })];
  assert.deepEqual(
    plotted(models, "output", "first").map(({ model: one, price, speed, quality }) => [
      one.id,
      price,
      speed,
      quality,
    ]),
    [["a", 2, 400, "middle"]],
  );
  assert.equal(plotted(models, "input", "speed").length, 0);
});

test("success rates have three classes, and unknown is none of them", () => {
  assert.deepEqual([1, 0.99, 0.98, 0.95, 0.9, null].map(qualityOf), [
    "high",
    "high",
    "middle",
    "middle",
    "low",
    "unknown",
  ]);
});

test("ten times the price is the same way on the axis; faster is higher", () => {
  const { points } = layoutOf([point("c", 10, 50), point("a", 0.1, 10), point("b", 1, 100)], size);
  const [a, b, c] = points;
  assert.deepEqual([a?.model.id, b?.model.id, c?.model.id], ["a", "b", "c"]);
  assert.ok(Math.abs((b?.x ?? 0) - (a?.x ?? 0) - ((c?.x ?? 0) - (b?.x ?? 0))) < 0.001);
  assert.ok((b?.y ?? 0) < (c?.y ?? 0) && (c?.y ?? 0) < (a?.y ?? 0));
});

test("what is free stands apart, left of every price", () => {
  const { points, freeX } = layoutOf([point("paid", 0.01, 5), point("free", 0, 5)], size);
  assert.equal(points[0]?.model.id, "free");
  assert.equal(points[0]?.x, freeX);
  assert.ok((points[1]?.x ?? 0) > (freeX ?? 0));
  assert.equal(layoutOf([point("paid", 1, 5)], size).freeX, null);
});

test("everything lies inside, also one point, equal points, and nothing at all", () => {
  for (const points of [[], [point("a", 3, 0)], [point("a", 3, 7), point("b", 3, 7)]]) {
    const layout = layoutOf(points, size);
    for (const { x, y } of layout.points) {
      assert.ok(x >= layout.area.left && x <= layout.area.right);
      assert.ok(y >= layout.area.top && y <= layout.area.bottom);
    }
  }
});

test("names do not overlap: the later one is left out where there is no room", () => {
  const crowd = Array.from({ length: 40 }, (_, at) => point(`a-long-name-${at}`, 1 + at / 1_000, 50));
  const { points } = layoutOf(crowd, size);
  const shown = points.filter(({ label }) => label !== null);
  assert.ok(shown.length > 0 && shown.length < 40);
  assert.ok(layoutOf([point("alone", 1, 1)], size).points[0]?.label !== null);
});

test("ticks are round", () => {
  assert.deepEqual(logTicks(0.09, 3), [0.1, 0.2, 0.5, 1, 2]);
  assert.deepEqual(logTicks(0.001, 100), [0.001, 0.01, 0.1, 1, 10, 100]);
  assert.deepEqual(linearTicks(93), [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(linearTicks(0.4), [0, 0.1, 0.2, 0.3, 0.4]);
});
