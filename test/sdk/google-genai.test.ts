/**
 * Google's own SDK, unmodified, against the product: only base URL and key are set. Upstreams speak
 * Gemini, or OpenAI's chat completions and embeddings.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  ApiError,
  FunctionCallingConfigMode,
  type GenerateContentResponse,
  GoogleGenAI,
} from "@google/genai";
import { demoUpstream, model, openaiUpstream } from "../behaviour/harness/catalogs.ts";
import { geminiError, geminiResponse, geminiText } from "../behaviour/harness/gemini-shapes.ts";
import { completion, openaiError, streamOf } from "../behaviour/harness/openai-shapes.ts";
import { type Product, startProduct } from "../behaviour/harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../behaviour/harness/scripted-upstream.ts";
import { tokens, vectorOf, vectorsAnswer } from "../behaviour/harness/vector-shapes.ts";

const slashed = "vendor/model-x:free";
let google: ScriptedUpstream;
let openai: ScriptedUpstream;
let product: Product;
let key: string;
let client: GoogleGenAI;

const clientOf = (apiKey: string, apiVersion?: string): GoogleGenAI =>
  new GoogleGenAI({
    apiKey,
    httpOptions: { baseUrl: product.origin },
    ...(apiVersion ? { apiVersion } : {}),
  });

before(async () => {
  google = await startScriptedUpstream();
  openai = await startScriptedUpstream();
  const baseUrl = google.baseUrl.replace(/\/v1$/, "/v1beta");
  product = await startProduct({
    catalog: {
      upstreams: [
        { id: "google", provider: "google", baseUrl, credentials: ["AIza-up"] },
        openaiUpstream("openai", openai.baseUrl),
        demoUpstream,
      ],
      models: [
        model("gemini", ["google", "gemini-3.1-pro-preview"]),
        model(slashed, ["google", "gemini-3.1-pro-preview"]),
        model("gpt", ["openai", "gpt-upstream"]),
        { ...model("vectors", ["openai", "vectors-upstream"]), operations: ["embeddings"] },
        model("demo", ["demo", "demo"]),
        { ...model("demo-embedding", ["demo", "demo-embedding"]), operations: ["embeddings"] },
      ],
    },
  });
  ({ key } = await product.createKey(await product.createAccount()));
  client = clientOf(key);
});
after(async () => {
  await product?.stop();
  await google?.stop();
  await openai?.stop();
});

async function refusal(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ApiError, `not an ApiError: ${error}`);
    return error;
  }
  return assert.fail("the call should have been refused");
}

async function gather(stream: AsyncGenerator<GenerateContentResponse>): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const textIn = (chunks: readonly GenerateContentResponse[]): string =>
  chunks.map(({ text }) => text ?? "").join("");

/** Sets the same answer at both upstreams; the calls of either. */
function answerHello(): void {
  google.answerWith({ body: geminiResponse([geminiText("Hello")], "STOP") });
  openai.answerWith({ body: completion({ message: { content: "Hello" } }) });
}

for (const apiVersion of [undefined, "v1beta", "v1alpha", "v1"]) {
  describe(`answers, with ${apiVersion ?? "the SDK's own version"}`, () => {
    test("whole, with usage, of either upstream and of a name with a slash and a colon", async () => {
      for (const [id, prompt] of [
        ["gemini", 10],
        [slashed, 10],
        [`models/${slashed}`, 10],
        ["gpt", 21],
      ] as const) {
        answerHello();
        const answer = await clientOf(key, apiVersion).models.generateContent({
          model: id,
          contents: "Say it.",
          config: { systemInstruction: "Be brief.", maxOutputTokens: 50, temperature: 0.5 },
        });
        assert.equal(answer.text, "Hello");
        assert.equal(answer.candidates?.[0]?.finishReason, "STOP");
        assert.equal(answer.usageMetadata?.promptTokenCount, prompt);
      }
    });

    test("streamed, ending with the finish reason and the usage", async () => {
      for (const id of ["gemini", "gpt"]) {
        google.answerWith({
          events: [geminiResponse([geminiText("Hel")]), geminiResponse([geminiText("lo")], "STOP")],
        });
        openai.answerWith({ events: streamOf([{ content: "Hel" }, { content: "lo" }]) });
        const call = { model: id, contents: "Say it." };
        const chunks = await gather(await clientOf(key, apiVersion).models.generateContentStream(call));
        assert.equal(textIn(chunks), "Hello");
        assert.equal(chunks.at(-1)?.candidates?.[0]?.finishReason, "STOP");
        assert.ok((chunks.at(-1)?.usageMetadata?.totalTokenCount ?? 0) > 0);
      }
    });
  });
}

