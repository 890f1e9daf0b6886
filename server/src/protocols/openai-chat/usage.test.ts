import assert from "node:assert/strict";
import { test } from "node:test";
import type { Usage } from "@plaza/contract/usage.ts";
import fc from "fast-check";
import { readUsage } from "./usage.ts";

const usage = (
  input: number,
  cachedInput: number,
  cacheWrite: number,
  output: number,
  reasoning: number,
): Usage => ({
  input,
  cachedInput,
  cacheWrite,
  output,
  reasoning,
});

const base = { prompt_tokens: 100, completion_tokens: 20 };

const trusted: [string, object, Usage][] = [
  ["plain", { ...base, total_tokens: 120 }, usage(100, 0, 0, 20, 0)],
  ["zeros are values", { prompt_tokens: 0, completion_tokens: 0 }, usage(0, 0, 0, 0, 0)],
  [
    "OpenAI in full",
    {
      ...base,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 60, audio_tokens: 0, cache_write_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 15, audio_tokens: 0 },
    },
    usage(30, 60, 10, 20, 15),
  ],
  [
    "details that are null",
    { ...base, prompt_tokens_details: null, completion_tokens_details: null },
    usage(100, 0, 0, 20, 0),
  ],
  [
    "counts that are null",
    { ...base, prompt_tokens_details: { cached_tokens: null } },
    usage(100, 0, 0, 20, 0),
  ],
  [
    "DeepSeek",
    { ...base, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
    usage(36, 64, 0, 20, 0),
  ],
  [
    "DeepSeek, both names for the same tokens",
    { ...base, prompt_cache_hit_tokens: 64, prompt_tokens_details: { cached_tokens: 64 } },
    usage(36, 64, 0, 20, 0),
  ],
  ["Moonshot", { ...base, cached_tokens: 40 }, usage(60, 40, 0, 20, 0)],
  [
    "a proxy's 0 beside the real one",
    { ...base, cached_tokens: 40, prompt_tokens_details: { cached_tokens: 0 } },
    usage(60, 40, 0, 20, 0),
  ],
  [
    "DashScope",
    { ...base, prompt_tokens_details: { cached_tokens: 10, cache_creation_input_tokens: 30 } },
    usage(60, 10, 30, 20, 0),
  ],
  ["LiteLLM", { ...base, prompt_tokens_details: { cache_creation_tokens: 30 } }, usage(70, 0, 30, 20, 0)],
  ["Mistral, the name at the top", { ...base, num_cached_tokens: 64 }, usage(36, 64, 0, 20, 0)],
  [
    "Mistral, details in the singular",
    { ...base, num_cached_tokens: 64, prompt_token_details: { cached_tokens: 64 } },
    usage(36, 64, 0, 20, 0),
  ],
  [
    "OpenRouter: read and written more than the prompt holds",
    { ...base, prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 50 } },
    { ...usage(0, 60, 40, 20, 0), isCapped: true },
  ],
  [
    "OpenRouter: written beside the prompt",
    { ...base, prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 3_000 } },
    { ...usage(0, 0, 100, 20, 0), isCapped: true },
  ],
  [
    "more cached than the prompt",
    { ...base, cached_tokens: 101 },
    { ...usage(0, 100, 0, 20, 0), isCapped: true },
  ],
  [
    "written for an hour is no more than what is left of the writes",
    {
      ...base,
      prompt_tokens_details: { cached_tokens: 90, cache_write_tokens: 50, long_cache_write_tokens: 50 },
    },
    { ...usage(0, 90, 10, 20, 0), longCacheWrite: 10, isCapped: true },
  ],
  [
    "OpenAI's writes for twelve hours",
    {
      ...base,
      prompt_tokens_details: {
        cache_write_tokens: 30,
        cache_write_tokens_details: { ttl_30m_tokens: 10, ttl_12h_tokens: 20 },
      },
    },
    { ...usage(70, 0, 30, 20, 0), longCacheWrite: 20 },
  ],
  [
    "writes for a time nobody has a price for count as long, and are said to be doubtful",
    {
      ...base,
      prompt_tokens_details: {
        cache_write_tokens: 30,
        cache_write_tokens_details: { ttl_30m_tokens: 10, ttl_12h_tokens: 5, ttl_24h_tokens: 15 },
      },
    },
    { ...usage(70, 0, 30, 20, 0), longCacheWrite: 20, hasUnknownClass: true },
  ],
  [
    "an unknown time of which nothing was written is no matter",
    {
      ...base,
      prompt_tokens_details: {
        cache_write_tokens: 30,
        cache_write_tokens_details: { ttl_30m_tokens: 30, ttl_24h_tokens: 0 },
      },
    },
    usage(70, 0, 30, 20, 0),
  ],
  [
    "LiteLLM's writes for an hour",
    {
      ...base,
      prompt_tokens_details: {
        cache_creation_tokens: 30,
        cache_creation_token_details: { ephemeral_5m_input_tokens: 25, ephemeral_1h_input_tokens: 5 },
      },
    },
    { ...usage(70, 0, 30, 20, 0), longCacheWrite: 5 },
  ],
  [
    "a breakdown of writes that is null, or all short",
    {
      ...base,
      prompt_tokens_details: {
        cache_write_tokens: 30,
        cache_write_tokens_details: { ttl_30m_tokens: 30, ttl_12h_tokens: 0 },
        cache_creation_token_details: null,
      },
    },
    usage(70, 0, 30, 20, 0),
  ],
  ["everything cached", { ...base, cached_tokens: 100 }, usage(0, 100, 0, 20, 0)],
  [
    "xAI: reasoning outside, as the total says",
    { ...base, total_tokens: 150, completion_tokens_details: { reasoning_tokens: 30 } },
    usage(100, 0, 0, 50, 30),
  ],
  [
    "more reasoning than output, and the total does not vouch for it",
    { ...base, total_tokens: 120, completion_tokens_details: { reasoning_tokens: 30 } },
    usage(100, 0, 0, 20, 20),
  ],
  [
    "more reasoning than output, no total",
    { ...base, completion_tokens_details: { reasoning_tokens: 30 } },
    usage(100, 0, 0, 20, 20),
  ],
  ["a total that is nonsense is not read", { ...base, total_tokens: "many" }, usage(100, 0, 0, 20, 0)],
  [
    "audio and images, both ways",
    {
      ...base,
      prompt_tokens_details: { audio_tokens: 30, image_tokens: 50, text_tokens: 20 },
      completion_tokens_details: { audio_tokens: 8, image_tokens: 7, reasoning_tokens: 5 },
    },
    {
      ...usage(100, 0, 0, 20, 5),
      audioInput: 30,
      imageInput: 50,
      audioOutput: 8,
      imageOutput: 7,
    },
  ],
  [
    "audio and images that were cached in part count as fresh as far as fresh tokens go",
    { ...base, prompt_tokens_details: { cached_tokens: 60, audio_tokens: 30, image_tokens: 50 } },
    { ...usage(40, 60, 0, 20, 0), audioInput: 30, imageInput: 10 },
  ],
  [
    "an all-audio prompt, all cached",
    { ...base, prompt_tokens_details: { cached_tokens: 100, audio_tokens: 100 } },
    usage(0, 100, 0, 20, 0),
  ],
  [
    "reasoning beside audio is cut down to what is left of the output",
    { ...base, completion_tokens_details: { audio_tokens: 15, reasoning_tokens: 15 } },
    { ...usage(100, 0, 0, 20, 5), audioOutput: 15 },
  ],
  ["extra keys", { ...base, cost: 0.1, is_byok: false, time_info: {} }, usage(100, 0, 0, 20, 0)],
];

