import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import { passedRequest, upstreamAt } from "../testing/passing.ts";
import { passResponses } from "./passing-responses.ts";

const upstream = upstreamAt("https://api.openai.com/v1");
const codec = passResponses({ path: () => "/v1/responses", headers: () => [] });
const sent = (text: string, more: Partial<ProviderRequest> = {}) =>
  codec.encode(passedRequest(text, ["max_output_tokens"], more), upstream, "sk", "gpt-x").body.toString();

test("every byte passes but the model's name, and nothing is stored", () => {
  assert.equal(
    sent('{ "model" : "a", "input":"é \\ud83d\\ude00", "n":1.0}'),
    '{"store":false, "model" : "gpt-x", "input":"é \\ud83d\\ude00", "n":1.0}',
  );
  assert.equal(sent('{"store":true,"model":"a"}'), '{"store":false,"model":"gpt-x"}');
  assert.equal(sent('{"store":null,"model":"a"}'), '{"store":false,"model":"gpt-x"}');
  const right = passedRequest('{"model":"gpt-x","store":false}', []);
  assert.equal(codec.encode(right, upstream, "sk", "gpt-x").body, right.body);
});

test("the output is cut to what is paid for, and the list of models is taken out", () => {
  const more = { outputTokensMax: 70 };
  assert.equal(
    sent('{"store":false,"model":"a","max_output_tokens":900,"models":["b"]}', more),
    '{"store":false,"model":"gpt-x","max_output_tokens":70}',
  );
  assert.equal(
    sent('{"store":false,"model":"a","max_output_tokens":null}', more),
    '{"store":false,"model":"gpt-x","max_output_tokens":70}',
  );
  assert.equal(
    sent('{"store":false,"model":"a"}', more),
    '{"max_output_tokens":70,"store":false,"model":"gpt-x"}',
  );
});