test("the demo answers, streams and embeds", async () => {
  const call = { model: "demo", contents: "Hello, Plaza!" };
  const whole = await client.models.generateContent(call);
  assert.ok((whole.text ?? "").length > 0);
  assert.ok(textIn(await gather(await client.models.generateContentStream(call))).length > 0);
  const config = { outputDimensionality: 8 };
  const { embeddings } = await client.models.embedContent({ model: "demo-embedding", contents: "a", config });
  assert.equal(embeddings?.[0]?.values?.length, 8);
});

describe("a chat with tools", () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const config = {
    tools: [{ functionDeclarations: [{ name: "weather", description: "d", parametersJsonSchema: schema }] }],
    toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
  };
  const result = { name: "weather", response: { output: "rain" } };

  test("at Google keeps the thought's signature and the call's id", async () => {
    const call = {
      functionCall: { id: "c1", name: "weather", args: { city: "Oslo" } },
      thoughtSignature: "c2ln",
    };
    google.answerWith({ events: [geminiResponse([call], "STOP")] });
    const chat = client.chats.create({ model: "gemini", config });
    const [first] = await gather(await chat.sendMessageStream({ message: "Weather in Oslo?" }));
    assert.deepEqual(first?.functionCalls, [call.functionCall]);
    google.answerWith({ events: [geminiResponse([geminiText("Rain.")], "STOP")] });
    const message = [{ functionResponse: { id: "c1", ...result } }];
    assert.equal(textIn(await gather(await chat.sendMessageStream({ message }))), "Rain.");
    const [, turn, answer] = (google.calls[0]?.body["contents"] ?? []) as { parts: unknown[] }[];
    assert.deepEqual(turn?.parts, [call]);
    assert.deepEqual(answer?.parts, message);
  });

  test("at an upstream of chat its calls and results keep their ids, two at once too", async () => {
    const calls = ["Oslo", "Rome"].map((city, index) => ({
      index,
      id: `call_${city}`,
      type: "function",
      function: { name: "weather", arguments: JSON.stringify({ city }) },
    }));
    openai.answerWith({
      events: streamOf(
        calls.map((one) => ({ tool_calls: [one] })),
        "tool_calls",
      ),
    });
    const chat = client.chats.create({ model: "gpt", config });
    const chunks = await gather(await chat.sendMessageStream({ message: "Weather?" }));
    const called = chunks.flatMap(({ functionCalls }) => functionCalls ?? []);
    assert.deepEqual(
      called.map(({ name, args }) => [name, args]),
      [
        ["weather", { city: "Oslo" }],
        ["weather", { city: "Rome" }],
      ],
    );
    openai.answerWith({ events: streamOf([{ content: "Rain." }]) });
    const message = called.map(({ id }) => ({
      functionResponse: { ...(id === undefined ? {} : { id }), ...result },
    }));
    assert.equal(textIn(await gather(await chat.sendMessageStream({ message }))), "Rain.");
    const messages = (openai.calls[0]?.body["messages"] ?? []) as Record<string, unknown>[];
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["user", "assistant", "tool", "tool"],
    );
    const sent = (messages[1]?.["tool_calls"] ?? []) as { id: string }[];
    assert.deepEqual(
      messages.slice(2).map(({ tool_call_id: id }) => id),
      sent.map(({ id }) => id),
    );
  });
});

