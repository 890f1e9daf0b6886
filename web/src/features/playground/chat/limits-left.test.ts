/** The headers in every form the gateway writes them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { limitsLeftIn, resetMsOf } from "./limits-left.ts";

test("durations", () => {
  assert.equal(resetMsOf("0s"), 0);
  assert.equal(resetMsOf("120ms"), 120);
  assert.equal(resetMsOf("1.5s"), 1_500);
  assert.equal(resetMsOf("6m0s"), 360_000);
  assert.equal(resetMsOf("1h0m3s"), 3_603_000);
  for (const odd of [null, "", "soon", "5", "1.5.s", "-1s"]) assert.equal(resetMsOf(odd), null);
});

test("a kind without its headers has no limit, zero is a number", () => {
  const headers = new Headers({
    "x-ratelimit-limit-requests": "600",
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-reset-requests": "1m0s",
    "x-ratelimit-limit-tokens": "many",
  });
  assert.deepEqual(limitsLeftIn(headers), {
    requests: { limit: 600, remaining: 0, resetMs: 60_000 },
    tokens: null,
  });
});
