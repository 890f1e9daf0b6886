import assert from "node:assert/strict";
import { test } from "node:test";
import { readerRules } from "../../providers/testing/usage-rules.ts";
import { readUsage } from "./usage.ts";

const required = { inputTokens: 9, outputTokens: 2 };

readerRules({
  read: readUsage,
  required,
  places: [
    (value) => ({ ...required, inputTokens: value ?? 0 }),
    (value) => ({ ...required, outputTokens: value ?? 0 }),
    (value) => ({ ...required, cacheReadInputTokens: value }),
    (value) => ({ ...required, cacheWriteInputTokens: value }),
    (value) => ({ ...required, cacheDetails: [{ ttl: "1h", inputTokens: value }] }),
  ],
});

test("read: the input excludes what was read from and written to the cache", () => {
  const report = { ...required, totalTokens: 711, cacheReadInputTokens: 400, cacheWriteInputTokens: 300 };
  const expected = { input: 9, cachedInput: 400, cacheWrite: 300, output: 2, reasoning: 0 };
  assert.deepEqual(readUsage(report), expected);
  const cacheDetails = [
    { ttl: "5m", inputTokens: 100 },
    { ttl: "1h", inputTokens: 150 },
    { ttl: "1h", inputTokens: 50 },
  ];
  assert.deepEqual(readUsage({ ...report, cacheDetails }), { ...expected, longCacheWrite: 200 });
  assert.equal(readUsage({ ...report, cacheDetails: [{ ttl: "1h", inputTokens: 301 }] }), undefined);
  assert.deepEqual(
    readUsage({ ...report, cacheDetails: [...cacheDetails, { ttl: "12h", inputTokens: 30 }] }),
    { ...expected, longCacheWrite: 230 },
    "OpenAI's time is known",
  );
  assert.deepEqual(
    readUsage({ ...report, cacheDetails: [...cacheDetails, { ttl: "24h", inputTokens: 40 }] }),
    { ...expected, longCacheWrite: 240, hasUnknownClass: true },
    "the highest rate there is, and said to be doubtful",
  );
  const ttl = JSON.parse("[".repeat(20_000) + "]".repeat(20_000)) as unknown;
  assert.deepEqual(
    readUsage({ ...report, cacheDetails: [{ ttl, inputTokens: 40 }] }),
    { ...expected, longCacheWrite: 40, hasUnknownClass: true },
    "an age that is no text",
  );
});