for (const [name, value, expected] of trusted) {
  test(`read: ${name}`, () => assert.deepEqual(readUsage(value), expected));
}

const bad = [-1, 1.5, "5", true, {}, [], 1_000_000_001, 1e300];

test("absent is not 0", () => {
  for (const value of [
    undefined,
    null,
    0,
    "x",
    [],
    [base],
    {},
    { prompt_tokens: 1 },
    { completion_tokens: 1 },
  ]) {
    assert.equal(readUsage(value), undefined);
  }
  assert.equal(readUsage({ ...base, prompt_tokens: null }), undefined);
});

test("one impossible number makes the whole untrusted", () => {
  for (const number of bad) {
    const values = [
      { ...base, prompt_tokens: number },
      { ...base, completion_tokens: number },
      { ...base, cached_tokens: number },
      { ...base, prompt_cache_hit_tokens: number },
      { ...base, prompt_tokens_details: { cached_tokens: number } },
      { ...base, prompt_tokens_details: { cache_write_tokens: number } },
      { ...base, num_cached_tokens: number },
      { ...base, prompt_token_details: { cached_tokens: number } },
      { ...base, prompt_tokens_details: { cache_write_tokens_details: { ttl_12h_tokens: number } } },
      {
        ...base,
        prompt_tokens_details: { cache_creation_token_details: { ephemeral_1h_input_tokens: number } },
      },
      { ...base, prompt_tokens_details: { audio_tokens: number } },
      { ...base, prompt_tokens_details: { image_tokens: number } },
      { ...base, completion_tokens_details: { reasoning_tokens: number } },
      { ...base, completion_tokens_details: { audio_tokens: number } },
      { ...base, completion_tokens_details: { image_tokens: number } },
    ];
    for (const value of values) assert.equal(readUsage(value), undefined, JSON.stringify(value));
  }
});

