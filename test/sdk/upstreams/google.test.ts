/**
 * The unmodified official `openai` package with Google's models: the product translates, and a scripted
 * Gemini answers. The strict stream helper checks the result.
 */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, describe, test } from "node:test";
import OpenAI, { APIError } from "openai";
import {
  call,
  googleError,
  response,
  text,
  thought,
  usageMetadata,
} from "../../../server/src/providers/google/fixtures/pieces.ts";
import { model } from "../../behaviour/harness/catalogs.ts";
import { type Product, startProduct } from "../../behaviour/harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../../behaviour/harness/scripted-upstream.ts";

const freshMax = 6;
let gemini: ScriptedUpstream;
let issuer: ScriptedUpstream;
let product: Product;
let client: OpenAI;

const serviceAccount = (tokenUri: string): string =>
  JSON.stringify({
    type: "service_account",
    client_email: "robot@p.iam.gserviceaccount.com",
    private_key: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
      type: "pkcs8",
      format: "pem",
    }),
    token_uri: tokenUri,
  });

before(async () => {
  gemini = await startScriptedUpstream();
  issuer = await startScriptedUpstream();
  const upstream = (id: string, more: object = {}) => ({
    id,
    provider: "google",
    baseUrl: gemini.baseUrl,
    credentials: [`AIza-${id}`],
    ...more,
  });
  const tokenUri = `${issuer.baseUrl}/token`;
  const fresh = Array.from({ length: freshMax }, (_, index) => `fresh-${index}`);
  const catalog = {
    upstreams: [
      upstream("gemini"),
      upstream("vertex", {
        credentials: [serviceAccount("https://oauth2.googleapis.com/token")],
        options: { api: "vertex", tokenUri },
      }),
      upstream("lost", {
        credentials: [serviceAccount("https://evil.test/token")],
        options: { api: "vertex" },
      }),
      ...fresh.map((id) => upstream(id)),
    ],
    models: [
      model("newest", ["gemini", "gemini-3.1-pro-preview"]),
      model("flash", ["gemini", "gemini-2.5-flash"]),
      model("vertex", ["vertex", "gemini-3.1-pro-preview"]),
      model("lost", ["lost", "gemini-3.1-pro-preview"]),
      ...fresh.map((id) => model(id, [id, "gemini-2.5-flash"])),
    ],
  };
  product = await startProduct({ catalog });
  const { key } = await product.createKey(await product.createAccount());
  client = new OpenAI({ baseURL: product.baseUrl, apiKey: key, maxRetries: 0, timeout: 20_000 });
});
after(async () => {
  await product?.stop();
  await gemini?.stop();
  await issuer?.stop();
});

const hello = [{ role: "user" as const, content: "Hello, Plaza!" }];
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const weather = (asked: unknown[]) => ({
  type: "function" as const,
  function: {
    name: "weather",
    description: "Weather of a city",
    parameters,
    parse: (given: string) => JSON.parse(given) as { city: string },
    function: (args: { city: string }) => {
      asked.push(args);
      return `sun in ${args.city}`;
    },
  },
});

async function refusal(asking: PromiseLike<unknown>): Promise<APIError> {
  try {
    await asking;
  } catch (error) {
    assert.ok(error instanceof APIError, `not an APIError: ${error}`);
    return error;
  }
  assert.fail("the call should have been refused");
}

