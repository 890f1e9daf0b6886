import assert from "node:assert/strict";
import { test } from "node:test";
import type { Price, PriceRow } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { noUsage, type Usage } from "@plaza/contract/usage.ts";
import { chargeFor, priceAt } from "./price.ts";
import { rateNames } from "./price-classes.ts";

const usage = (changes: Partial<Usage>): Usage => ({ ...noUsage, ...changes });

/**
 * Every class with its own rate in one decimal digit, so that a million tokens of a class show in its digit.
 */
const distinct: Price = {
  input: nanoUsd(1n),
  cachedInput: nanoUsd(10n),
  cacheWrite: nanoUsd(100n),
  longCacheWrite: nanoUsd(1_000n),
  output: nanoUsd(10_000n),
  reasoning: nanoUsd(100_000n),
  audioInput: nanoUsd(1_000_000n),
  imageInput: nanoUsd(10_000_000n),
  audioOutput: nanoUsd(100_000_000n),
  imageOutput: nanoUsd(1_000_000_000n),
};
const m = 1_000_000;

test("every token is priced in exactly one class", () => {
  const all = usage({
    input: 6 * m,
    audioInput: 2 * m,
    imageInput: 3 * m,
    cachedInput: 2 * m,
    cacheWrite: 5 * m,
    longCacheWrite: 2 * m,
    output: 14 * m,
    reasoning: 2 * m,
    audioOutput: 4 * m,
    imageOutput: 5 * m,
  });
  //                                 imgOut audOut imgIn audIn reas out  long write cached in
  assert.equal(chargeFor(all, distinct), 5_4_3_2_2_3_2_3_2_1n);
});

test("a class without a rate costs what its fallback does", () => {
  const price: Price = { input: nanoUsd(3n), output: nanoUsd(700n) };
  const every = [
    ["input", 3n],
    ["cachedInput", 3n],
    ["cacheWrite", 3n],
    ["output", 700n],
  ] as const;
  for (const [name, charge] of every) assert.equal(chargeFor(usage({ [name]: m }), price), charge, name);
  assert.equal(chargeFor(usage({ input: m, audioInput: m }), price), 3n);
  assert.equal(chargeFor(usage({ input: m, imageInput: m }), price), 3n);
  assert.equal(chargeFor(usage({ output: m, reasoning: m }), price), 700n);
  assert.equal(chargeFor(usage({ output: m, audioOutput: m }), price), 700n);
  assert.equal(chargeFor(usage({ output: m, imageOutput: m }), price), 700n);
  const write = { ...price, cacheWrite: nanoUsd(50n) };
  assert.equal(chargeFor(usage({ cacheWrite: m, longCacheWrite: m }), write), 50n);
});

test("an explicit 0 is a price, not a missing one", () => {
  const all = usage({
    input: 3 * m,
    audioInput: m,
    imageInput: m,
    cachedInput: m,
    cacheWrite: 2 * m,
    longCacheWrite: m,
    output: 4 * m,
    reasoning: m,
    audioOutput: m,
    imageOutput: m,
  });
  const whole = chargeFor(all, distinct);
  for (const name of rateNames) {
    const rate = distinct[name] ?? nanoUsd(0n);
    assert.equal(chargeFor(all, { ...distinct, [name]: nanoUsd(0n) }), whole - rate, name);
  }
});

test("rounds up once, over all classes together", () => {
  const price: Price = { input: nanoUsd(1n), output: nanoUsd(1n), cachedInput: nanoUsd(1n) };
  assert.equal(chargeFor(usage({ input: 1 }), price), 1n);
  assert.equal(chargeFor(usage({ input: 1, cachedInput: 1, output: 1 }), price), 1n);
  assert.equal(chargeFor(usage({ input: 500_000, output: 500_000 }), price), 1n);
  assert.equal(chargeFor(usage({ input: 500_000, output: 500_001 }), price), 2n);
});

