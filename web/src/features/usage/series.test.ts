/** Series of charts: nothing is lost between the days, the stacks and the total. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chartOf,
  fieldSeries,
  measureSeries,
  percentileSeries,
  restSeries,
  thingSeries,
  topOf,
  type UsageRow,
} from "./series.ts";

function row(changes: Partial<UsageRow>): UsageRow {
  return {
    day: null,
    model: null,
    key: null,
    keyName: null,
    account: null,
    accountName: null,
    operation: null,
    requests: 1,
    complete: 1,
    incomplete: 0,
    aborted: 0,
    failed: 0,
    inputTokens: 10,
    cachedInputTokens: 1,
    cacheWriteTokens: 2,
    outputTokens: 5,
    reasoningTokens: 3,
    charge: "0.10",
    loss: "0",
    firstTokenMs: null,
    durationMs: 100,
    ...changes,
  };
}

const days = ["2026-11-19", "2026-11-20", "2026-11-21"];

test("days without requests are 0, mean times then have a gap", () => {
  const rows = [row({ day: "2026-11-20", firstTokenMs: 42 })];
  assert.deepEqual(measureSeries(days, rows, "requests").heights, [0, 1, 0]);
  assert.deepEqual(measureSeries(days, rows, "tokens").heights, [0, 18, 0]);
  assert.deepEqual(measureSeries(days, rows, "charge"), { heights: [0, 0.1, 0], texts: ["0", "0.10", "0"] });
  assert.deepEqual(fieldSeries(days, rows, "outputTokens").heights, [0, 5, 0]);
  const times = { count: 1, p50: 42, p75: 42, p90: 42, p95: 43, p99: 43 };
  const group = { id: "2026-11-20", name: null, firstToken: times, duration: { ...times, p95: 99 } };
  const of = (day: string) => (day === group.id ? group : undefined);
  assert.deepEqual(percentileSeries(days, of, "firstToken", "p50").heights, [null, 42, null]);
  assert.deepEqual(percentileSeries(days, of, "duration", "p95").heights, [null, 99, null]);
});

test("what has no colour of its own is the exact rest of the total", () => {
  const total = [
    row({ day: "2026-11-19", charge: "0.300000001", requests: 3 }),
    row({ day: "2026-11-21", charge: "0.2", requests: 2 }),
  ];
  const parts = [
    row({ day: "2026-11-19", model: "a", charge: "0.1" }),
    row({ day: "2026-11-19", model: "b", charge: "0.2" }),
    row({ day: "2026-11-21", model: "a", charge: "0.2", requests: 2 }),
  ];
  const things = [
    { id: "a", label: "A" },
    { id: "b", label: "B" },
  ];
  const charges = thingSeries(days, parts, things, (one) => one.model, "charge");
  assert.deepEqual(charges[0]?.texts, ["0.1", "0", "0.2"]);
  const rest = restSeries(measureSeries(days, total, "charge"), charges, "charge");
  assert.deepEqual(rest?.texts, ["0.000000001", "0", "0"]);
  const requests = thingSeries(days, parts, things, (one) => one.model, "requests");
  assert.deepEqual(
    restSeries(measureSeries(days, total, "requests"), requests, "requests")?.heights,
    [1, 0, 0],
  );
  assert.equal(
    restSeries(measureSeries(days, parts.slice(1, 3), "requests"), requests, "requests"),
    undefined,
  );
});

test("the highest charges have colours of their own, eight at most", () => {
  const rows = Array.from({ length: 9 }, (_, at) => row({ model: `m${at}`, charge: `0.0${at}` }));
  const nameOf = (one: UsageRow) => ({ id: one.model ?? "", label: one.model ?? "" });
  assert.deepEqual(
    topOf(rows, nameOf).map(({ id }) => id),
    ["m8", "m7", "m6", "m5", "m4", "m3", "m2"],
  );
  assert.equal(topOf(rows.slice(0, 8), nameOf).length, 8);
});

test("a URL always gives a measure and a split that go together", () => {
  assert.deepEqual(chartOf("", ""), { measure: "charge", split: "model" });
  assert.deepEqual(chartOf("tokens", "class"), { measure: "tokens", split: "class" });
  assert.deepEqual(chartOf("charge", "class"), { measure: "charge", split: "model" });
  assert.deepEqual(chartOf("requests", "operation"), { measure: "requests", split: "operation" });
  assert.deepEqual(chartOf("latency", "key"), { measure: "latency", split: "none" });
});
