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