test("the price per request is added after rounding, also to a request without tokens", () => {
  const price: Price = { input: nanoUsd(1n), output: nanoUsd(0n), perRequest: nanoUsd(1_000n) };
  assert.equal(chargeFor(usage({ input: 1 }), price), 1_001n);
  assert.equal(chargeFor(noUsage, price), 1_000n);
});

test("a tier begins above its size, counts the whole prompt and prices every token", () => {
  const price: Price = {
    input: nanoUsd(1n),
    output: nanoUsd(10n),
    cachedInput: nanoUsd(0n),
    perRequest: nanoUsd(7n),
    tiers: [
      { abovePromptTokens: 2 * m, input: nanoUsd(100n), output: nanoUsd(1_000n) },
      {
        abovePromptTokens: 4 * m,
        input: nanoUsd(10_000n),
        output: nanoUsd(100_000n),
        cachedInput: nanoUsd(1n),
      },
    ],
  };
  assert.equal(chargeFor(usage({ input: 2 * m, output: m }), price), 19n);
  const justAbove = usage({ input: m, cacheWrite: m / 2, cachedInput: m / 2 + 1, output: m });
  // Cached tokens have no rate in the first tier, so they cost its input rate, not the base's 0.
  assert.equal(chargeFor(justAbove, price), 100n + 50n + 51n + 1_000n + 7n);
  assert.equal(chargeFor(usage({ input: 4 * m }), price), 407n);
  assert.equal(chargeFor(usage({ input: 3 * m, cachedInput: 2 * m, output: m }), price), 130_009n);
});

test("parts larger than their whole are cut down to it", () => {
  assert.equal(chargeFor(usage({ input: m, audioInput: 5 * m, imageInput: 5 * m }), distinct), 1_000_000n);
  assert.equal(chargeFor(usage({ cacheWrite: m, longCacheWrite: 9 * m }), distinct), 1_000n);
  const output = { output: m, reasoning: 2 * m, audioOutput: 3 * m, imageOutput: 4 * m };
  assert.equal(chargeFor(usage(output), distinct), 100_000n);
});

test("never negative, whatever the counts", () => {
  const counts = { input: -5, cachedInput: -5, cacheWrite: -5, output: -5, reasoning: -5, audioInput: -5 };
  assert.equal(chargeFor(counts, distinct), 0n);
  assert.equal(chargeFor({ ...counts, output: m, reasoning: -m }, distinct), 10_000n);
});

test("the largest counts at the largest price still fit a signed 64-bit integer", () => {
  const most = nanoUsd(1_000_000n * 1_000_000_000n);
  const count = 1_000_000_000;
  const usageMax = usage({ input: count, cachedInput: count, cacheWrite: count, output: count });
  const charge = chargeFor(usageMax, { input: most, output: most, perRequest: most });
  assert.equal(charge, 4n * 10n ** 18n + 10n ** 15n);
  assert(charge < 2n ** 63n);
});

const rows: readonly PriceRow[] = [
  { id: 1, validFrom: 100, price: { input: nanoUsd(1n), output: nanoUsd(1n) } },
  { id: 2, validFrom: 200, price: undefined },
  { id: 4, validFrom: 300, price: { input: nanoUsd(4n), output: nanoUsd(4n) } },
  { id: 3, validFrom: 300, price: { input: nanoUsd(3n), output: nanoUsd(3n) } },
];

test("the price in force is the newest that has begun; of two that begin together, the one written last; before all, the first", () => {
  for (const [nowMs, id] of [
    [99, 1],
    [100, 1],
    [199, 1],
    [200, 2],
    [299, 2],
    [300, 4],
    [9_999, 4],
  ] as const) {
    assert.equal(priceAt(rows, nowMs)?.id, id, String(nowMs));
    assert.equal(priceAt(rows.toReversed(), nowMs)?.id, id, String(nowMs));
  }
  assert.equal(priceAt(rows.slice(2), 250)?.id, 4);
  assert.equal(priceAt([], 100), undefined);
});
