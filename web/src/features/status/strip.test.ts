import assert from "node:assert/strict";
import { test } from "node:test";
import { countsOf, pathOf, statesOf } from "./strip.ts";

test("letters are states, and one of a later version is no request", () => {
  assert.deepEqual(statesOf("-adx?"), ["none", "available", "degraded", "down", "none"]);
});

test("states are counted, best first, without those that are not there", () => {
  assert.deepEqual(countsOf("--aaax"), [
    ["available", 3],
    ["down", 1],
    ["none", 2],
  ]);
  assert.deepEqual(countsOf(""), []);
});

test("a state's half hours are drawn at their places, the better the higher", () => {
  assert.equal(pathOf("ada", "available"), "M0 0h4v20h-4zM10 0h4v20h-4z");
  assert.equal(pathOf("ada", "degraded"), "M5 7h4v13h-4z");
  assert.equal(pathOf("ada", "down"), "");
});
