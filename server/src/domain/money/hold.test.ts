import assert from "node:assert/strict";
import { test } from "node:test";
import type { Price, Rates } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import fc from "fast-check";
import { affordableOutput, type HoldInput, holdFor, leastHoldFor, usefulOutputTokens } from "./hold.ts";
import { chargeFor } from "./price.ts";

/** From far below a nano-dollar per token to thousands. */
const rate = fc
  .oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 3_000_000n), fc.bigInt(0n, 100_000_000_000n))
  .map(nanoUsd);
const maybe = fc.option(rate, { nil: undefined });
const rates: fc.Arbitrary<Rates> = fc.record({
  input: rate,
  output: rate,
  cachedInput: maybe,
  cacheWrite: maybe,
  longCacheWrite: maybe,
  reasoning: maybe,
  audioInput: maybe,
  audioOutput: maybe,
  imageInput: maybe,
  imageOutput: maybe,
});
const tier = fc.record({ base: rates, abovePromptTokens: fc.integer({ min: 1, max: 3_000 }) });
const price: fc.Arbitrary<Price> = fc
  .record({ base: rates, perRequest: maybe, tiers: fc.array(tier, { maxLength: 3 }) })
  .map(({ base, perRequest, tiers }) => ({
    ...base,
    perRequest,
    tiers: tiers
      .toSorted((a, b) => a.abovePromptTokens - b.abovePromptTokens)
      .map(({ base: own, abovePromptTokens }) => ({ ...own, abovePromptTokens })),
  }));
const input: fc.Arbitrary<HoldInput> = fc.record({
  price,
  inputTokens: fc.integer({ min: 0, max: 4_000 }),
  outputTokens: fc.integer({ min: 0, max: 4_000 }),
  answers: fc.integer({ min: 1, max: 5 }),
  hasAudio: fc.constant(true),
  hasImages: fc.constant(true),
});

/** For a request without audio and images. */
const text = { hasAudio: false, hasImages: false };

/** A share of `whole`, for a number in [0, 1]. */
const shareOf = (whole: number, share: number): number => Math.floor(whole * share);
/** Often nothing or all, so that a class occurs alone. */
const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const shares = fc.array(share, { minLength: 10, maxLength: 10 });

/** A usage with at most the estimated prompt and output, split arbitrarily. */
function usageWithin({ inputTokens, outputTokens, answers }: HoldInput, parts: readonly number[]): Usage {
  const part = (place: number) => parts[place] as number;
  const prompt = shareOf(inputTokens, part(0));
  const cachedInput = shareOf(prompt, part(1));
  const cacheWrite = shareOf(prompt - cachedInput, part(2));
  const fresh = prompt - cachedInput - cacheWrite;
  const audioInput = shareOf(fresh, part(3));
  const output = shareOf(outputTokens * answers, part(4));
  const reasoning = shareOf(output, part(5));
  const audioOutput = shareOf(output - reasoning, part(6));
  return {
    input: fresh,
    cachedInput,
    cacheWrite,
    output,
    reasoning,
    audioInput,
    imageInput: shareOf(fresh - audioInput, part(7)),
    audioOutput,
    imageOutput: shareOf(output - reasoning - audioOutput, part(8)),
    longCacheWrite: shareOf(cacheWrite, part(9)),
  };
}

test("a hold covers whatever a request within its estimate may cost", () => {
  fc.assert(
    fc.property(input, shares, (each, parts) => {
      assert.ok(holdFor(each) >= chargeFor(usageWithin(each, parts), each.price));
    }),
    { numRuns: 1_000 },
  );
});

test("a hold is what the estimate costs, where there is one rate for each side", () => {
  const plain: Price = {
    input: nanoUsd(250_000_000n),
    output: nanoUsd(2_000_000_000n),
    perRequest: nanoUsd(7n),
  };
  const each = { price: plain, inputTokens: 100, outputTokens: 50, answers: 2, ...text };
  assert.equal(holdFor(each), 100n * 250n + 2n * 50n * 2_000n + 7n);
  const usage = { input: 100, cachedInput: 0, cacheWrite: 0, output: 100, reasoning: 0 };
  assert.equal(holdFor(each), chargeFor(usage, plain));
});

