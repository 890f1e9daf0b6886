/** Keys of other services are told by how they begin, and Plaza's own never are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignKey } from "./foreign-key.ts";

test("keys of other services are told by how they begin, with the settings of their clients", () => {
  const keys = {
    "sk-ant-oat01-abc": ["Anthropic", "ANTHROPIC_AUTH_TOKEN, ANTHROPIC_API_KEY (apiKey, api_key)"],
    "sk-or-v1-abc": ["OpenRouter", "OPENROUTER_API_KEY (apiKey, api_key)"],
    "sk-proj-abc": ["OpenAI", "OPENAI_API_KEY (apiKey, api_key)"],
    "sk-svcacct-abc": ["OpenAI", "OPENAI_API_KEY (apiKey, api_key)"],
    AIzaSyAbc: ["Google", "GEMINI_API_KEY, GOOGLE_API_KEY (apiKey, api_key)"],
    "xai-abc": ["xAI", "XAI_API_KEY (apiKey, api_key)"],
    "eyJhbGciOi.abc": ["OAuth", "env_key (~/.codex/config.toml), apiKey, api_key"],
  };
  for (const [secret, [service, settings]] of Object.entries(keys))
    assert.deepEqual(foreignKey(secret), { service, settings });
});

test("a key that could be anyone's, or Plaza's own, is not told", () => {
  for (const secret of [
    "",
    "sk-",
    "sk-abc",
    "sk-plaza-abc",
    "SK-ANT-abc",
    " sk-ant-abc",
    "a sk-ant-b",
    "aiza",
    "abc",
    "ey",
  ])
    assert.equal(foreignKey(secret), undefined, secret);
});
