/**
 * Gemini's embedContent and batchEmbedContents from end to end: what upstreams of Google's and of OpenAI's
 * format are asked, the vectors callers get, what is charged and what is refused.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { parseUsd } from "@plaza/contract/money.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { readError } from "../harness/error-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";
import { numbersOf, tokens, vectorOf, vectorsAnswer } from "../harness/vector-shapes.ts";

let google: ScriptedUpstream;
let openai: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  google = await startScriptedUpstream();
  openai = await startScriptedUpstream();
  const origin = google.baseUrl.replace(/\/v1$/, "");
  const vectors = { operations: ["embeddings"] } as const;
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("google", `${origin}/v1beta`, { provider: "google" }),
        upstreamAt("vertex", `${origin}/v1/projects/p/locations/l/publishers/google`, {
          provider: "google",
          credentials: ["ya29.token"],
        }),
        upstreamAt("openai", openai.baseUrl),
      ],
      models: [
        modelOn("vectors", ["google"], vectors),
        modelOn("vendor/vectors:free", ["google"], vectors),
        modelOn("vertex", ["vertex"], vectors),
        modelOn("openai", ["openai"], vectors),
        modelOn("limited", ["openai"], { ...vectors, limits: { requestsPerMinute: 1 } }),
        modelOn("gpt", ["openai"]),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await google?.stop();
  await openai?.stop();
});

type Fields = Record<string, unknown>;
const content = (...texts: string[]): object => ({ parts: texts.map((text) => ({ text })) });
const textIn = ({ body }: Seen): string => body.toString("utf8");
const jsonOf = (seen: Seen): Fields => JSON.parse(textIn(seen)) as Fields;

interface Asked {
  readonly model?: string;
  readonly from?: TestAccount;
  readonly version?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(method: string, body: object, asked: Asked = {}): Promise<Seen> {
  const { model = "openai", from = account, version = "v1beta", headers = {} } = asked;
  return post({
    url: `${app.origin}/${version}/models/${model}:${method}`,
    key: from.key,
    headers,
    body: JSON.stringify(body),
  });
}

const one = (body: object = {}, asked: Asked = {}): Promise<Seen> =>
  ask("embedContent", { content: content("hello"), ...body }, asked);
const many = (requests: readonly object[], asked: Asked = {}): Promise<Seen> =>
  ask("batchEmbedContents", { requests }, asked);

function assertRefused(seen: Seen, status: number, code: string, param: string | null = null): void {
  assert.equal(seen.status, status, textIn(seen));
  const told = readError(textIn(seen), "gemini");
  assert.deepEqual([told.code, told.param], [code, param], textIn(seen));
}

const dropped = (seen: Seen): unknown => seen.headers["x-plaza-dropped-params"];
const charge = parseUsd("0.00001");

describe("at an upstream of OpenAI's format", () => {
  test("one text is one vector, charged by the report", async () => {
    for (const version of ["v1beta", "v1"]) {
      openai.answerWith({ body: vectorsAnswer(1, { usage: tokens(10) }) });
      const seen = await one({ outputDimensionality: 4, model: "models/openai" }, { version });
      assert.equal(seen.status, 200, textIn(seen));
      assert.match(String(seen.headers["content-type"]), /^application\/json/);
      assert.deepEqual(jsonOf(seen), {
        embedding: { values: numbersOf(vectorOf(0, 4)) },
        usageMetadata: { promptTokenCount: 10 },
      });
      const [call] = openai.calls;
      assert.equal(call?.path, "/v1/embeddings");
      assert.deepEqual(call?.body, { model: "upstream-model", input: ["hello"], dimensions: 4 });
      const found = await app.store.findRequest(String(seen.headers["x-request-id"]));
      const row = found?.request;
      assert.deepEqual(
        [row?.operation, row?.state, row?.inputTokens, row?.usageSource, row?.charge],
        ["embeddings", "complete", 10, "exact", charge],
      );
    }
  });

  test("texts are vectors in their order; base64 becomes numbers; what is not reported is estimated", async () => {
    for (const form of ["float", "base64"] as const) {
      openai.answerWith({ body: vectorsAnswer(2, { form }) });
      const seen = await many([{ content: content("a") }, { content: content("b", "c") }]);
      assert.equal(seen.status, 200, textIn(seen));
      const { embeddings, ...rest } = jsonOf(seen) as { embeddings: { values: number[] }[] };
      assert.deepEqual(
        embeddings.map(({ values }) => Float32Array.from(values)),
        [vectorOf(0, 4), vectorOf(1, 4)],
      );
      assert.deepEqual(rest, {});
      assert.deepEqual(openai.calls[0]?.body["input"], ["a", "bc"]);
      const found = await app.store.findRequest(String(seen.headers["x-request-id"]));
      assert.equal(found?.request.usageSource, "estimated");
    }
  });

  test("what the format has no field for is left out and told", async () => {
    openai.answerWith({ body: vectorsAnswer(1, { usage: tokens(1) }) });
    const seen = await one({ task_type: "RETRIEVAL_DOCUMENT", title: "A title" });
    assert.deepEqual([seen.status, dropped(seen)], [200, "taskType, title"]);
    assert.deepEqual(openai.calls[0]?.body, { model: "upstream-model", input: ["hello"] });
    openai.answerWith({ body: vectorsAnswer(1, { usage: tokens(1) }) });
    assert.equal(dropped(await one({ taskType: "TASK_TYPE_UNSPECIFIED" })), undefined);
  });

  test("answers that do not fit are no answers", async () => {
    for (const body of [
      vectorsAnswer(2, {}),
      vectorsAnswer(1, { dimensions: 3 }),
      { object: "list", data: [{ object: "embedding", index: 0, embedding: [[0.5, 1]] }], model: "m" },
      { object: "list", data: [{ object: "embedding", index: 0, embedding: { 1: 0.5 } }], model: "m" },
    ]) {
      openai.answerWith({ body });
      assertRefused(await one({ outputDimensionality: 4 }), 502, "upstream_error");
    }
  });
});

describe("at Google", () => {
  const answer = (count: number, usage?: object): object => ({
    embeddings: Array.from({ length: count }, (_, index) => ({ values: numbersOf(vectorOf(index, 4)) })),
    ...(usage === undefined ? {} : { usageMetadata: usage }),
  });

  test("purpose, titles and length go up as they came", async () => {
    google.answerWith({ body: answer(2, { promptTokenCount: 7 }) });
    const shared = { taskType: "RETRIEVAL_DOCUMENT", outputDimensionality: 4 };
    const seen = await many(
      [
        { model: "models/vectors", content: content("a"), title: "First", ...shared },
        { content: content("b"), task_type: "RETRIEVAL_DOCUMENT", output_dimensionality: "4" },
      ],
      { model: "vectors" },
    );
    assert.equal(seen.status, 200, textIn(seen));
    const { embeddings, usageMetadata } = jsonOf(seen);
    assert.deepEqual(usageMetadata, { promptTokenCount: 7 });
    assert.deepEqual(
      (embeddings as { values: number[] }[]).map(({ values }) => Float32Array.from(values)),
      [vectorOf(0, 4), vectorOf(1, 4)],
    );
    const [call] = google.calls;
    assert.equal(call?.path, "/v1beta/models/upstream-model:batchEmbedContents");
    const model = "models/upstream-model";
    assert.deepEqual(call?.body["requests"], [
      { model, content: content("a"), title: "First", ...shared },
      { model, content: content("b"), ...shared },
    ]);
    assert.equal(dropped(seen), undefined);
  });

  test("a model's name with slashes and colons; one text; what this API has no word for is told", async () => {
    google.answerWith({ body: answer(1) });
    const seen = await one({ autoTruncate: true }, { model: "vendor%2Fvectors:free" });
    assert.deepEqual([seen.status, dropped(seen)], [200, "autoTruncate"], textIn(seen));
    assert.deepEqual(Object.keys(jsonOf(seen)), ["embedding"]);
  });

  test("Vertex AI's own method", async () => {
    const statistics = { token_count: 3, truncated: false };
    google.answerWith({ body: { predictions: [{ embeddings: { values: [0.5, 1], statistics } }] } });
    const seen = await one({ embedContentConfig: { title: "T", autoTruncate: true } }, { model: "vertex" });
    assert.deepEqual(jsonOf(seen), {
      embedding: { values: [0.5, 1] },
      usageMetadata: { promptTokenCount: 3 },
    });
    assert.deepEqual(google.calls[0]?.body, {
      instances: [{ content: "hello", title: "T" }],
      parameters: { autoTruncate: true },
    });
    assert.equal(dropped(seen), undefined);
  });
});

describe("what is refused", () => {
  test("with the field's name, before anything is called", async () => {
    openai.answerWith({ body: vectorsAnswer(1, {}) });
    const bad = "invalid_request";
    for (const [body, code, param] of [
      [{ content: undefined }, bad, "content.parts"],
      [{ content: { parts: [] } }, bad, "content.parts"],
      [{ content: content("") }, bad, "content"],
      [{ content: { parts: [{ text: 7 }] } }, bad, "content.parts[0]"],
      [
        { content: { parts: [{ text: "a" }, { inlineData: { mimeType: "image/png", data: "AA==" } }] } },
        "unsupported_parameter",
        "content.parts[1].inlineData",
      ],
      [{ outputDimensionality: -1 }, bad, "outputDimensionality"],
      [{ output_dimensionality: 1.5 }, bad, "outputDimensionality"],
      [{ outputDimensionality: 100_000 }, bad, "outputDimensionality"],
      [{ taskType: "MADE_UP" }, bad, "taskType"],
      [{ title: 7 }, bad, "title"],
      [{ model: "models/other" }, bad, "model"],
      [{ madeUp: 1 }, "unsupported_parameter", "madeUp"],
      [{ serviceTier: "priority" }, "unsupported_parameter", "serviceTier"],
    ] as const)
      assertRefused(await one(body), 400, code, param);
    const fine = { content: content("a") };
    for (const [requests, param] of [
      [[], "requests"],
      [[fine, { content: content("b"), taskType: "CLUSTERING" }], "requests[1].taskType"],
      [[fine, { content: content("b"), outputDimensionality: 3 }], "requests[1].outputDimensionality"],
      [[fine, { content: 7 }], "requests[1].content.parts"],
      [Array.from({ length: 2_049 }, () => fine), "requests"],
    ] as const)
      assertRefused(await many(requests), 400, bad, param);
    assertRefused(await one({}, { model: "gpt" }), 400, "wrong_endpoint", "model");
    assertRefused(await one({}, { model: "nope" }), 404, "model_not_found", "model");
    assertRefused(await one({}, { from: { ...account, key: "sk-plaza-wrong" } }), 401, "invalid_api_key");
    const poor = await app.newAccount("0.0000001");
    assertRefused(await one({}, { from: poor }), 402, "insufficient_balance");
    assert.equal(openai.calls.length, 0);
  });

  test("beyond a limit; and what an upstream refuses", async () => {
    openai.answerWith({ body: vectorsAnswer(1, { usage: tokens(1) }) });
    assert.equal((await one({}, { model: "limited" })).status, 200);
    assertRefused(await one({}, { model: "limited" }), 429, "rate_limit_exceeded");
    const error = { message: "no", type: "invalid_request_error", param: null, code: null };
    openai.answerWith({ status: 400, body: { error } });
    assert.equal((await one()).status, 400);
    const named = { ...error, param: "dimensions", code: "unsupported_value" };
    openai.answerWith({ status: 400, body: { error: named } });
    assertRefused(await one({ outputDimensionality: 3 }), 400, "unsupported_value", "outputDimensionality");
  });
});

test("a repeated call is answered from what is kept; another title or purpose is another call", async () => {
  const headers = { "idempotency-key": "embed-1" };
  openai.answerWith({ body: vectorsAnswer(1, { usage: tokens(2) }) });
  const first = await one({ title: "A" }, { headers });
  const again = await one({ title: "A" }, { headers });
  assert.deepEqual([again.status, textIn(again)], [200, textIn(first)]);
  assert.equal(openai.calls.length, 1);
  assertRefused(await one({ title: "B" }, { headers }), 422, "idempotency_key_reused");
});
