/** The arithmetic of a preview: exact, rounded once, and silent where something is unknown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { amountAt, percentText, rateEffect, scaledPrice } from "./effect.ts";

const none = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  requests: 0,
};

test("a price is scaled whole: every rate, the request, every tier, and nothing else", () => {
  const price = {
    input: "0.25",
    output: "2",
    cachedInput: "0.025",
    perRequest: "0.001",
    tiers: [{ abovePromptTokens: 1_000, input: "0.5", output: "4" }],
  };
  assert.deepEqual(scaledPrice(price, "110"), {
    input: "0.275",
    output: "2.2",
    cachedInput: "0.0275",
    perRequest: "0.0011",
    tiers: [{ abovePromptTokens: 1_000, input: "0.55", output: "4.4" }],
  });
  assert.deepEqual(scaledPrice({ input: "0.000000003", output: "0" }, "50"), {
    input: "0.000000002",
    output: "0",
  });
  // 0.1 + 0.2 in floats would not be 0.3.
  assert.equal(scaledPrice({ input: "0.1", output: "0.3" }, "300")?.input, "0.3");
  for (const percent of ["", "x", "-5", "1e3"]) assert.equal(scaledPrice(price, percent), undefined);
});

test("a hundred percent changes nothing", () => {
  const nanos = fc.bigInt({ min: 0n, max: 10n ** 15n });
  fc.assert(
    fc.property(nanos, (amount) => {
      const input = `${amount / 1_000_000_000n}.${(amount % 1_000_000_000n).toString().padStart(9, "0")}`;
      const scaled = scaledPrice({ input, output: "1" }, "100")?.input ?? "";
      assert.equal(Number(scaled), Number(input));
      assert.ok(!scaled.endsWith("0") || !scaled.includes("."));
    }),
  );
});

test("shares have one decimal and a sign, rounded half away from zero", () => {
  assert.equal(percentText(125n, 1_000n), "+12.5");
  assert.equal(percentText(-1n, 3n), "−33.3");
  assert.equal(percentText(-5n, 10_000n), "−0.1");
  assert.equal(percentText(0n, 7n), "+0.0");
  assert.equal(percentText(1n, 0n), null);
});

test("a rate is compared with the old one and with what the upstream charges", () => {
  assert.deepEqual(rateEffect("2", "2.5", "2"), { change: "+25.0", markup: "+25.0", isLoss: false });
  assert.deepEqual(rateEffect("2", "1", "1.25"), { change: "−50.0", markup: "−20.0", isLoss: true });
  assert.deepEqual(rateEffect(null, "1", null), { change: null, markup: null, isLoss: false });
  assert.deepEqual(rateEffect("0", "x", "1"), { change: null, markup: null, isLoss: false });
});

test("tokens cost their own rate or what it falls back to, rounded up once", () => {
  const used = {
    inputTokens: 1_000_000,
    cachedInputTokens: 2_000_000,
    cacheWriteTokens: 1_000_000,
    outputTokens: 1_000_000,
    reasoningTokens: 400_000,
    requests: 3,
  };
  assert.equal(amountAt({ input: "1", output: "10" }, used), 14_000_000_000n);
  const price = {
    input: "1",
    output: "10",
    cachedInput: "0.1",
    cacheWrite: "2",
    reasoning: "20",
    perRequest: "0.5",
  };
  assert.equal(amountAt(price, used), 18_700_000_000n);
  assert.equal(amountAt({ input: "0.000000001", output: "0" }, { ...none, inputTokens: 1 }), 1n);
  assert.equal(amountAt(price, { ...none, reasoningTokens: 5 }), 0n);
});
