import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { noUsage, type Usage } from "@plaza/contract/usage.ts";
import { addCosts, costOf, noCost } from "./cost.ts";

const usage: Usage = { ...noUsage, input: 10, cachedInput: 4, output: 5 };

test("a cost is computed like a charge, in every class, with what is billed per request", () => {
  const cost = {
    input: parseUsd("1"),
    output: parseUsd("2"),
    cachedInput: parseUsd("0.5"),
    perRequest: parseUsd("0.1"),
  };
  assert.equal(costOf(usage, cost), 100_022_000n);
  assert.equal(costOf(noUsage, cost), 100_000_000n);
});

test("nothing used costs nothing, whatever is known; what was used without a cost is unknown, zero tokens too", () => {
  const free = { input: nanoUsd(0n), output: nanoUsd(0n) };
  assert.equal(costOf(undefined, undefined), 0n);
  assert.equal(costOf(undefined, { ...free, perRequest: nanoUsd(7n) }), 0n);
  assert.equal(costOf(usage, undefined), null);
  assert.equal(costOf(noUsage, undefined), null);
  assert.equal(costOf(usage, free), 0n);
});

test("a sum is unknown when a part of it is, or when no column could hold it", () => {
  const most = nanoUsd(2n ** 63n - 1n);
  assert.equal(addCosts(nanoUsd(2n), nanoUsd(3n)), 5n);
  assert.equal(addCosts(null, noCost), null);
  assert.equal(addCosts(noCost, null), null);
  assert.equal(addCosts(most, noCost), most);
  assert.equal(addCosts(most, nanoUsd(1n)), null);
});
