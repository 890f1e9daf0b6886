/**
 * The `AzureOpenAI` client of the official `openai` package, unmodified, against the product: only endpoint
 * and key are set. And the plain client at `/openai/v1`, as Azure tells its customers now.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI, { AuthenticationError, AzureOpenAI, NotFoundError } from "openai";
import { model, openaiUpstream } from "../behaviour/harness/catalogs.ts";
import { completion, streamOf } from "../behaviour/harness/openai-shapes.ts";
import { type Product, startProduct } from "../behaviour/harness/product.ts";
import { messageItem, response } from "../behaviour/harness/responses-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../behaviour/harness/scripted-upstream.ts";
import { tokens, vectorsAnswer } from "../behaviour/harness/vector-shapes.ts";

let upstream: ScriptedUpstream;
let product: Product;
let apiKey: string;
let client: AzureOpenAI;

const clientOf = (key: string): AzureOpenAI =>
  new AzureOpenAI({ endpoint: product.origin, apiKey: key, apiVersion: "2025-04-01-preview", maxRetries: 0 });

before(async () => {
  upstream = await startScriptedUpstream();
  const speaking = model("responses", ["main", "gpt-5.6"]);
  product = await startProduct({
    catalog: {
      upstreams: [openaiUpstream("main", upstream.baseUrl)],
      models: [
        model("gpt", ["main", "upstream-model"]),
        {
          ...speaking,
          deployments: speaking.deployments.map((one) => ({ ...one, formats: ["openai-responses"] })),
        },
        { ...model("legacy", ["main", "upstream-model"]), operations: ["completion"] },
        { ...model("vectors", ["main", "upstream-model"]), operations: ["embeddings"] },
      ],
    },
  });
  ({ key: apiKey } = await product.createKey(await product.createAccount()));
  client = clientOf(apiKey);
});
after(async () => {
  await product?.stop();
  await upstream?.stop();
});

const messages = [{ role: "user" as const, content: "Say it." }];

test("chat, whole and streamed, at the deployment that is the model", async () => {
  upstream.answerWith({ body: completion({ message: { content: "Hello" } }) });
  const whole = await client.chat.completions.create({ model: "gpt", messages });
  assert.equal(whole.choices[0]?.message.content, "Hello");
  assert.equal(upstream.calls[0]?.body["model"], "upstream-model");
  upstream.answerWith({ events: streamOf([{ content: "Hel" }, { content: "lo" }]) });
  let text = "";
  for await (const chunk of await client.chat.completions.create({ model: "gpt", messages, stream: true }))
    text += chunk.choices[0]?.delta.content ?? "";
  assert.equal(text, "Hello");
});

test("a deployment set once serves calls whatever model they name", async () => {
  upstream.answerWith({ body: completion({ message: { content: "Hello" } }) });
  const deployed = new AzureOpenAI({
    endpoint: product.origin,
    apiKey,
    apiVersion: "2024-10-21",
    deployment: "gpt",
    maxRetries: 0,
  });
  const answer = await deployed.chat.completions.create({ model: "what-the-caller-says", messages });
  assert.equal(answer.choices[0]?.message.content, "Hello");
});

test("completions, embeddings, responses and the list of models", async () => {
  const choices = [{ text: "x", index: 0, logprobs: null, finish_reason: "stop" }];
  upstream.answerWith({ body: { ...completion(), object: "text_completion", choices } });
  const legacy = await client.completions.create({ model: "legacy", prompt: "x" });
  assert.equal(legacy.choices[0]?.text, "x");
  upstream.answerWith({ body: vectorsAnswer(1, { form: "base64", usage: tokens(2) }) });
  const vectors = await client.embeddings.create({ model: "vectors", input: "x" });
  assert.equal(vectors.data[0]?.embedding.length, 4);
  upstream.answerWith({ body: response([messageItem("Hello")]) });
  const answer = await client.responses.create({ model: "responses", input: "Say it.", store: false });
  assert.equal(answer.output_text, "Hello");
  assert.equal(upstream.calls[0]?.path, "/v1/responses");
  const listed = [];
  for await (const { id } of await client.models.list()) listed.push(id);
  assert.deepEqual(listed.sort(), ["gpt", "legacy", "responses", "vectors"]);
});

test("errors are the package's own classes", async () => {
  await assert.rejects(client.chat.completions.create({ model: "nope", messages }), (error) => {
    assert.ok(error instanceof NotFoundError);
    return error.code === "model_not_found" && error.param === "model";
  });
  await assert.rejects(
    clientOf("sk-plaza-wrong").chat.completions.create({ model: "gpt", messages }),
    AuthenticationError,
  );
});

test("the plain client at /openai/v1 is served like at /v1, stored responses too", async () => {
  const plain = new OpenAI({ baseURL: `${product.origin}/openai/v1/`, apiKey, maxRetries: 0 });
  upstream.answerWith({ body: completion({ message: { content: "Hello" } }) });
  const chat = await plain.chat.completions.create({ model: "gpt", messages });
  assert.equal(chat.choices[0]?.message.content, "Hello");
  upstream.answerWith({ body: vectorsAnswer(1, { form: "base64", usage: tokens(2) }) });
  assert.equal((await plain.embeddings.create({ model: "vectors", input: "x" })).data.length, 1);
  upstream.answerWith({ body: response([messageItem("Hello")]) });
  const { id, output_text: said } = await plain.responses.create({ model: "responses", input: "Say it." });
  assert.equal(said, "Hello");
  assert.equal((await plain.responses.retrieve(id)).output_text, "Hello");
  await plain.responses.delete(id);
  await assert.rejects(plain.responses.retrieve(id), NotFoundError);
  assert.equal((await plain.models.retrieve("gpt")).id, "gpt");
});
