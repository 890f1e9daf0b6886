/**
 * Counts of tokens at the demo model, which needs no key and no network, with the unmodified SDKs of all
 * three vendors: what is counted is what an answer to the same request reports.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { demoUpstream, model } from "../behaviour/harness/catalogs.ts";
import { type Product, startProduct } from "../behaviour/harness/product.ts";

const demo = "demo";
let product: Product;
let key: string;

before(async () => {
  product = await startProduct({
    catalog: { upstreams: [demoUpstream], models: [model(demo, ["demo", "demo"])] },
  });
  ({ key } = await product.createKey(await product.createAccount()));
});
after(async () => {
  await product?.stop();
});

const schema = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };
const text = "How many tokens are these words? \u6570\u4e00\u6570";
const system = "Be brief, and say where.";

test("@anthropic-ai/sdk counts what its messages report", async () => {
  const client = new Anthropic({ baseURL: product.origin, apiKey: key, maxRetries: 0 });
  const asked = {
    model: demo,
    system,
    messages: [{ role: "user" as const, content: text }],
    tools: [{ name: "weather", input_schema: schema }],
  };
  const counted = await client.messages.countTokens(asked);
  const { usage } = await client.messages.create({ ...asked, max_tokens: 100 });
  assert.ok(counted.input_tokens > 20);
  assert.equal(counted.input_tokens, usage.input_tokens);
  const shorter = await client.messages.countTokens({ model: demo, messages: asked.messages });
  assert.ok(shorter.input_tokens < counted.input_tokens, "instructions and tools count");
});

test("openai counts what its responses report", async () => {
  const client = new OpenAI({ baseURL: `${product.origin}/v1`, apiKey: key, maxRetries: 0 });
  const tool = { type: "function" as const, name: "weather", parameters: schema, strict: false };
  const asked = { model: demo, input: text, instructions: system, tools: [tool] };
  const counted = await client.responses.inputTokens.count(asked);
  const { usage } = await client.responses.create({ ...asked, store: false });
  assert.equal(counted.object, "response.input_tokens");
  assert.equal(counted.input_tokens, usage?.input_tokens);
});

test("@google/genai counts what its contents report, and lists that it can", async () => {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: product.origin } });
  const counted = await client.models.countTokens({ model: demo, contents: text });
  const { usageMetadata } = await client.models.generateContent({ model: demo, contents: text });
  assert.ok((counted.totalTokens ?? 0) > 10);
  assert.equal(counted.totalTokens, usageMetadata?.promptTokenCount);
  const { supportedActions } = await client.models.get({ model: demo });
  assert.ok(supportedActions?.includes("countTokens"), String(supportedActions));
});
