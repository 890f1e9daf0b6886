/**
 * Gemini's countTokens from end to end: an upstream's own count or a 404, free of charge, for callers with a
 * key and within their limits.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { get, post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { readError } from "../harness/error-shapes.ts";
import { geminiError } from "../harness/gemini-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  upstream = await startScriptedUpstream();
  const origin = upstream.baseUrl.replace(/\/v1$/, "");
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("google", `${origin}/v1beta`, { provider: "google" }),
        upstreamAt("vertex", `${origin}/v1/projects/p/locations/global/publishers/google`, {
          provider: "google",
          credentials: ["ya29.token"],
        }),
        upstreamAt("claude", upstream.baseUrl, { provider: "anthropic" }),
        upstreamAt("chat", upstream.baseUrl),
        upstreamAt("demo", "", { provider: "demo", credentials: [] }),
      ],
      models: [
        modelOn("gemini", ["google"]),
        modelOn("vertex", ["vertex"]),
        modelOn("claude", ["claude"]),
        modelOn("gpt", ["chat"]),
        modelOn("demo", ["demo"]),
        modelOn("either", ["chat", "google"]),
        modelOn("vectors", ["chat"], { operations: ["embeddings"] }),
        modelOn("limited", ["google"], { limits: { requestsPerMinute: 1 } }),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("0");
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
});

const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
const systemInstruction = { parts: [{ text: "Be brief." }] };
const tools = [{ functionDeclarations: [{ name: "look", parametersJsonSchema: { type: "object" } }] }];

function countText(body: string, model = "gemini", key = account.key, version = "v1beta"): Promise<Seen> {
  return post({ url: `${app.origin}/${version}/models/${model}:countTokens`, key, headers: {}, body });
}
const count = (body: object, model?: string, key?: string, version?: string): Promise<Seen> =>
  countText(JSON.stringify(body), model, key, version);

const textOf = ({ body }: Seen): string => body.toString("utf8");
function assertRefused(seen: Seen, status: number, code: string, param: string | null = null): void {
  assert.equal(seen.status, status, textOf(seen));
  const told = readError(textOf(seen), "gemini");
  assert.deepEqual([told.code, told.param], [code, param], textOf(seen));
}

test("at Google the caller's bytes are counted, and its answer comes back, for nothing", async () => {
  const answer = { totalTokens: 31, promptTokensDetails: [{ modality: "TEXT", tokenCount: 31 }] };
  for (const version of ["v1beta", "v1"]) {
    upstream.answerWith({ body: answer });
    const seen = await countText('{ "contents":[ {"parts":[{"text":"é"}]} ] }', "gemini", undefined, version);
    assert.deepEqual([seen.status, textOf(seen)], [200, JSON.stringify(answer)]);
    const [call] = upstream.calls;
    assert.equal(call?.path, "/v1beta/models/upstream-model:countTokens");
    assert.equal(
      call?.text,
      '{"generateContentRequest":{"model":"models/upstream-model", "contents":[ {"parts":[{"text":"é"}]} ] }}',
    );
    assert.equal(call?.headers["x-goog-api-key"], "sk-up");
    const found = await app.store.findRequest(String(seen.headers["x-request-id"]));
    assert.deepEqual(
      [found?.request.charge, found?.request.inputTokens, found?.request.state],
      [nanoUsd(0n), 0, "complete"],
    );
  }
});

test("a whole request is counted with its instructions and tools, in either spelling", async () => {
  upstream.answerWith({ body: { totalTokens: 40 } });
  const whole = { model: "models/other", contents, systemInstruction, tools };
  assert.equal(textOf(await count({ generateContentRequest: whole })), '{"totalTokens":40}');
  assert.deepEqual(upstream.calls[0]?.body["generateContentRequest"], {
    ...whole,
    model: "models/upstream-model",
  });
  upstream.answerWith({ body: { totalTokens: 41 } });
  const snake = { contents, system_instruction: systemInstruction, tools, generation_config: { top_k: 1 } };
  assert.equal(textOf(await count({ generate_content_request: snake }, "vertex")), '{"totalTokens":41}');
  assert.deepEqual(upstream.calls[0]?.body, { contents, systemInstruction, tools });
});

test("other upstreams that count are asked in their own format", async () => {
  upstream.answerWith({ body: { input_tokens: 12 } });
  const seen = await count({ generateContentRequest: { contents, systemInstruction, tools } }, "claude");
  assert.deepEqual([seen.status, textOf(seen)], [200, '{"totalTokens":12}']);
  const [call] = upstream.calls;
  assert.equal(call?.path, "/v1/messages/count_tokens");
  assert.ok("system" in (call?.body ?? {}) && "tools" in (call?.body ?? {}));
});

test("where no upstream counts it is a 404 that says so", async () => {
  assertRefused(await count({ contents }, "gpt"), 404, "not_found");
  assert.match(textOf(await count({ contents }, "gpt")), /counts tokens/);
  upstream.answerWith({ status: 404, body: geminiError(404, "NOT_FOUND") });
  assertRefused(await count({ contents }), 404, "not_found");
});

test("the list of models names the method where an upstream counts, and nowhere else", async () => {
  const headers = { "x-goog-api-key": account.key };
  const methodsOf = (model: { supportedGenerationMethods: string[] }) => model.supportedGenerationMethods;
  const plain = ["generateContent", "streamGenerateContent"];
  const expected: Readonly<Record<string, readonly string[]>> = {
    gemini: [...plain, "countTokens"],
    vertex: [...plain, "countTokens"],
    claude: [...plain, "countTokens"],
    demo: [...plain, "countTokens"],
    either: [...plain, "countTokens"],
    gpt: plain,
    vectors: ["embedContent", "batchEmbedContents"],
  };
  for (const path of ["/v1beta/models", "/v1/models"]) {
    const listed = await get(`${app.origin}${path}`, headers);
    const { models } = JSON.parse(listed.text) as {
      models: { name: string; supportedGenerationMethods: string[] }[];
    };
    for (const [id, methods] of Object.entries(expected)) {
      const model = models.find(({ name }) => name === `models/${id}`);
      assert.ok(model !== undefined, id);
      assert.deepEqual(methodsOf(model), methods, id);
      const one = await get(`${app.origin}${path}/${id}`, headers);
      assert.deepEqual(methodsOf(JSON.parse(one.text)), methods, id);
    }
  }
});

test("what can be no count is none, and what is refused is named", async () => {
  for (const body of [{}, { totalTokens: -1 }, { totalTokens: "9" }, "<html>"]) {
    upstream.answerWith({ body });
    assert.equal((await count({ contents })).status, 502, JSON.stringify(body));
  }
  upstream.answerWith({ body: { totalTokens: 9 } });
  const whole = { contents };
  const bad = "invalid_request";
  assertRefused(await count({}), 400, bad, "contents");
  assertRefused(await count({ generateContentRequest: {} }), 400, bad, "contents");
  assertRefused(await count({ generateContentRequest: [] }), 400, bad, "generateContentRequest");
  assertRefused(await count({ contents, generateContentRequest: whole }), 400, bad, "generateContentRequest");
  assertRefused(
    await count({ generateContentRequest: whole, generate_content_request: whole }),
    400,
    bad,
    "generateContentRequest",
  );
  const twice = '{"generateContentRequest":{"contents":[1],"contents":[2]}}';
  assertRefused(await countText(twice), 400, bad, "contents");
  const cached = { contents, cached_content: "cachedContents/a" };
  assertRefused(await count({ generateContentRequest: cached }), 404, "not_found", "cachedContent");
  const stored = { contents: [{ parts: [{ fileData: { fileUri: "files/a" } }] }] };
  const uri = "contents[0].parts[0].fileData.fileUri";
  assertRefused(await count({ generateContentRequest: stored }), 404, "not_found", uri);
  assertRefused(await count(stored), 404, "not_found", uri);
  assertRefused(await count({ contents }, "nope"), 404, "model_not_found", "model");
  assertRefused(await count({ contents }, "gemini", "sk-none"), 401, "invalid_api_key");
  assert.equal(upstream.calls.length, 0);
  assert.equal((await count({ contents }, "limited")).status, 200);
  assertRefused(await count({ contents }, "limited"), 429, "rate_limit_exceeded");
});
