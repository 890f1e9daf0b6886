/** Usage of Responses: no token counted twice, and no implausible counts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readUsage } from "./usage.ts";

const report = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 40 },
  total_tokens: 150,
};

test("cached and written tokens are parts of the input, reasoning of the output", () => {
  assert.deepEqual(readUsage(report), {
    input: 10,
    cachedInput: 60,
    cacheWrite: 30,
    output: 50,
    reasoning: 40,
  });
  assert.deepEqual(readUsage({ input_tokens: 0, output_tokens: 0 }), {
    input: 0,
    cachedInput: 0,
    cacheWrite: 0,
    output: 0,
    reasoning: 0,
  });
});

test("reasoning that a total proves to stand beside the output is added to it", () => {
  const outside = readUsage({ ...report, output_tokens: 10, total_tokens: 150 });
  assert.deepEqual([outside?.output, outside?.reasoning], [50, 40]);
  const unproved = readUsage({ ...report, output_tokens: 10, total_tokens: 110 });
  assert.deepEqual([unproved?.output, unproved?.reasoning], [10, 10]);
});

test("twelve hours are long, half an hour is not, an unknown age is dear", () => {
  const ofAges = (ages: object) =>
    readUsage({
      ...report,
      input_tokens_details: { cache_write_tokens: 30, cache_write_tokens_details: ages },
    });
  assert.equal(ofAges({ ttl_12h_tokens: 20, ttl_30m_tokens: 10 })?.longCacheWrite, 20);
  assert.equal(ofAges({ ttl_30m_tokens: 30 })?.longCacheWrite, undefined);
  assert.deepEqual(
    [ofAges({ ttl_7d_tokens: 5 })?.longCacheWrite, ofAges({ ttl_7d_tokens: 5 })?.hasUnknownClass],
    [5, true],
  );
});

test("more cached than there was is cut down; what cannot be true is no usage", () => {
  const capped = readUsage({ ...report, input_tokens_details: { cached_tokens: 200 } });
  assert.deepEqual([capped?.input, capped?.cachedInput, capped?.isCapped], [0, 100, true]);
  for (const bad of [
    undefined,
    null,
    [],
    {},
    { input_tokens: 1 },
    { input_tokens: null, output_tokens: 1 },
    { ...report, input_tokens: -1 },
    { ...report, output_tokens: 1.5 },
    { ...report, output_tokens: 1e12 },
    { ...report, input_tokens_details: { cached_tokens: "60" } },
    { ...report, input_tokens_details: { audio_tokens: 101 } },
  ])
    assert.equal(readUsage(bad), undefined, JSON.stringify(bad));
});
