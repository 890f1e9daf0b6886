/** About how many tokens a request has, for the start of a stream. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeRequest } from "../decode-request.ts";
import { estimatePrompt } from "./prompt-estimate.ts";

function estimate(...content: object[]): number {
  const body = Buffer.from(
    JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content }] }),
  );
  return estimatePrompt(decodeRequest(body), body.length);
}

const text = (length: number): object => ({ type: "text", text: "x".repeat(length) });
const image = (length: number): object => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(length) },
});

test("a quarter of its bytes, and something for each file whatever its size", () => {
  assert.ok(Math.abs(estimate(text(40_000)) - 10_000) < 40);
  const small = estimate(text(10), image(10));
  assert.ok(Math.abs(estimate(text(10), image(400_000)) - small) <= 1);
  assert.ok(small > 1_600 && small < 1_700);
  const result = { type: "tool_result", tool_use_id: "t", content: [image(400_000)] };
  assert.ok(estimate(result) < 1_700);
});
