import assert from "node:assert/strict";
import { test } from "node:test";
import { readerRules } from "../../providers/testing/usage-rules.ts";
import { isReport, readUsage, usageOnWire } from "./usage.ts";

const required = { input_tokens: 10, output_tokens: 50 };
const none = { cachedInput: 0, cacheWrite: 0, reasoning: 0 };

readerRules({
  read: readUsage,
  required,
  places: [
    (value) => ({ ...required, input_tokens: value ?? 0 }),
    (value) => ({ ...required, output_tokens: value ?? 0 }),
    (value) => ({ ...required, cache_read_input_tokens: value }),
    (value) => ({ ...required, cache_creation_input_tokens: value }),
    (value) => ({ ...required, cache_creation: { ephemeral_5m_input_tokens: value } }),
    (value) => ({ ...required, cache_creation: { ephemeral_1h_input_tokens: value } }),
    (value) => ({ input_tokens: 10, output_tokens: 0, output_tokens_details: { thinking_tokens: value } }),
    (value) => ({ ...required, iterations: [{ type: "message", ...required, input_tokens: value ?? 0 }] }),
  ],
});

test("read: the input excludes what was read from and written to the cache", () => {
  const report = { ...required, cache_read_input_tokens: 400, cache_creation_input_tokens: 300 };
  assert.deepEqual(readUsage(report), {
    input: 10,
    cachedInput: 400,
    cacheWrite: 300,
    output: 50,
    reasoning: 0,
  });
});

test("read: writes by age are parts of the writes, and their sum where no total is given", () => {
  const cache_creation = { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 };
  const expected = { input: 10, output: 50, ...none, cacheWrite: 300, longCacheWrite: 200 };
  assert.deepEqual(readUsage({ ...required, cache_creation }), expected);
  assert.deepEqual(readUsage({ ...required, cache_creation, cache_creation_input_tokens: 300 }), expected);
  assert.deepEqual(readUsage({ ...required, cache_creation, cache_creation_input_tokens: 301 }), {
    ...expected,
    cacheWrite: 301,
  });
  assert.equal(readUsage({ ...required, cache_creation, cache_creation_input_tokens: 299 }), undefined);
  const unknown = { ...cache_creation, ephemeral_3d_input_tokens: 7 };
  assert.deepEqual(
    readUsage({ ...required, cache_creation: unknown }),
    { ...expected, cacheWrite: 307, longCacheWrite: 207, hasUnknownClass: true },
    "a time nobody has a price for is the long one, and doubtful",
  );
});

test("read: thinking is a part of the output", () => {
  const withThinking = (thinking_tokens: number) => ({
    ...required,
    output_tokens_details: { thinking_tokens },
  });
  assert.deepEqual(readUsage(withThinking(50)), { input: 10, output: 50, ...none, reasoning: 50 });
  assert.equal(readUsage(withThinking(51)), undefined);
});

test("read: a message of several runs is the sum of them, unless another model took over", () => {
  const run = (type: string, input_tokens: number, more = {}) => ({
    type,
    input_tokens,
    output_tokens: 5,
    ...more,
  });
  const iterations = [
    run("compaction", 1_000, { cache_read_input_tokens: 7 }),
    run("message", 20, { cache_creation: { ephemeral_1h_input_tokens: 3 } }),
    run("something_new", 1_000_000),
  ];
  const details = { output_tokens_details: { thinking_tokens: 4 } };
  assert.deepEqual(readUsage({ ...required, ...details, iterations }), {
    input: 1_020,
    cachedInput: 7,
    cacheWrite: 3,
    longCacheWrite: 3,
    output: 10,
    reasoning: 4,
  });
  const plain = { input: 10, output: 50, ...none };
  const fallback = [...iterations, run("fallback_message", 9)];
  assert.deepEqual(readUsage({ ...required, iterations: fallback }), plain);
  assert.deepEqual(readUsage({ ...required, iterations: [] }), plain);
  assert.deepEqual(readUsage({ ...required, iterations: null }), plain);
  assert.equal(readUsage({ ...required, iterations: [{ type: "message", input_tokens: 1 }] }), undefined);
});

test("usage is written so that it is read back to the same classes", () => {
  const plain = { input: 3, cachedInput: 1, cacheWrite: 9, output: 20, reasoning: 4 };
  const parts = { audioInput: 1, imageInput: 2, audioOutput: 5, imageOutput: 6 };
  const all = [
    plain,
    { ...plain, longCacheWrite: 4 },
    { ...plain, longCacheWrite: 4, hasUnknownClass: true },
    { ...plain, ...parts },
  ];
  for (const usage of all) assert.deepEqual(readUsage(usageOnWire(usage)), usage);
  assert.ok(isReport(usageOnWire(plain)));
  assert.ok(!isReport({ input_tokens: 0, output_tokens: 0 }) && !isReport({}) && !isReport(7));
});