describe("answers", () => {
  test("a whole answer, with thoughts and usage", async () => {
    gemini.answerWith({ body: response([thought("hm"), text("Hi 🙂")], "STOP") });
    const answer = await client.chat.completions.create({
      model: "flash",
      messages: hello,
      reasoning_effort: "low",
    });
    const message = answer.choices[0]?.message as unknown as Record<string, unknown>;
    assert.equal(message["content"], "Hi 🙂");
    assert.equal(message["reasoning_content"], "hm");
    assert.equal(answer.choices[0]?.finish_reason, "stop");
    assert.deepEqual(
      [answer.usage?.prompt_tokens, answer.usage?.completion_tokens, answer.usage?.total_tokens],
      [9, 32, 41],
    );
    assert.equal(answer.usage?.completion_tokens_details?.reasoning_tokens, 30);
    const [asked] = gemini.calls;
    assert.equal(asked?.headers["x-goog-api-key"], "AIza-gemini");
    assert.equal(asked?.headers.authorization, undefined);
    assert.deepEqual(asked?.body, {
      contents: [{ role: "user", parts: [{ text: "Hello, Plaza!" }] }],
      generationConfig: {
        thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 },
      },
    });
  });

  test("a stream, through the strict helper", async () => {
    gemini.answerWith({
      events: [
        response([thought("hm")], undefined, { usageMetadata: { promptTokenCount: 9 } }),
        response([text("Hi")]),
        response([text(" there")]),
        response([{ text: "", thoughtSignature: "c2ln" }], "STOP"),
      ],
    });
    const stream = client.chat.completions.stream({
      model: "newest",
      messages: hello,
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    assert.equal(final.choices[0]?.message.content, "Hi there");
    assert.equal(final.choices[0]?.finish_reason, "stop");
    assert.equal((await stream.totalUsage()).total_tokens, usageMetadata.totalTokenCount);
  });

  test("several answers", async () => {
    const candidate = (index: number) => ({
      index,
      content: { parts: [text(`answer ${index}`)] },
      finishReason: "STOP",
    });
    gemini.answerWith({ body: { candidates: [candidate(0), candidate(1)], usageMetadata } });
    const answer = await client.chat.completions.create({ model: "flash", messages: hello, n: 2 });
    assert.deepEqual(
      answer.choices.map(({ index, message }) => [index, message.content]),
      [
        [0, "answer 0"],
        [1, "answer 1"],
      ],
    );
  });

  test("structured output", async () => {
    gemini.answerWith({ events: [response([text('{"city":"Par')]), response([text('is"}')], "STOP")] });
    const response_format = {
      type: "json_schema" as const,
      json_schema: { name: "capital", strict: true, schema: { ...parameters, additionalProperties: false } },
    };
    const final = await client.chat.completions
      .stream({ model: "flash", messages: hello, response_format })
      .finalChatCompletion();
    assert.deepEqual(final.choices[0]?.message.parsed, { city: "Paris" });
    const config = gemini.calls[0]?.body["generationConfig"] as Record<string, unknown>;
    assert.equal(config["responseMimeType"], "application/json");
    assert.deepEqual(config["responseJsonSchema"], response_format.json_schema.schema);
  });

  test("a blocked prompt is an empty answer that says so", async () => {
    gemini.answerWith({ body: { promptFeedback: { blockReason: "SAFETY" } } });
    const answer = await client.chat.completions.create({ model: "flash", messages: hello });
    assert.equal(answer.choices[0]?.finish_reason, "content_filter");
    assert.equal(answer.choices[0]?.message.content, "");
  });
});

describe("tools", () => {
  const signed = call("weather", { city: "Oslo" }, { thoughtSignature: "c2ln" }, "c1");
  const second = call("weather", { city: "Rome" }, {}, "c2");

  for (const stream of [false, true]) {
    test(`runTools ${stream ? "over streams" : "with whole answers"}, signatures and all`, async () => {
      gemini.answerWith(
        stream
          ? { events: [response([signed]), response([second]), response([], "STOP")] }
          : { body: response([signed, second], "STOP") },
        stream ? { events: [response([text("Sun.")], "STOP")] } : { body: response([text("Sun.")], "STOP") },
      );
      const asked: unknown[] = [];
      const common = { model: "newest", messages: hello, tools: [weather(asked)] };
      const runner = stream
        ? client.chat.completions.runTools({ ...common, stream: true })
        : client.chat.completions.runTools(common);
      assert.equal(await runner.finalContent(), "Sun.");
      assert.deepEqual(asked, [{ city: "Oslo" }, { city: "Rome" }]);
      const contents = gemini.calls[1]?.body["contents"] as Record<string, unknown>[];
      assert.deepEqual(contents.slice(1), [
        { role: "model", parts: [signed, second] },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "c1", name: "weather", response: { output: "sun in Oslo" } } },
            { functionResponse: { id: "c2", name: "weather", response: { output: "sun in Rome" } } },
          ],
        },
      ]);
    });
  }

  test("a client that keeps nothing but the call: the signature is remembered here", async () => {
    gemini.answerWith({ body: response([signed], "STOP") }, { body: response([text("ok")], "STOP") });
    await client.chat.completions.create({ model: "newest", messages: hello, tools: [weather([])] });
    const called = { name: "weather", arguments: '{"city":"Oslo"}' };
    await client.chat.completions.create({
      model: "newest",
      tools: [weather([])],
      messages: [
        ...hello,
        { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: called }] },
        { role: "tool", tool_call_id: "c1", content: "sun" },
      ],
    });
    const contents = gemini.calls[1]?.body["contents"] as { parts: unknown[] }[];
    assert.deepEqual(contents[1]?.parts, [signed]);
  });
});

