import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import { passedRequest, upstreamAt } from "../testing/passing.ts";
import { passResponses } from "./passing-responses.ts";

const upstream = upstreamAt("https://api.openai.com/v1");
const codec = passResponses({ path: () => "/v1/responses", headers: () => [] });
const sent = (text: string, more: Partial<ProviderRequest> = {}, model = "gpt-x") =>
  codec.encode(passedRequest(text, ["max_output_tokens"], more), upstream, "sk", model).body.toString();

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

test("reasoning of what is to be kept comes in the form that can be sent back, where the model has it", () => {
  const opaque = '"reasoning.encrypted_content"';
  const rows: [caller: string, upstream: string][] = [
    ['{"store":true,"model":"o3"}', `{"include":[${opaque}],"store":false,"model":"o3"}`],
    ['{"model":"o3"}', `{"store":false,"include":[${opaque}],"model":"o3"}`],
    ['{"model":"o3","store":null,"include":null}', `{"model":"o3","store":false,"include":[${opaque}]}`],
    ['{"include":[ ],"model":"o3","store":true}', `{"include":[${opaque} ],"model":"o3","store":false}`],
    ['{"include":["a"],"model":"o3","store":true}', `{"include":[${opaque},"a"],"model":"o3","store":false}`],
    [
      `{"include":[${opaque}],"model":"o3","store":true}`,
      `{"include":[${opaque}],"model":"o3","store":false}`,
    ],
    ['{"include":"odd","model":"o3","store":true}', '{"include":"odd","model":"o3","store":false}'],
    ['{"model":"o3","store":false}', '{"model":"o3","store":false}'],
  ];
  for (const [caller, expected] of rows) {
    for (const model of ["o3", "gpt-5.4-mini", "openai/gpt-5"])
      assert.equal(sent(caller.replace("o3", model), {}, model), expected.replace("o3", model));
    for (const model of ["gpt-4.1", "gpt-5-chat-latest", "my-deployment"])
      assert.ok(
        caller.includes("encrypted") || !sent(caller.replace("o3", model), {}, model).includes("encrypted"),
      );
  }
});
