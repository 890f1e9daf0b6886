import assert from "node:assert/strict";
import { test } from "node:test";
import { providers } from "../index.ts";
import { presets } from "./presets.ts";
import { anyServer, targetAt, targetOfForm, targets } from "./targets.ts";

test("every preset and every provider with a network can be connected by name, each once", () => {
  const ids = targets.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const { id } of presets) assert.ok(ids.includes(id), id);
  for (const { id, transport } of providers) assert.equal(ids.includes(id), transport === "http", id);
});

test("services are known by their address", () => {
  assert.equal(targetAt("https://api.deepseek.com/v1")?.id, "deepseek");
  assert.equal(targetAt("https://dashscope.aliyuncs.com/compatible-mode/v1")?.id, "qwen");
  assert.equal(targetAt("http://localhost:11434")?.id, "ollama");
  assert.equal(targetAt("https://api.openai.com.example.net/v1"), undefined);
  assert.equal(targetAt("http://api.openai.com/v1"), undefined, "not without TLS");
});

test("services whose address only the operator knows are known by its form, and their key is shown nowhere unasked", () => {
  const google = "publishers/anthropic";
  for (const [address, id] of [
    ["https://bedrock-mantle.us-east-1.api.aws/v1", "bedrock-mantle"],
    ["https://bedrock-mantle.eu-west-1.api.aws/openai/v1/", "bedrock-mantle"],
    ["https://my-org-account.snowflakecomputing.com/api/v2/cortex/v1", "cortex"],
    [`https://aiplatform.googleapis.com/v1/projects/p-1/locations/global/${google}`, "vertex-anthropic"],
    [
      `https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/${google}`,
      "vertex-anthropic",
    ],
    [`https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu/${google}`, "vertex-anthropic"],
  ] as const) {
    assert.equal(targetOfForm(address)?.id, id, address);
    assert.equal(targetAt(address), undefined, address);
  }
  for (const address of [
    "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google",
    "https://bedrock-mantle.a.b.api.aws/v1",
    "https://bedrock-mantle.us-east-1.api.aws.example.net/v1",
    "https://evil.example/x.snowflakecomputing.com/api/v2/cortex/v1",
  ])
    assert.equal(targetOfForm(address), undefined, address);
});

test("a server of one's own is nobody's service: it has no key of anybody's", () => {
  const server = anyServer("anthropic");
  assert.deepEqual(server?.keyVariables, []);
  assert.equal(server?.needsKey, false);
  assert.equal(server?.baseUrl, undefined);
  assert.equal(anyServer("demo"), undefined);
});
