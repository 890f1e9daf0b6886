import assert from "node:assert/strict";
import { test } from "node:test";
import { detailLines } from "./detail.ts";

test("nested details become lines with the way to them", () => {
  const detail = {
    name: "Acme",
    limits: { concurrency: null, requestsPerMinute: 5 },
    scopes: ["a", "b"],
    isNew: true,
  };
  assert.deepEqual(detailLines(detail), [
    ["name", "Acme"],
    ["limits.concurrency", null],
    ["limits.requestsPerMinute", 5],
    ["scopes", "a, b"],
    ["isNew", true],
  ]);
  assert.deepEqual(detailLines(null), []);
});

test("deep and long details stay bounded", () => {
  assert.deepEqual(detailLines({ a: { b: { c: { d: { e: 1 } } } } }), [["a.b.c.d", '{"e":1}']]);
  const long = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`n${at}`, at]));
  assert.equal(detailLines(long).length, 60);
});
