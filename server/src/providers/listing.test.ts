import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { exampleDescriptor } from "./example/descriptor.ts";
import { findListing, providers } from "./index.ts";
import type { Listing } from "./listing.ts";

function listing(provider: string): Listing {
  const found = findListing(provider);
  assert.ok(found);
  return found;
}

test("OpenAI's list, and the words compatible services add to it", () => {
  const { read } = listing("openai");
  const data = [
    { id: "plain", object: "model" },
    { id: "vllm", max_model_len: 8_192 },
    { id: "openrouter", name: "Router", context_length: 1_000, top_provider: { max_completion_tokens: 500 } },
    { id: "groq", context_window: 2_000, max_completion_tokens: 400 },
    { id: "together", display_name: "Together", type: "chat" },
    { id: "embed", type: "embedding" },
    { id: "ranker", type: "rerank" },
    { id: "ears", type: "transcribe" },
    { id: "noise", type: "audio" },
    { id: "ocr", capabilities: { completion_chat: false } },
    { id: "painter", architecture: { output_modalities: ["image"] } },
    { id: "vectors", architecture: { output_modalities: ["embeddings"] } },
    { id: "odd", context_length: -1, max_model_len: "8", context_window: 1.5, name: 7 },
    { id: "" },
    { name: "no id" },
    null,
    "text",
  ];
  const models = [
    { name: "plain" },
    { name: "vllm", context: 8_192 },
    { name: "openrouter", title: "Router", context: 1_000, maxOutput: 500 },
    { name: "groq", context: 2_000, maxOutput: 400 },
    { name: "together", title: "Together" },
    { name: "embed", operations: ["embeddings"] },
    { name: "ranker", operations: ["rerank"] },
    { name: "ears", operations: ["transcription"] },
    { name: "noise", isOther: true },
    { name: "ocr", isOther: true },
    { name: "painter", isOther: true },
    { name: "vectors", operations: ["embeddings"] },
    { name: "odd" },
  ];
  assert.deepEqual(read({ object: "list", data }), { models });
  assert.deepEqual(read(data), { models }, "some leave the wrapping out");
  assert.deepEqual(read({ object: "list", data: null }), { models: [] }, "Ollama without models");
  for (const other of [{}, { data: {} }, { data: null }, null, "text", 5, undefined])
    assert.equal(read(other), undefined);
});

test("Anthropic's pages follow one another by the last id", () => {
  const { path, read } = listing("anthropic");
  assert.equal(path("/v1/models", undefined), "/v1/models?limit=1000");
  assert.equal(path("/v1/models?limit=1", "a&b"), "/v1/models?limit=1000&after_id=a%26b");
  const data = [{ type: "model", id: "claude-x", display_name: "Claude X" }];
  const models = [{ name: "claude-x", title: "Claude X" }];
  assert.deepEqual(read({ data, has_more: true, last_id: "claude-x" }), { models, next: "claude-x" });
  assert.deepEqual(read({ data, has_more: false, last_id: "claude-x" }), { models });
  assert.equal(read({ models: [] }), undefined);
});

test("Gemini's list: names without their collection; what generates content answers chats, what embeds embeds", () => {
  const { path, read } = listing("google");
  assert.equal(path("/v1beta/models?pageSize=1", "t/1"), "/v1beta/models?pageSize=1000&pageToken=t%2F1");
  assert.equal(path("/", undefined), undefined, "Vertex has no such list");
  const models = [
    {
      name: "models/gemini-x",
      displayName: "Gemini X",
      inputTokenLimit: 10,
      outputTokenLimit: 5,
      supportedGenerationMethods: ["generateContent", "countTokens"],
    },
    { name: "models/embed", supportedGenerationMethods: ["embedContent"] },
    { name: "models/painter", supportedGenerationMethods: ["predict"] },
  ];
  assert.deepEqual(read({ models, nextPageToken: "t" }), {
    models: [
      { name: "gemini-x", title: "Gemini X", context: 10, maxOutput: 5 },
      { name: "embed", operations: ["embeddings"] },
      { name: "painter", isOther: true },
    ],
    next: "t",
  });
  assert.deepEqual(read({}), { models: [] });
  assert.equal(read({ data: [] }), undefined);
});

test("protocols whose deployments the operator names have no list", () => {
  assert.equal(findListing("bedrock"), undefined);
  assert.equal(findListing("azure"), undefined);
});

const listings = [...providers, exampleDescriptor].flatMap(({ listing: own }) => own ?? []);

test("no answer makes reading throw, and every name is text", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...listings), (value, { read }) => {
      for (const body of [value, { data: value }, { models: value }, { data: [value] }, { models: [value] }])
        for (const { name } of read(body)?.models ?? []) assert.ok(typeof name === "string" && name !== "");
    }),
  );
});
