import assert from "node:assert/strict";
import { test } from "node:test";
import { estimateInput, estimateUsage } from "./estimate.ts";

const output = (events: number, contentBytes: number, mergedBytes = 0): number =>
  estimateUsage({ promptTokens: 0, events, contentBytes, mergedBytes, images: 0 }).output;

test("four bytes of a prompt are a token, and a rest of them is one too", () => {
  assert.deepEqual([0, 1, 4, 5, 1_000].map(estimateInput), [0, 1, 1, 2, 250]);
});

test("an event is a token while it is as short as tokens are; longer ones are several", () => {
  assert.equal(output(100, 450), 100);
  assert.equal(output(100, 1_200), 100);
  assert.equal(output(100, 1_201), 301);
});

test("one long token among few events is one token", () => {
  assert.equal(output(1, 28), 1);
  assert.equal(output(3, 96), 3);
  assert.equal(output(1, 33), 9);
  assert.equal(output(4, 96), 24);
});

test("a whole answer has no events, only text", () => {
  assert.equal(output(0, 10), 3);
  assert.equal(output(0, 0), 0);
});

test("what came in large events is counted by its bytes beside the small ones", () => {
  assert.equal(output(100, 450, 40_000), 10_100);
  assert.equal(output(0, 0, 40_000), 10_000);
  assert.equal(output(100, 2_000, 40_000), 10_500);
});

test("the prompt's classes are those that the upstream told, if it did", () => {
  const delivered = { events: 3, contentBytes: 12, mergedBytes: 0, images: 0 };
  const told = { input: 30, cachedInput: 1_900, cacheWrite: 7, longCacheWrite: 5, output: 99, reasoning: 9 };
  const { input, cachedInput, cacheWrite, longCacheWrite, output, reasoning } = estimateUsage({
    promptTokens: 500,
    prompt: told,
    ...delivered,
  });
  assert.deepEqual(
    [input, cachedInput, cacheWrite, longCacheWrite, output, reasoning],
    [30, 1_900, 7, 5, 3, 0],
  );
  assert.deepEqual(estimateUsage({ promptTokens: 500, ...delivered }), {
    input: 500,
    cachedInput: 0,
    cacheWrite: 0,
    output: 3,
    reasoning: 0,
  });
});
