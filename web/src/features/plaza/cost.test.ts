/** The arithmetic of the server's charges, on the page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { chargeFor } from "../../../../server/src/domain/money/price.ts";
import { nanosOf } from "../../format/money.ts";
import { costOf, estimateTokens, monthlyOf } from "./cost.ts";

const price = {
  input: "0.250000001",
  output: "2.00",
  cachedInput: "0.025",
  perRequest: "0.001",
  tiers: [{ abovePromptTokens: 1_000, input: "0.50", output: "4.00" }],
};

test("the same total as the server's charge, below and above a tier", () => {
  const nanos = (text: string) => nanoUsd(nanosOf(text) ?? 0n);
  const onServer = {
    input: nanos(price.input),
    output: nanos(price.output),
    cachedInput: nanos(price.cachedInput),
    perRequest: nanos(price.perRequest),
    tiers: [{ abovePromptTokens: 1_000, input: nanos("0.50"), output: nanos("4.00") }],
  };
  for (const [prompt, cached, output] of [
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 1],
    [1_000, 333, 77],
    [1_001, 500, 9_999],
    [123_457, 0, 1],
  ] as const) {
    const usage = { input: prompt - cached, cachedInput: cached, cacheWrite: 0, output, reasoning: 0 };
    const cost = costOf(price, { prompt, cached, output });
    assert.equal(nanosOf(cost.total), chargeFor(usage, onServer), `${prompt} ${cached} ${output}`);
    assert.equal(cost.tier, prompt > 1_000 ? 1_000 : null);
  }
});

test("several requests cost that many times one", () => {
  const cost = costOf(price, { prompt: 1_000_000, cached: 0, output: 1_000_000 }, 3);
  assert.equal(cost.input, "1.5");
  assert.equal(cost.output, "12");
  assert.equal(cost.perRequest, "0.003");
  assert.equal(cost.total, "13.503");
});

test("more cached than prompt, negative and fractional counts do no harm", () => {
  assert.equal(costOf({ input: "1", output: "1" }, { prompt: 10, cached: 99, output: -5 }).total, "0.00001");
  assert.equal(
    costOf({ input: "1", output: "1" }, { prompt: 1.9, cached: 0, output: Number.NaN }).total,
    "0.000001",
  );
});

test("estimates go by bytes", () => {
  assert.equal(estimateTokens(""), 0);
  assert.equal(estimateTokens("abcde"), 2);
  assert.equal(estimateTokens("汉字"), 2);
});

test("a month at a week's pace", () => {
  assert.equal(monthlyOf("0.7"), "3");
  assert.equal(monthlyOf("0.000000001"), "0.000000004");
});
