import assert from "node:assert/strict";
import { test } from "node:test";
import { hasImpossibleCount, isBeyondAsked, isPossible, tokensMaxOf } from "./usage-trust.ts";

const usage = (input: number, output: number) => ({
  input,
  cachedInput: 0,
  cacheWrite: 0,
  output,
  reasoning: 0,
});

test("a request has the room of its model's context, once for each choice, and never more than there is", () => {
  assert.equal(tokensMaxOf(1_000, 1), 1_000);
  assert.equal(tokensMaxOf(1_000, 3), 3_000);
  assert.equal(tokensMaxOf(undefined, 1), 16_777_216);
  assert.equal(tokensMaxOf(1_000_000_000, 128), 1_000_000_000);
  assert.equal(isPossible(usage(600, 400), 1_000), true);
  assert.equal(isPossible({ ...usage(600, 400), cachedInput: 1 }, 1_000), false);
});

test("more than was asked for is noticed, an end marker is not", () => {
  const asked = { outputTokens: 100, promptBytes: 50 };
  assert.equal(isBeyondAsked(usage(10, 116), asked), false);
  assert.equal(isBeyondAsked(usage(10, 117), asked), true);
  assert.equal(isBeyondAsked(usage(4_146, 1), asked), false);
  assert.equal(isBeyondAsked(usage(4_147, 1), asked), true);
  assert.equal(
    isBeyondAsked(usage(10 ** 6, 10 ** 6), { outputTokens: undefined, promptBytes: undefined }),
    false,
  );
});

test("a report that only lacks something is no lie", () => {
  for (const report of [undefined, null, "5", {}, { prompt_tokens: null }, { prompt_tokens: 5 }])
    assert.equal(hasImpossibleCount(report), false, JSON.stringify(report));
  for (const value of [-1, 0.5, 1e15, 2 ** 63])
    for (const report of [{ prompt_tokens: value }, { details: { cached_tokens: value } }])
      assert.equal(hasImpossibleCount(report), true, JSON.stringify(report));
});
