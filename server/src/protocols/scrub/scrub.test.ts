import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../lib/testing/any-character.ts";
import { scrub } from "./scrub.ts";
import { assertNothingOf, canaries, errorTexts, hostileTexts, namesWith } from "./scrub-canaries.ts";

for (const { name, secret } of canaries) {
  test(`nothing of ${name} is left in any error text`, () => {
    for (const text of errorTexts(secret)) assertNothingOf(secret, text, scrub(text));
  });
}

test("what helps the caller stays readable", () => {
  const kept = [
    "This model's maximum context length is 128000 tokens. However, you requested 150000 tokens (149000 in the messages, 1000 in the completion). Please reduce the length of the messages.",
    "Invalid value: 'robot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "Missing required parameter: 'messages[0].content'.",
    "messages.0.content: Input should be a valid string; tools.0.function.parameters is required",
    "The model gpt-4o-mini-2024-07-18 does not support image input, e.g. a PNG. Try claude-3-5-sonnet-20241022 or llama3.1:8b.",
    "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3.5 instead.",
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    "response_format.json_schema.schema must be an object at 05:18:00; step 3/4 failed.Please retry",
    "Grüße: 你好 🙂",
  ];
  for (const text of kept) assert.equal(scrub(text), text);
});

test("names of parameters and paths of public APIs stay in a caller's own 400", () => {
  const kept = [
    // Anthropic.
    "messages.1.content.0.thinking.signature: Field required",
    "messages.1.content.0.thinking.signature.str: Input should be a valid string",
    "messages.0.content.0.image.source.base64.data: Input should be a valid string",
    "messages.2.content.0.tool_result.content: Input should be a valid list",
    "messages.0.content.0.cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    "tools.0.custom.input_schema.properties.city.type: Field required",
    "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    // OpenAI and compatible services.
    "prompt_cache_key: must be at most 64 characters",
    "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.",
    '{"prompt_cache_key": "Extra inputs are not permitted"}',
    "extra_forbidden: body -> prompt_cache_key: Extra inputs are not permitted",
    "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. Please use /v1/responses instead.",
    "Invalid URL (POST /v1/chat/completion)",
    "Use the endpoint '/v1/responses' for this model",
    "Missing required parameter: 'tools[0].function.parameters.properties.a2.type'.",
    "web_search_options.user_location.approximate.country: must be ISO",
    "response_format.json_schema.schema.properties.key: 'x1' is odd",
    "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
    // Google and Bedrock.
    "* GenerateContentRequest.generation_config.response_schema.properties: should be non-empty for OBJECT type",
    "Invalid value at 'generation_config.thinking_config.thinking_budget' (TYPE_INT32), \"abc\"",
    "Function call is missing a thought_signature: see contents.1.parts.0.functionCall.thoughtSignature",
    "Malformed input request: #/messages/0/content: expected type: JSONArray, found: String",
    "Value at 'inferenceConfig.maxTokens' failed to satisfy constraint: messages.0.content.1.document.source.bytes",
  ];
  for (const text of kept) assert.equal(scrub(text), text);
});

for (const { name, secret } of canaries) {
  test(`nothing of ${name} is left beside or inside what looks like such a name`, () => {
    for (const text of namesWith(secret)) assertNothingOf(secret, text, scrub(text));
  });
}

test("one line, no invisible characters, no half characters", () => {
  assert.equal(scrub("a\r\nb\u001b[31mc\u202ed\u0000"), "a b [31mcd");
  assert.equal(scrub("s\u200bk-abcdef123456"), "[removed]");
  const long = scrub("🙂 ".repeat(2_000));
  assert(long.length <= 500 && long.isWellFormed());
});

test("at most 500 characters, and no half secret where a long text is cut", () => {
  const secret = `gsk_${"a1B2".repeat(10)}`;
  for (let pad = 3_900; pad < 4_010; pad += 1) {
    const clean = scrub(`${"xy ".repeat(pad / 3)}${"z".repeat(pad % 3)} ${secret}`);
    assert(clean.length <= 500);
    assert.equal(clean.includes("gsk_"), false);
  }
  for (let pad = 440; pad < 510; pad += 1) {
    assert.equal(scrub(`${"ab ".repeat(pad / 3)} ${secret} tail`).includes("a1B2"), false);
  }
  assert.equal(scrub("x".repeat(100_000)), "");
});

test("hostile texts of 100 KB pass (a quadratic pattern would not come back)", () => {
  for (const text of hostileTexts()) scrub(text);
});

test("scrubbing twice changes nothing that matters: no secret appears, length holds", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 3_000 }), (text) => {
      const clean = scrub(text);
      assert(clean.length <= 500);
      assert(clean.isWellFormed());
      assert.doesNotMatch(clean, /\p{Cc}/u);
    }),
  );
});
