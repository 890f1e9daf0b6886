/** Betas of callers of Messages at Claude on Bedrock. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { messagesFormat } from "../../protocols/anthropic-messages/answers/answers.ts";
import { passedRequest, upstreamAt } from "../testing/passing.ts";
import { encodeCall } from "./call.ts";

const upstream = upstreamAt("https://bedrock-runtime.us-east-1.amazonaws.com");
const claude = "anthropic.claude-sonnet-4-5-20250929-v1:0";

function sent(betas: string | undefined, model = claude, more: object = {}): unknown[] {
  const body = { model: "m", max_tokens: 9_000, messages: [{ role: "user", content: "Hi" }], ...more };
  const forwarded = betas === undefined ? undefined : { "anthropic-beta": betas };
  const request = passedRequest(JSON.stringify(body), ["max_tokens"], { forwarded, outputTokensMax: 4_000 });
  const call = encodeCall(messagesFormat.decode(request), request, upstream, "key", model);
  assert.ok(!call.headers.includes("anthropic-beta"));
  const { additionalModelRequestFields: fields = {} } = JSON.parse(String(call.body));
  return [fields.anthropic_beta, call.dropped, fields.thinking];
}

test("those that Converse takes stand in the body, all others are left out and told", () => {
  const taken = "effort-2025-11-24,thinking-display-updates-2026-08-18";
  const others = ["claude-code-20250219", "interleaved-thinking-2025-05-14"];
  assert.deepEqual(sent(`${others[0]}, ${taken},${others[1]}`), [taken.split(","), others, undefined]);
  assert.deepEqual(sent(undefined), [undefined, undefined, undefined]);
  // The catalog has no longer context for it, and so no price.
  assert.deepEqual(sent("context-1m-2025-08-07"), [undefined, ["context-1m-2025-08-07"], undefined]);
});

test("models of other makers are not told of betas, nor are their callers", () => {
  assert.deepEqual(sent("claude-code-20250219", "amazon.nova-pro-v1:0"), [undefined, undefined, undefined]);
});

test("a budget for a whole turn is not known there: it stays below the output", () => {
  const thinking = { type: "enabled", budget_tokens: 8_000 };
  const [, , said] = sent("interleaved-thinking-2025-05-14", claude, { thinking });
  assert.deepEqual(said, { type: "enabled", budget_tokens: 3_999 });
});
