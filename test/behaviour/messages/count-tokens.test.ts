/**
 * `POST /v1/messages/count_tokens` from end to end: an upstream's own count or a 404, free of charge, for
 * callers with a key and within their limits.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let other: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  upstream = await startScriptedUpstream();
  other = await startScriptedUpstream();
  const origin = upstream.baseUrl.replace(/\/v1$/, "");
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("claude", upstream.baseUrl, { provider: "anthropic" }),
        upstreamAt("second", other.baseUrl, { provider: "anthropic" }),
        upstreamAt("chat", other.baseUrl),
        upstreamAt("gemini", `${origin}/v1beta`, { provider: "google" }),
        upstreamAt("vertex", `${origin}/v1/projects/p/locations/global/publishers/google`, {
          provider: "google",
          credentials: ["ya29.token"],
        }),
      ],
      models: [
        modelOn("claude", ["claude"]),
        modelOn("two", ["claude", "second"]),
        modelOn("mixed", ["chat", "claude"]),
        modelOn("gpt", ["chat"], { fallbacks: ["claude"] }),
        modelOn("gemini", ["gemini"]),
        modelOn("vertex", ["vertex"]),
        modelOn("limited", ["claude"], { limits: { requestsPerMinute: 2 } }),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("0");
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
  await other?.stop();
});

const asked = {
  system: "Be brief.",
  tools: [{ name: "look", input_schema: { type: "object", properties: {} } }],
  messages: [{ role: "user", content: "Hi" }],
};

const count = (
  body: object = {},
  headers: Readonly<Record<string, string>> = {},
  key = account.key,
): Promise<Seen> =>
  post({
    url: `${app.origin}/v1/messages/count_tokens?beta=true`,
    key,
    headers,
    body: JSON.stringify({ model: "claude", ...asked, ...body }),
  });

const textOf = ({ body }: Seen): string => body.toString("utf8");
const errorOf = (seen: Seen): unknown[] => {
  const { type, error } = JSON.parse(textOf(seen)) as { type: string; error: Record<string, unknown> };
  return [seen.status, type, error["type"], error["code"]];
};

test("at Anthropic the caller's bytes are counted, and its count comes back, for nothing", async () => {
  upstream.answerWith({ body: { input_tokens: 412 } });
  const seen = await count({}, { "anthropic-beta": "token-counting-2024-11-01" });
  assert.deepEqual([seen.status, textOf(seen)], [200, '{"input_tokens":412}']);
  const [call] = upstream.calls;
  assert.equal(call?.path, "/v1/messages/count_tokens");
  assert.equal(call?.text, JSON.stringify({ model: "upstream-model", ...asked }));
  assert.equal(call?.headers["anthropic-beta"], "token-counting-2024-11-01");
  assert.equal(call?.headers["x-api-key"], "sk-up");
  const row = await app.newestRow(account.accountId, 1);
  assert.deepEqual([row.charge, row.inputTokens, row.state], [nanoUsd(0n), 0, "complete"]);
});

test("Google counts instructions and tools too", async () => {
  upstream.answerWith({ body: { totalTokens: 31 } });
  assert.equal(textOf(await count({ model: "gemini" })), '{"input_tokens":31}');
  const [gemini] = upstream.calls;
  assert.equal(gemini?.path, "/v1beta/models/upstream-model:countTokens");
  const whole = gemini?.body["generateContentRequest"] as Record<string, unknown>;
  assert.equal(whole["model"], "models/upstream-model");
  assert.ok("systemInstruction" in whole && "tools" in whole && "contents" in whole);
  upstream.answerWith({ body: { totalTokens: 32, totalBillableCharacters: 9 } });
  assert.equal(textOf(await count({ model: "vertex" })), '{"input_tokens":32}');
  assert.deepEqual(Object.keys(upstream.calls[0]?.body ?? {}), ["contents", "systemInstruction", "tools"]);
});

test("where nobody counts it is a 404 in Anthropic's shape, and no other model's count", async () => {
  upstream.answerWith({ body: { input_tokens: 412 } });
  const seen = await count({ model: "gpt" });
  assert.deepEqual(errorOf(seen), [404, "error", "not_found_error", "not_found"]);
  assert.deepEqual([upstream.calls.length, other.calls.length], [0, 0]);
  assert.equal(textOf(await count({ model: "mixed" })), '{"input_tokens":412}');
});

test("a compatible server without the path is no failure of the deployment", async () => {
  upstream.answerWith({ status: 404, body: { detail: "Not Found" } });
  for (let times = 0; times < 12; times += 1)
    assert.deepEqual(errorOf(await count()), [404, "error", "not_found_error", "not_found"]);
  upstream.answerWith({ body: { input_tokens: 7 } });
  assert.equal(textOf(await count()), '{"input_tokens":7}');
});

test("trouble is tried elsewhere; a count that can be none is no count", async () => {
  upstream.answerWith({
    status: 529,
    body: { type: "error", error: { type: "overloaded_error", message: "" } },
  });
  other.answerWith({ body: { input_tokens: 9 } });
  assert.equal(textOf(await count({ model: "two" })), '{"input_tokens":9}');
  for (const body of [{}, { input_tokens: -1 }, { input_tokens: "9" }, "<html>"]) {
    upstream.answerWith({ body });
    other.answerWith({ body });
    assert.equal((await count({ model: "two" })).status, 502, JSON.stringify(body));
  }
});

test("it takes a key, a body and a place within the limits, and no money", async () => {
  upstream.answerWith({ body: { input_tokens: 7 } });
  assert.deepEqual(errorOf(await count({}, {}, "sk-none")), [
    401,
    "error",
    "authentication_error",
    "invalid_api_key",
  ]);
  assert.deepEqual(errorOf(await count({ messages: "Hi" })), [
    400,
    "error",
    "invalid_request_error",
    "invalid_request",
  ]);
  const search = { type: "web_search_20250305", name: "web_search" };
  assert.equal((await count({ tools: [search] })).status, 200);
  assert.equal((await count({ tools: [...asked.tools, search] })).status, 200);
  assert.deepEqual(upstream.calls.at(-1)?.body["tools"], [...asked.tools, search]);
  assert.equal((await count({ model: "limited" })).status, 200);
  assert.equal((await count({ model: "limited" })).status, 200);
  assert.deepEqual(errorOf(await count({ model: "limited" })), [
    429,
    "error",
    "rate_limit_error",
    "rate_limit_exceeded",
  ]);
});
