/**
 * Embeddings with unmodified official packages, with the demo model and with an upstream that supports only
 * one form. The packages request base64 by default.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { OpenAIEmbeddings } from "@langchain/openai";
import { embedMany } from "ai";
import OpenAI from "openai";
import { model, openaiUpstream } from "../behaviour/harness/catalogs.ts";
import { openaiError } from "../behaviour/harness/openai-shapes.ts";
import { type Product, startProduct } from "../behaviour/harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../behaviour/harness/scripted-upstream.ts";
import { tokens, vectorOf, vectorsAnswer } from "../behaviour/harness/vector-shapes.ts";
import { startProcess } from "../rigs/harness/processes/processes.ts";
import { pythonFolder, pythonWith, whyNoPython } from "./python.ts";

let product: Product;
let scriptedProduct: Product;
let scripted: ScriptedUpstream;
let client: OpenAI;
let atScripted: OpenAI;

before(async () => {
  product = await startProduct();
  client = new OpenAI({ baseURL: product.baseUrl, apiKey: product.firstKey, maxRetries: 0, timeout: 20_000 });
  scripted = await startScriptedUpstream();
  scriptedProduct = await startProduct({
    catalog: {
      upstreams: [openaiUpstream("scripted", scripted.baseUrl)],
      models: [{ ...model("vectors", ["scripted", "upstream-model"]), operations: ["embeddings"] }],
    },
  });
  const { key } = await scriptedProduct.createKey(await scriptedProduct.createAccount());
  atScripted = new OpenAI({ baseURL: scriptedProduct.baseUrl, apiKey: key, maxRetries: 0, timeout: 20_000 });
});
after(async () => {
  await product?.stop();
  await scriptedProduct?.stop();
  await scripted?.stop();
});

const demo = "demo-embedding";
const input = ["a red cat", "a blue dog", "nothing at all"];

const isNear = (given: readonly number[] | undefined, wanted: Float32Array): boolean =>
  given?.length === wanted.length &&
  given.every((value, index) => Math.abs(value - (wanted[index] ?? 0)) < 1e-6);

describe("JavaScript", () => {
  test("a first start embeds, and says the same in both forms", async () => {
    const { operations } = (await client.models.retrieve(demo)) as unknown as { operations: string[] };
    assert.deepEqual(operations, ["embeddings"]);
    const unasked = await client.embeddings.create({ model: demo, input, dimensions: 8 });
    const asFloats = await client.embeddings.create({
      model: demo,
      input,
      dimensions: 8,
      encoding_format: "float",
    });
    assert.deepEqual(
      unasked.data.map(({ index, embedding }) => [index, embedding.length]),
      [
        [0, 8],
        [1, 8],
        [2, 8],
      ],
    );
    for (const [index, { embedding }] of asFloats.data.entries()) {
      assert.ok(isNear(unasked.data[index]?.embedding, Float32Array.from(embedding)));
    }
    assert.ok(unasked.usage.prompt_tokens > 0);
    assert.deepEqual(unasked.usage, asFloats.usage);
    const { request_id } = await client.embeddings.create({ model: demo, input: "Hi" }).withResponse();
    assert.match(request_id ?? "", /^req_/);
  });

  test("numbers where base64 was asked for, and the other way round", async () => {
    for (const [form, asked] of [
      ["float", undefined],
      ["base64", "float"],
      ["base64", undefined],
    ] as const) {
      scripted.answerWith({ body: vectorsAnswer(3, { form, dimensions: 16, usage: tokens(9) }) });
      const { data } = await atScripted.embeddings.create({
        model: "vectors",
        input,
        ...(asked === undefined ? {} : { encoding_format: asked }),
      });
      assert.equal(scripted.calls[0]?.body["encoding_format"], asked ?? "base64");
      for (const [index, { embedding }] of data.entries()) assert.ok(isNear(embedding, vectorOf(index, 16)));
    }
  });

  test("a batch of 2,048, and token numbers", async () => {
    const many = Array.from({ length: 2_048 }, (_, index) => `text ${index}`);
    const { data } = await client.embeddings.create({ model: demo, input: many, dimensions: 32 });
    assert.equal(data.length, 2_048);
    assert.equal(data[2_047]?.index, 2_047);
    const { usage } = await client.embeddings.create({ model: demo, input: [[1, 2], [3]] });
    assert.equal(usage.prompt_tokens, 3);
  });

  test("refusals: too many texts, a model for chats, a chat with this one", async () => {
    const many = Array<string>(2_049).fill("a");
    await assert.rejects(client.embeddings.create({ model: demo, input: many }), (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      return error.param === "input" && error.code === "array_above_max_length";
    });
    await assert.rejects(client.embeddings.create({ model: "demo", input: "Hi" }), {
      status: 400,
      code: "wrong_endpoint",
    });
    const messages = [{ role: "user" as const, content: "Hi" }];
    await assert.rejects(client.chat.completions.create({ model: demo, messages }), {
      status: 400,
      code: "wrong_endpoint",
    });
  });

  test("an upstream that is busy once is no error for a client that repeats", async () => {
    const busy = { status: 429, body: openaiError("slow down") };
    scripted.answerWith(busy, { body: vectorsAnswer(1, { usage: tokens(1) }) });
    const patient = atScripted.withOptions({ maxRetries: 3 });
    const { data } = await patient.embeddings.create({ model: "vectors", input: "Hi" });
    assert.ok(isNear(data[0]?.embedding, vectorOf(0, 4)));
  });

  test("LangChain and the AI SDK", async () => {
    const chain = new OpenAIEmbeddings({
      model: demo,
      apiKey: product.firstKey,
      configuration: { baseURL: product.baseUrl },
      dimensions: 16,
    });
    const documents = await chain.embedDocuments(input);
    assert.deepEqual(
      documents.map(({ length }) => length),
      [16, 16, 16],
    );
    const provider = createOpenAICompatible({
      name: "plaza",
      baseURL: product.baseUrl,
      apiKey: product.firstKey,
    });
    const { embeddings, usage } = await embedMany({ model: provider.embeddingModel(demo), values: input });
    assert.equal(embeddings.length, 3);
    assert.ok(usage.tokens > 0);
  });
});

test("Python: base64 unasked, numbers, token numbers, and a refusal", {
  skip: whyNoPython,
  timeout: 180_000,
}, async () => {
  const python = await pythonWith("requirements-openai.txt");
  const running = startProcess(python, [`${pythonFolder}embeddings.py`]);
  running.child.stdin?.end(JSON.stringify({ baseUrl: product.baseUrl, key: product.firstKey, model: demo }));
  assert.equal(await running.ended, 0, running.stderr().slice(-2_000));
  const told = JSON.parse(running.stdout()) as {
    unasked: number[][];
    floats: number[][];
    tokens: number;
    refusal: object;
  };
  assert.deepEqual(
    told.unasked.map(({ length }) => length),
    [8, 8],
  );
  for (const [index, vector] of told.unasked.entries()) {
    assert.ok(isNear(told.floats[index], Float32Array.from(vector)));
  }
  assert.equal(told.tokens, 3);
  assert.deepEqual(told.refusal, { param: "dimensions", code: "integer_below_min_value" });
});