test("a tier that makes large prompts cheaper does not make the hold of a smaller one too small", () => {
  const cheaper = { input: nanoUsd(1_000_000n), output: nanoUsd(0n), abovePromptTokens: 1_000 };
  const each: Price = { input: nanoUsd(10_000_000n), output: nanoUsd(0n), tiers: [cheaper] };
  const usage = { input: 1_000, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 };
  const hold = holdFor({ price: each, inputTokens: 1_001, outputTokens: 0, answers: 1, ...text });
  assert.ok(hold >= chargeFor(usage, each), `${hold} held`);
});

test("output is cut to what is held, to the last token", () => {
  fc.assert(
    fc.property(input, fc.bigInt(0n, 2_000_000_000n), share, (each, some, near) => {
      const full = holdFor(each);
      // Amounts near the full hold are the most useful test cases.
      const held = near < 0.5 ? some : (full * BigInt(Math.round(near * 1_000))) / 1_000n;
      const tokens = affordableOutput(each, held);
      assert.ok(Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= each.outputTokens);
      if (held >= holdFor({ ...each, outputTokens: 0 })) {
        assert.ok(holdFor({ ...each, outputTokens: tokens }) <= held, "not more than was held");
      }
      if (tokens < each.outputTokens) {
        assert.ok(holdFor({ ...each, outputTokens: tokens + 1 }) > held, "one more would be too much");
      }
    }),
    { numRuns: 1_000 },
  );
});

test("a full hold pays for all that was asked, also at less than a nano-dollar per token", () => {
  fc.assert(
    fc.property(input, (each) => assert.equal(affordableOutput(each, holdFor(each)), each.outputTokens)),
    { numRuns: 1_000 },
  );
  const cheap: Price = { input: nanoUsd(500_000n), output: nanoUsd(400_000n) };
  assert.equal(
    affordableOutput({ price: cheap, inputTokens: 1, outputTokens: 1, answers: 1, ...text }, 1n),
    1,
  );
});

test("the least hold pays for a useful amount of output, or for all that was asked", () => {
  fc.assert(
    fc.property(input, (each) => {
      const least = leastHoldFor(each);
      assert.ok(least <= holdFor(each));
      const tokens = affordableOutput(each, least);
      assert.ok(tokens >= Math.min(each.outputTokens, usefulOutputTokens));
    }),
  );
});

test("rates of audio and images count only where those may occur", () => {
  const price: Price = {
    input: nanoUsd(1_000_000n),
    output: nanoUsd(2_000_000n),
    audioInput: nanoUsd(30_000_000n),
    imageOutput: nanoUsd(50_000_000n),
  };
  const each = { price, inputTokens: 1, outputTokens: 1, answers: 1 };
  assert.equal(holdFor({ ...each, hasAudio: false, hasImages: false }), 3n);
  assert.equal(holdFor({ ...each, hasAudio: true, hasImages: false }), 32n);
  assert.equal(holdFor({ ...each, hasAudio: false, hasImages: true }), 51n);
  assert.equal(holdFor({ ...each, hasAudio: true, hasImages: true }), 80n);
});

test("what costs nothing holds nothing", () => {
  const nothing: Price = { input: nanoUsd(0n), output: nanoUsd(0n) };
  const each = { price: nothing, inputTokens: 9, outputTokens: 9, answers: 1, ...text };
  assert.equal(holdFor(each), 0n);
  assert.equal(affordableOutput(each, 0n), 9);
});

test("free output does not make the rest of a price free", () => {
  const perRequest: Price = { input: nanoUsd(0n), output: nanoUsd(0n), perRequest: nanoUsd(5n) };
  const each = { price: perRequest, inputTokens: 9, outputTokens: 9, answers: 1, ...text };
  assert.equal(affordableOutput(each, 4n), 0);
  assert.equal(affordableOutput(each, 5n), 9);
  const prompt: Price = { input: nanoUsd(1_000_000n), output: nanoUsd(0n) };
  assert.equal(affordableOutput({ ...each, price: prompt }, 8n), 0);
  assert.equal(affordableOutput({ ...each, price: prompt }, 9n), 9);
});

test("tokens that no bound touches are set aside beside it, and only what is left pays for the rest", () => {
  fc.assert(
    fc.property(input, fc.integer({ min: 0, max: 4_000 }), (request, furtherTokens) => {
      const most = { ...request, furtherTokens };
      const together = { ...request, outputTokens: request.outputTokens + furtherTokens };
      assert.equal(holdFor(most), holdFor(together));
      const held = holdFor(most) / 2n;
      const tokens = affordableOutput(most, held);
      if (tokens > 0) assert.ok(holdFor({ ...most, outputTokens: tokens }) <= held);
    }),
  );
});
