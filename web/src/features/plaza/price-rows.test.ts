/** Rows, tiers, "free", and what changed between two prices. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isFree, priceChange, priceRows } from "./price-rows.ts";

const tiered = {
  input: "1.00",
  output: "2.00",
  cachedInput: "0.10",
  tiers: [{ abovePromptTokens: 200_000, input: "2.00", output: "4.00", reasoning: "5.00" }],
};

test("a class is shown when any part of the price names it", () => {
  assert.deepEqual(priceRows(tiered), [
    { name: "input", rates: ["1.00", "2.00"] },
    { name: "cachedInput", rates: ["0.10", undefined] },
    { name: "output", rates: ["2.00", "4.00"] },
    { name: "reasoning", rates: [undefined, "5.00"] },
  ]);
});

test("free is an explicit zero of everything", () => {
  assert.equal(isFree({ input: "0.00", output: "0" }), true);
  assert.equal(isFree({ input: "0", output: "0", perRequest: "0.01" }), false);
  assert.equal(isFree({ input: "0", output: "0.000000001" }), false);
  assert.equal(
    isFree({ input: "0", output: "0", tiers: [{ abovePromptTokens: 1, input: "1", output: "0" }] }),
    false,
  );
});

test("differences name class and tier; the same amount written otherwise is none", () => {
  const next = { ...tiered, input: "1.0", cachedInput: "0.20", perRequest: "0.01" };
  assert.deepEqual(priceChange(tiered, next).differences, [
    { name: "cachedInput", part: 0, before: "0.10", after: "0.20" },
    { name: "perRequest", part: 0, before: undefined, after: "0.01" },
  ]);
  const dearer = {
    ...tiered,
    tiers: [{ abovePromptTokens: 200_000, input: "3.00", output: "4.00", reasoning: "5.00" }],
  };
  assert.deepEqual(priceChange(tiered, dearer), {
    differences: [{ name: "input", part: 1, before: "2.00", after: "3.00" }],
    hasOtherTiers: false,
  });
  assert.deepEqual(priceChange(tiered, { input: "1", output: "3", cachedInput: "0.1" }), {
    differences: [{ name: "output", part: 0, before: "2.00", after: "3" }],
    hasOtherTiers: true,
  });
});
