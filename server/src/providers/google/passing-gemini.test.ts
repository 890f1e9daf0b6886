import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import { passedRequest, upstreamAt } from "../testing/passing.ts";
import { passingGemini } from "./passing-gemini.ts";

const upstream = upstreamAt("https://generativelanguage.googleapis.com/v1beta");
const sent = (text: string, more: Partial<ProviderRequest> = {}) =>
  passingGemini.encode(passedRequest(text, ["maxOutputTokens"], more), upstream, "AIza1", "gemini-x");

test("the body passes as it is; model and method stand in the path", () => {
  const request = passedRequest('{ "contents":[ {"parts":[{"text":"é"}]} ] }', []);
  const call = passingGemini.encode(request, upstream, "AIza1", "gemini-x");
  assert.equal(call.body, request.body);
  assert.equal(call.path, "/v1beta/models/gemini-x:generateContent");
  assert.equal(sent("{}", { isStream: true }).path, "/v1beta/models/gemini-x:streamGenerateContent?alt=sse");
  assert.equal(call.headers[call.headers.indexOf("x-goog-api-key") + 1], "AIza1");
});

test("a model named in the body is the upstream's", () => {
  assert.equal(
    sent('{"model":"models/ours","contents":[ ]}').body.toString(),
    '{"model":"models/gemini-x","contents":[ ]}',
  );
});

test("the output is cut to what is paid for, wherever its bound stands or does not", () => {
  for (const [text, cut] of [
    [
      '{"generationConfig":{"maxOutputTokens":900,"topK":1}}',
      '{"generationConfig":{"maxOutputTokens":70,"topK":1}}',
    ],
    ['{"generationConfig":{"maxOutputTokens":9}}', '{"generationConfig":{"maxOutputTokens":9}}'],
    ['{"generationConfig":{"maxOutputTokens":"9"}}', '{"generationConfig":{"maxOutputTokens":"9"}}'],
    ['{"generationConfig":{"maxOutputTokens":"90"}}', '{"generationConfig":{"maxOutputTokens":70}}'],
    ['{"generationConfig":{"maxOutputTokens":null}}', '{"generationConfig":{"maxOutputTokens":70}}'],
    ['{"generationConfig":{"topK":1}}', '{"generationConfig":{"maxOutputTokens":70,"topK":1}}'],
    ['{"generationConfig":{ }}', '{"generationConfig":{"maxOutputTokens":70 }}'],
    ['{"generationConfig":null}', '{"generationConfig":{"maxOutputTokens":70}}'],
    ['{"contents":[]}', '{"generationConfig":{"maxOutputTokens":70},"contents":[]}'],
  ] as const) {
    assert.equal(sent(text, { outputTokensMax: 70 }).body.toString(), cut);
  }
});

test("a budget of thoughts stays below the output that is paid for, in either spelling", () => {
  const cut = (text: string, outputTokensMax: number, model = "gemini-2.5-flash") => {
    const request = passedRequest(text, ["maxOutputTokens"], { outputTokensMax });
    const { body, dropped } = passingGemini.encode(request, upstream, "AIza1", model);
    return [body.toString(), dropped];
  };
  const rest = '"x":1.0,"contents":[ ]';
  const camel = (budget: string, bound: string): string =>
    `{"generationConfig": {"maxOutputTokens":${bound},"thinkingConfig": { "includeThoughts":true,"thinkingBudget": ${budget} }},${rest}}`;
  const snake = (budget: string, bound: string): string =>
    `{${rest},"generationConfig": {"thinking_config":{"thinking_budget":${budget}},"maxOutputTokens":${bound}}}`;
  for (const write of [camel, snake]) {
    assert.deepEqual(cut(write("8000", "9000"), 5_000), [write("4999", "5000"), undefined]);
    assert.deepEqual(cut(write('"8000"', '"9000"'), 5_000), [write("4999", "5000"), undefined]);
    for (const budget of ["4999", "0", "-1", "null", '"many"', "[9000]"])
      assert.deepEqual(cut(write(budget, "9000"), 5_000), [write(budget, "5000"), undefined]);
  }
  const off = (bound: number): string =>
    `{"generationConfig": {"maxOutputTokens":${bound},"thinkingConfig": {"thinkingBudget":0}},${rest}}`;
  const named = ["generationConfig.thinkingConfig.thinkingBudget"];
  for (const [model, bound, budget, dropped] of [
    ["gemini-2.5-flash", 2, 1, undefined],
    ["gemini-2.5-flash", 1, 0, named],
    ["gemini-2.5-flash-lite", 512, 0, named],
    ["gemini-2.5-flash-lite", 513, 512, undefined],
    ["gemini-2.5-pro", 100, 128, undefined],
    ["gemini-9-nobody-knows", 100, 512, undefined],
  ] as const)
    assert.deepEqual(
      cut(camel("8000", "9000"), bound, model),
      [budget === 0 ? off(bound) : camel(String(budget), String(bound)), dropped],
      model,
    );
  assert.equal(sent(camel("8000", "9000")).body.toString(), camel("8000", "9000"));
  assert.deepEqual(cut('{"generationConfig":{"thinkingConfig":[]}}', 70), [
    '{"generationConfig":{"maxOutputTokens":70,"thinkingConfig":[]}}',
    undefined,
  ]);
});
