/** About how many tokens a request has, for the start of a stream. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { imageText } from "../../made-images.ts";
import { decodeRequest } from "../decode-request.ts";
import { estimatePrompt } from "./prompt-estimate.ts";

const estimate = (...content: object[]): number => estimateOf({ role: "user", content });

function estimateOf(...messages: object[]): number {
  const body = Buffer.from(JSON.stringify({ model: "m", max_tokens: 9, messages }));
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
  const made = imageText("image/png", `iVBORw0KGgo${"A".repeat(400_000)}`);
  assert.ok(estimateOf({ role: "assistant", content: made }) < 1_700, "one that a model made");
});
