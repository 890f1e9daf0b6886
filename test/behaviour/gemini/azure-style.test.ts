/**
 * The addresses of Azure's clients: the deployment is the model, whatever the body says; /openai/v1 is /v1.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { get, post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { completion, streamOf } from "../harness/openai-shapes.ts";
import { messageItem, response } from "../harness/responses-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";
import { tokens, vectorsAnswer } from "../harness/vector-shapes.ts";

let upstream: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  const responses = modelOn("responses", ["main"]);
  upstream = await startScriptedUpstream();
  app = await startApp({
    catalog: {
      upstreams: [upstreamAt("main", upstream.baseUrl)],
      models: [
        modelOn("gpt", ["main"]),
        modelOn("vendor/gpt:free", ["main"]),
        {
          ...responses,
          deployments: responses.deployments.map((one) => ({ ...one, formats: ["openai-responses"] })),
        },
        modelOn("legacy", ["main"], { operations: ["completion"] }),
        modelOn("vectors", ["main"], { operations: ["embeddings"] }),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
});

const ask = (path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Seen> =>
  post({
    url: `${app.origin}${path}`,
    key: "",
    headers: { ...headers, authorization: "", "api-key": account.key },
    body: JSON.stringify(body),
  });
const textCompletion = {
  ...completion(),
  object: "text_completion",
  choices: [{ text: "x", index: 0, logprobs: null, finish_reason: "stop" }],
};
const messages = [{ role: "user", content: "x" }];

test("the path's model is called, with or without one in the body", async () => {
  for (const [path, body] of [
    ["/openai/deployments/gpt/chat/completions?api-version=2024-10-21", { messages }],
    ["/openai/deployments/gpt/chat/completions?api-version=2024-10-21", { model: "other", messages }],
    ["/openai/deployments/vendor/gpt:free/chat/completions", { model: 7, messages }],
    ["/openai/deployments/vendor%2Fgpt%3Afree/chat/completions?x", { messages }],
    ["/openai/v1/chat/completions", { model: "gpt", messages }],
  ] as const) {
    upstream.answerWith({ body: completion({ message: { content: "Hello" } }) });
    const seen = await ask(path, body);
    assert.equal(seen.status, 200, `${path}: ${seen.body}`);
    assert.equal(upstream.calls[0]?.body["model"], "upstream-model", path);
    const found = await app.store.findRequest(String(seen.headers["x-request-id"]));
    assert.equal(found?.request.modelId, path.includes("vendor") ? "vendor/gpt:free" : "gpt");
  }
});

test("embeddings and completions, too", async () => {
  upstream.answerWith({ body: vectorsAnswer(1, { usage: tokens(10) }) });
  const vectors = await ask("/openai/deployments/vectors/embeddings?api-version=1", { input: "x" });
  assert.deepEqual([vectors.status, upstream.calls[0]?.path], [200, "/v1/embeddings"], String(vectors.body));
  upstream.answerWith({ body: textCompletion });
  const text = await ask("/openai/deployments/legacy/completions", { prompt: "x" });
  assert.deepEqual([text.status, upstream.calls[0]?.path], [200, "/v1/completions"], String(text.body));
});

test("responses at each of Azure's addresses, their stored state at two of them", async () => {
  for (const path of [
    "/openai/deployments/responses/responses?api-version=1",
    "/openai/responses?api-version=2025-04-01-preview",
    "/openai/v1/responses",
  ]) {
    upstream.answerWith({ body: response([messageItem("Hello")]) });
    const seen = await ask(path, { model: "responses", input: "x" });
    assert.equal(seen.status, 200, `${path}: ${seen.body}`);
    assert.deepEqual(
      [upstream.calls[0]?.path, upstream.calls[0]?.body["model"]],
      ["/v1/responses", "upstream-model"],
    );
    const { id } = JSON.parse(seen.body.toString()) as { id: string };
    for (const below of ["/openai/v1/responses", "/openai/responses"]) {
      const kept = await get(`${app.origin}${below}/${id}?api-version=1`, {
        authorization: `Bearer ${account.key}`,
      });
      assert.deepEqual([kept.status, (JSON.parse(kept.text) as { id: string }).id], [200, id]);
    }
  }
});

test("streams, and repeated calls, each deployment by itself", async () => {
  const chat = "chat/completions?api-version=1";
  upstream.answerWith({ events: streamOf([{ content: "Hel" }, { content: "lo" }]) });
  const streamed = await ask(`/openai/deployments/gpt/${chat}`, { messages, stream: true });
  assert.match(streamed.body.toString(), /"Hel".*"lo".*\[DONE\]/s);
  upstream.answerWith({ body: completion({ message: { content: "Hello" } }) });
  const key = { "idempotency-key": "azure-1" };
  const first = await ask(`/openai/deployments/gpt/${chat}`, { messages }, key);
  const again = await ask(`/openai/deployments/gpt/${chat}`, { messages }, key);
  assert.deepEqual([again.status, again.body.equals(first.body), upstream.calls.length], [200, true, 1]);
  const other = await ask(`/openai/deployments/vendor%2Fgpt%3Afree/${chat}`, { messages }, key);
  assert.equal(other.status, 422);
});

test("lists of models, and errors as OpenAI's SDK reads them", async () => {
  for (const path of ["/openai/v1/models", "/openai/models?api-version=1", "/openai/v1/models/gpt"]) {
    const seen = await get(`${app.origin}${path}`, { authorization: `Bearer ${account.key}` });
    assert.equal(seen.status, 200, path);
  }
  const unknown = await ask("/openai/deployments/nope/chat/completions", { messages });
  const { error } = JSON.parse(unknown.body.toString()) as { error: Record<string, unknown> };
  assert.deepEqual([unknown.status, error["code"], error["param"]], [404, "model_not_found", "model"]);
  const other = await ask("/openai/deployments/gpt/images/generations", {});
  assert.equal(other.status, 404);
  assert.match(other.body.toString(), /chat\/completions/);
});
