import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { providers } from "../index.ts";
import { presets } from "./presets.ts";
import { catalogProviderOf, ownerOfAddress } from "./priced-at.ts";

test("an address decides whose prices apply", () => {
  const addresses = {
    "https://api.openai.com/v1": "openai",
    "https://api.anthropic.com": "anthropic",
    "https://generativelanguage.googleapis.com/v1beta": "google",
    "https://us-central1-aiplatform.googleapis.com/v1": "vertex",
    "https://aiplatform.googleapis.com/v1": "vertex",
    "https://aiplatform.eu.rep.googleapis.com/v1": "vertex",
    "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/anthropic": "vertex",
    "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/google": "vertex",
    "https://bedrock-runtime.eu-west-1.amazonaws.com": "bedrock",
    "https://somebody.openai.azure.com/openai/v1": "azure",
    "https://api.z.ai/api/paas/v4": "zhipu",
    "https://open.bigmodel.cn/api/paas/v4": "zhipu-cn",
    "https://API.X.AI:443/v1": "xai",
  };
  for (const [address, provider] of Object.entries(addresses))
    assert.equal(catalogProviderOf(address), provider);
});

test("no prices for a proxy, another country's address, a look-alike or nonsense", () => {
  const addresses = [
    "http://127.0.0.1:9000/v1",
    "https://api.moonshot.cn/v1",
    "https://api.openai.com.example/v1",
    "https://example/api.openai.com",
    "https://notapi.openai.com",
    "https://xaiplatform.googleapis.com",
    // Claude costs more here than at the address the catalog's prices are from.
    "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic",
    "https://aiplatform.us.rep.googleapis.com/v1/projects/p/locations/us/publishers/anthropic/",
    "not an address",
    "",
  ];
  for (const address of addresses) assert.equal(catalogProviderOf(address, "openai"), undefined, address);
});

test("Ollama is known by its preset, wherever it runs", () => {
  assert.equal(catalogProviderOf("http://127.0.0.1:11434/v1", "ollama"), "ollama");
  assert.equal(catalogProviderOf("http://127.0.0.1:11434/v1"), undefined);
});

test("whose address it is: Vertex AI's is Google's provider, China's Zhipu is the preset of the world's", () => {
  const owners = {
    "https://us-central1-aiplatform.googleapis.com/v1": "google",
    "https://open.bigmodel.cn/api/paas/v4": "zhipu",
    "https://api.x.ai/v1": "xai",
  };
  for (const [address, owner] of Object.entries(owners)) assert.equal(ownerOfAddress(address), owner);
  assert.equal(ownerOfAddress("https://upstream.example"), undefined);
});

test("every file of prices that a provider or preset names is there", () => {
  const named = [...providers, ...presets].flatMap(({ pricedAt = [] }) =>
    pricedAt.map(({ catalog }) => catalog),
  );
  for (const catalog of [...named, ...presets.flatMap(({ pricedAnywhere = [] }) => pricedAnywhere)]) {
    const file = new URL(`../../../../catalog/models/${catalog}.json`, import.meta.url);
    assert.ok(existsSync(file), catalog);
  }
});
