/** The lines under a charge add up to what the server charges, for every price and usage. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Price } from "@plaza/contract/catalog.ts";
import { formatUsd, nanoUsd } from "@plaza/contract/money.ts";
import fc from "fast-check";
import { chargeFor } from "../../../../server/src/domain/money/price.ts";
import { nanosOf } from "../../format/money.ts";
import { type Charged, chargeSum, classTokens } from "./charge-lines.ts";

const used: Charged = {
  inputTokens: 1_000,
  cachedInputTokens: 200,
  cacheWriteTokens: 50,
  outputTokens: 301,
  reasoningTokens: 100,
  usageParts: { audioInput: 10, longCacheWrite: 20 },
};

test("each token is in one line only", () => {
  assert.deepEqual(classTokens(used), [
    { class: "input", tokens: 990 },
    { class: "audioInput", tokens: 10 },
    { class: "cachedInput", tokens: 200 },
    { class: "cacheWrite", tokens: 30 },
    { class: "longCacheWrite", tokens: 20 },
    { class: "output", tokens: 201 },
    { class: "reasoning", tokens: 100 },
  ]);
});

test("a sum is exact, and rounded up once", () => {
  const sum = chargeSum(used, { input: "0.25", output: "2.00", cachedInput: "0.025", perRequest: "0.001" });
  assert.deepEqual(
    sum.lines.map(({ class: name, rate, amount }) => [name, rate, amount]),
    [
      ["input", "0.25", "0.0002475"],
      ["audioInput", "0.25", "0.0000025"],
      ["cachedInput", "0.025", "0.000005"],
      ["cacheWrite", "0.25", "0.0000075"],
      ["longCacheWrite", "0.25", "0.000005"],
      ["output", "2.00", "0.000402"],
      ["reasoning", "2.00", "0.0002"],
    ],
  );
  assert.equal(sum.sum, "0.0008695");
  assert.equal(sum.isRounded, false);
  assert.equal(sum.charge, "0.0018695");
  const tiny = chargeSum({ ...used, inputTokens: 1, usageParts: {} }, { input: "0.000000001", output: "0" });
  assert.equal(tiny.isRounded, true);
  assert.equal(tiny.charge, "0.000000001");
});

const rate = fc.bigInt({ min: 0n, max: 200_000_000_000n }).map(nanoUsd);
const rates = fc.record(
  {
    input: rate,
    output: rate,
    cachedInput: rate,
    cacheWrite: rate,
    longCacheWrite: rate,
    reasoning: rate,
    audioInput: rate,
    audioOutput: rate,
    imageInput: rate,
    imageOutput: rate,
  },
  { requiredKeys: ["input", "output"] },
);
const tokens = fc.nat({ max: 3_000_000 });

/** A price as the API writes it. */
function shown<Value>(value: Value): Value {
  return JSON.parse(
    JSON.stringify(value, (_, one) => (typeof one === "bigint" ? formatUsd(nanoUsd(one)) : one)),
  );
}

test("any usage at any price costs what the server says", () => {
  const price = fc
    .tuple(
      rates,
      fc.array(fc.tuple(rates, fc.integer({ min: 1, max: 2_000_000 })), { maxLength: 3 }),
      fc.option(rate),
    )
    .map(([base, tiers, perRequest]): Price => {
      const sorted = tiers
        .map(([tier, abovePromptTokens]) => ({ ...tier, abovePromptTokens }))
        .sort((left, right) => left.abovePromptTokens - right.abovePromptTokens);
      return {
        ...base,
        ...(sorted.length > 0 && { tiers: sorted }),
        ...(perRequest !== null && { perRequest }),
      };
    });
  fc.assert(
    fc.property(
      price,
      fc.tuple(tokens, tokens, tokens, tokens, tokens, tokens, tokens, tokens),
      (given, counts) => {
        const [input, cachedInput, cacheWrite, output, reasoning, audioInput, imageOutput, longCacheWrite] =
          counts;
        const usage = {
          input,
          cachedInput,
          cacheWrite,
          output,
          reasoning,
          audioInput,
          imageOutput,
          longCacheWrite,
        };
        const sum = chargeSum(
          {
            inputTokens: input,
            cachedInputTokens: cachedInput,
            cacheWriteTokens: cacheWrite,
            outputTokens: output,
            reasoningTokens: reasoning,
            usageParts: { audioInput, imageOutput, longCacheWrite },
          },
          shown(given) as never,
        );
        assert.equal(nanosOf(sum.charge), chargeFor(usage, given));
      },
    ),
    { numRuns: 300 },
  );
});
