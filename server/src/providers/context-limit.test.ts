import assert from "node:assert/strict";
import { test } from "node:test";
import { contextLimitIn } from "./context-limit.ts";

const texts: readonly (readonly [who: string, text: string, limit: number | undefined])[] = [
  [
    "OpenAI",
    "This model's maximum context length is 128000 tokens. However, you requested 150000 tokens",
    128_000,
  ],
  [
    "OpenAI",
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300,000 tokens.",
    272_000,
  ],
  ["vLLM", "The decoder prompt (length 9000) is longer than the maximum model length of 8192.", 8192],
  ["SGLang", "The input (9000 tokens) exceeds maximum input length (8192).", 8192],
  ["SGLang", "Requested token count exceeds the model's maximum context length of 8,192 tokens.", 8192],
  [
    "OpenRouter",
    "This endpoint's maximum context length is 16385 tokens. However, you requested about 20000",
    16_385,
  ],
  ["Anthropic", "prompt is too long: 214783 tokens > 200000 maximum", 200_000],
  [
    "Anthropic",
    "input length and `max_tokens` exceed context limit: 198309 + 8192 > 200000, decrease",
    200_000,
  ],
  [
    "Gemini",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    1_048_576,
  ],
  ["Mistral", "Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32_768],
  ["xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
  ["DashScope", "Range of input length should be [1, 30720]", 30_720],
  [
    "llama.cpp",
    "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
    8192,
  ],
  ["Cerebras", "Please reduce the length of the messages. Current length is 9000 while limit is 8192", 8192],
  ["Moonshot", "Invalid request: Your request exceeded model token limit: 131072", 131_072],
  ["Together", "`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens", 8193],
  ["Bedrock", "Input is too long for requested model.", undefined],
  ["llama.cpp", "the request exceeds the available context size", undefined],
  ["a limit of nothing", "maximum context length is 0 tokens", undefined],
  ["digits without an end", `maximum context length is ${"9".repeat(400)}`, undefined],
];

for (const [who, text, limit] of texts) {
  test(`${who}: ${text.slice(0, 60)}`, () => assert.equal(contextLimitIn(text), limit));
}