describe("what goes wrong", () => {
  test("what cannot be said is refused by name, and nothing is sent", async () => {
    gemini.answerWith({ body: response([text("no")], "STOP") });
    const image = { type: "image_url" as const, image_url: { url: "data:image/gif;base64,AAAA" } };
    const cases = [
      [{ logit_bias: { 1: 2 } }, "logit_bias"],
      [{ n: 2, stream: true as const }, "n"],
      [{ messages: [{ role: "user" as const, content: [image] }] }, "messages[0].content[0].image_url.url"],
    ] as const;
    for (const [more, param] of cases) {
      const body = {
        model: "flash",
        messages: hello,
        ...more,
      } as OpenAI.ChatCompletionCreateParamsNonStreaming;
      const error = await refusal(client.chat.completions.create(body));
      assert.equal(error.status, 400);
      assert.equal(error.param, param);
    }
    assert.equal(gemini.calls.length, 0);
  });

  test("with permission it is left out and told", async () => {
    gemini.answerWith({ body: response([text("ok")], "STOP") });
    const { response: head } = await client.chat.completions
      .create(
        { model: "flash", messages: hello, logit_bias: { 1: 2 } },
        { headers: { "x-plaza-drop-params": "true" } },
      )
      .withResponse();
    assert.equal(head.headers.get("x-plaza-dropped-params"), "logit_bias");
  });

  const wrongKey = googleError(
    400,
    "INVALID_ARGUMENT",
    "API key not valid: AIzaSecretSecretSecretSecretSecretSecret",
    [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
  );
  const limited = googleError(429, "RESOURCE_EXHAUSTED", "Quota", [
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "30s" },
  ]);
  const tooLong = googleError(
    400,
    "INVALID_ARGUMENT",
    "The input token count (9) exceeds the maximum number of tokens",
  );
  const errors = [
    ["our key is not the caller's business", 400, [wrongKey], 502, "upstream_error"],
    ["a limit, with its wait", 429, limited, 429, "rate_limit_exceeded"],
    ["a prompt that does not fit", 400, tooLong, 400, "context_length_exceeded"],
    ["an error in a 200", 200, googleError(400, "INVALID_ARGUMENT", "Bad x"), 400, "invalid_request"],
  ] as const;
  errors.forEach(([name, status, body, shown, code], index) => {
    test(name, async () => {
      gemini.answerWith({ status, body });
      const error = await refusal(
        client.chat.completions.create({ model: `fresh-${index}`, messages: hello }),
      );
      assert.equal(error.status, shown);
      assert.equal(error.code, code);
      assert.doesNotMatch(error.message, /AIza|google/i);
      if (shown === 429) assert.equal(error.headers?.get("retry-after"), "30");
    });
  });

  test("a stream that breaks off never looks finished", async () => {
    gemini.answerWith({ events: [response([text("Hi")])] });
    const stream = await client.chat.completions.create({ model: "fresh-4", messages: hello, stream: true });
    let said = "";
    const error = await refusal(
      (async () => {
        for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? "";
      })(),
    );
    assert.equal(said, "Hi");
    assert.equal(error.code, "upstream_error");
  });
});

describe("Vertex AI", () => {
  test("a service account's key is exchanged once, and only its token is shown", async () => {
    issuer.answerWith({ body: { access_token: "made-up-token", expires_in: 3_599, token_type: "Bearer" } });
    gemini.answerWith({ body: response([text("ok")], "STOP") });
    for (const _ of [1, 2]) {
      const answer = await client.chat.completions.create({ model: "vertex", messages: hello });
      assert.equal(answer.choices[0]?.message.content, "ok");
    }
    assert.equal(issuer.calls.length, 1);
    assert.match(
      issuer.calls[0]?.text ?? "",
      /^grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=/,
    );
    for (const { headers } of gemini.calls) {
      assert.equal(headers.authorization, "Bearer made-up-token");
      assert.equal(headers["x-goog-api-key"], undefined);
    }
  });

  test("a key that names a stranger as its issuer is never used", async () => {
    gemini.answerWith({ body: response([text("no")], "STOP") });
    const error = await refusal(client.chat.completions.create({ model: "lost", messages: hello }));
    assert.equal(error.status, 502);
    assert.equal(error.code, "upstream_error");
    assert.equal(gemini.calls.length, 0);
  });
});