describe("what else it calls", () => {
  test("a count where the upstream counts, else an error it can act on", async () => {
    google.answerWith({ body: { totalTokens: 31 } });
    const counted = await client.models.countTokens({ model: "gemini", contents: "How many?" });
    assert.equal(counted.totalTokens, 31);
    const error = await refusal(client.models.countTokens({ model: "gpt", contents: "How many?" }));
    assert.equal(error.status, 404);
    assert.match(error.message, /counts tokens/);
  });

  test("vectors, one for each content", async () => {
    openai.answerWith({ body: vectorsAnswer(2, { usage: tokens(4) }) });
    const { embeddings, usageMetadata } = await client.models.embedContent({
      model: "vectors",
      contents: ["a", "b"],
      config: { taskType: "RETRIEVAL_DOCUMENT", title: "T", outputDimensionality: 4 },
    });
    assert.deepEqual(
      embeddings?.map(({ values = [] }) => Float32Array.from(values)),
      [vectorOf(0, 4), vectorOf(1, 4)],
    );
    assert.equal((usageMetadata as { promptTokenCount?: number } | undefined)?.promptTokenCount, 4);
  });

  test("the models, listed and one by one", async () => {
    const listed = [];
    for await (const one of await client.models.list()) listed.push(one);
    assert.deepEqual(listed.map(({ name }) => name).sort(), [
      "models/demo",
      "models/demo-embedding",
      "models/gemini",
      "models/gpt",
      "models/vectors",
      `models/${slashed}`,
    ]);
    const vectors = listed.find(({ name }) => name === "models/vectors");
    assert.deepEqual(vectors?.supportedActions, ["embedContent", "batchEmbedContents"]);
    const found = await client.models.get({ model: "gemini" });
    assert.deepEqual(
      [found.name, found.inputTokenLimit, found.outputTokenLimit],
      ["models/gemini", 128_000, 4_096],
    );
    assert.equal((await client.models.get({ model: slashed })).name, `models/${slashed}`);
    assert.equal((await refusal(client.models.get({ model: "nope" }))).status, 404);
  });
});

describe("errors are the SDK's own, with their status", () => {
  for (const apiVersion of [undefined, "v1beta", "v1alpha", "v1"]) {
    test(`of the models' paths, with ${apiVersion ?? "the SDK's own version"}`, async () => {
      const rows = [
        [() => clientOf(key, apiVersion).models.get({ model: "nope" }), 404, "NOT_FOUND"],
        [() => clientOf("sk-bad", apiVersion).models.get({ model: "gemini" }), 401, "UNAUTHENTICATED"],
        [() => clientOf("sk-bad", apiVersion).models.list(), 401, "UNAUTHENTICATED"],
      ] as const;
      for (const [call, status, told] of rows) {
        const error = await refusal(call());
        assert.equal(error.status, status);
        assert.equal(JSON.parse(error.message).error.status, told);
      }
    });
  }

  const ask = (id = "gemini", more: object = {}, apiKey = key): Promise<GenerateContentResponse> =>
    clientOf(apiKey).models.generateContent({ model: id, contents: "Say it.", ...more });

  test("of a key, a model, a field, and what is only another account's", async () => {
    answerHello();
    for (const [call, status, text] of [
      [() => ask("gemini", {}, "sk-plaza-wrong"), 401, /invalid_api_key/],
      [() => ask("nope"), 404, /model_not_found/],
      [() => ask("vectors"), 400, /wrong_endpoint/],
      [() => ask("gemini", { config: { maxOutputTokens: -1 } }), 400, /maxOutputTokens/],
      [() => ask("gemini", { config: { candidateCount: 1_000 } }), 400, /candidateCount/],
      [() => ask("gemini", { config: { tools: [{ googleSearch: {} }] } }), 400, /googleSearch/],
      [() => ask("gemini", { config: { cachedContent: "cachedContents/a" } }), 404, /cachedContent/],
    ] as const) {
      const error = await refusal(call());
      assert.equal(error.status, status, error.message);
      assert.match(error.message, text);
      assert.match(error.message, /req_/);
    }
    assert.deepEqual([google.calls.length, openai.calls.length], [0, 0]);
  });

  test("of an upstream, before the answer and within it, without its own words", async () => {
    google.answerWith({ status: 503, body: geminiError(503, "UNAVAILABLE", "secret-host") });
    const before = await refusal(ask());
    assert.ok(before.status >= 500, before.message);
    assert.doesNotMatch(before.message, /secret-host/);
    openai.answerWith({
      status: 400,
      body: openaiError("Not so.", { code: "invalid_value", param: "max_tokens" }),
    });
    assert.equal((await refusal(ask("gpt"))).status, 400);
    google.answerWith({
      events: [geminiResponse([geminiText("Hel")]), geminiError(503, "UNAVAILABLE", "secret-host")],
    });
    const reading = clientOf(key).models.generateContentStream({ model: slashed, contents: "Say it." });
    const within = await refusal(reading.then(gather));
    assert.ok(within.status >= 500, within.message);
    assert.doesNotMatch(within.message, /secret-host/);
  });
});