test("more written for long than was written is untrusted", () => {
  const details = { cache_write_tokens: 10, cache_write_tokens_details: { ttl_12h_tokens: 11 } };
  assert.equal(readUsage({ ...base, prompt_tokens_details: details }), undefined);
});

test("more audio and images than there are tokens is untrusted", () => {
  const part = { audio_tokens: 11, image_tokens: 10 };
  assert.equal(readUsage({ ...base, prompt_tokens: 20, prompt_tokens_details: part }), undefined);
  assert.equal(readUsage({ ...base, completion_tokens_details: part }), undefined);
});

test("a sum above the largest count is untrusted", () => {
  const most = 1_000_000_000;
  const value = {
    prompt_tokens: 1,
    completion_tokens: most,
    completion_tokens_details: { reasoning_tokens: most },
  };
  assert.equal(readUsage({ ...value, total_tokens: 1 + 2 * most }), undefined);
});

test("whatever is read adds up: classes are disjoint, whole and not negative", () => {
  const tokens = fc.oneof(fc.nat(1_000), fc.constantFrom<unknown>(null, undefined, -1, 0.5, "1"));
  const values = fc.record({
    prompt_tokens: tokens,
    completion_tokens: tokens,
    total_tokens: tokens,
    cached_tokens: tokens,
    prompt_tokens_details: fc.option(fc.record({ cached_tokens: tokens, cache_write_tokens: tokens })),
    completion_tokens_details: fc.option(fc.record({ reasoning_tokens: tokens })),
  });
  fc.assert(
    fc.property(values, (value) => {
      const read = readUsage(value);
      if (read === undefined) return;
      assert.equal(read.input + read.cachedInput + read.cacheWrite, value.prompt_tokens);
      const { isCapped, hasUnknownClass: _, ...counts } = read;
      assert(Object.values(counts).every((count) => Number.isInteger(count) && Number(count) >= 0));
      const { cached_tokens: cached, prompt_tokens_details: details } = value;
      const told = Math.max(Number(cached ?? 0), Number(details?.cached_tokens ?? 0));
      assert.equal(
        isCapped === true,
        told + Number(details?.cache_write_tokens ?? 0) > Number(value.prompt_tokens),
      );
      assert(read.reasoning <= read.output);
    }),
    { numRuns: 1_000 },
  );
});
