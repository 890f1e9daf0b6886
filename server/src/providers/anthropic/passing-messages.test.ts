import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import { passedRequest, upstreamAt } from "../testing/passing.ts";
import { anthropic } from "./anthropic.ts";
import { passingMessages } from "./passing-messages.ts";

const upstream = upstreamAt("https://api.anthropic.com/v1");
const sent = (text: string, more: Partial<ProviderRequest> = {}) =>
  passingMessages.encode(passedRequest(text, ["max_tokens"], more), upstream, "sk", "claude-x");

const rest =
  '"system":[{"type":"text","text":"é \\ud83d\\ude00","cache_control":{"type":"ephemeral"}}],"x":1.0';

test("every byte but the model's name passes, and the very buffer where that is right already", () => {
  const call = sent(`{ "model" : "public",  "max_tokens":9, ${rest} }`);
  assert.equal(call.body.toString(), `{ "model" : "claude-x",  "max_tokens":9, ${rest} }`);
  assert.equal(call.path, "/v1/messages");
  const right = passedRequest(`{"model":"claude-x",${rest}}`, []);
  assert.equal(passingMessages.encode(right, upstream, "sk", "claude-x").body, right.body);
});

test("the output is cut to what is paid for, and the list of models is taken out", () => {
  const text = `{"models":["b"],"model":"a","max_tokens":9000,${rest}}`;
  assert.equal(
    sent(text, { outputTokensMax: 70 }).body.toString(),
    `{"model":"claude-x","max_tokens":70,${rest}}`,
  );
  const less = sent(`{"model":"a","max_tokens":5}`, { outputTokensMax: 70 });
  assert.equal(less.body.toString(), '{"model":"claude-x","max_tokens":5}');
  assert.equal(
    sent('{"models":["a"],"messages":[]}', { outputTokensMax: 70 }).body.toString(),
    '{"max_tokens":70,"model":"claude-x","messages":[]}',
  );
});

test("headers are ours: the key, the version, nothing of the caller's", () => {
  const { headers } = sent('{"model":"a"}', { isStream: true });
  assert.equal(headers[headers.indexOf("x-api-key") + 1], "sk");
  assert.equal(headers[headers.indexOf("anthropic-version") + 1], "2023-06-01");
  assert.equal(headers[headers.indexOf("accept") + 1], "text/event-stream");
});

test("a body with thoughts that only Plaza can read does not pass", () => {
  const [{ mayPass }] = anthropic.formats;
  assert.equal(mayPass(Buffer.from(`{"signature":"plaza-thinking-1.abc"}`)), false);
  assert.equal(mayPass(Buffer.from(`{"signature":"EqQBCgIY"}`)), true);
});
