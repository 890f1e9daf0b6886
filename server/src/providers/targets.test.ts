import assert from "node:assert/strict";
import { test } from "node:test";
import { providers } from "./index.ts";
import { presets } from "./presets.ts";
import { anyServer, targetAt, targets } from "./targets.ts";

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

test("a server of one's own is nobody's service: it has no key of anybody's", () => {
  const server = anyServer("anthropic");
  assert.deepEqual(server?.keyVariables, []);
  assert.equal(server?.needsKey, false);
  assert.equal(server?.baseUrl, undefined);
  assert.equal(anyServer("demo"), undefined);
});
