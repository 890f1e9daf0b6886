/**
 * The official `openai` package against the product with a Bedrock behind it: what its strict readers make of
 * translated answers, and what of a conversation comes back to the upstream.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import {
  answer,
  ending,
  exception,
  input,
  metadata,
  models,
  start,
  stop,
  stream,
  text,
  thought,
  tool,
  weather,
} from "../../../server/src/providers/bedrock/fixtures/build.ts";
import { type CatalogFile, model, type UpstreamEntry } from "../../behaviour/harness/catalogs.ts";
import { type Product, startProduct } from "../../behaviour/harness/product.ts";
import { type MockBedrock, startMockBedrock } from "./bedrock-rig.ts";

let mock: MockBedrock;
let product: Product;
let client: OpenAI;

/** One model each, as what an upstream did to one call is remembered for the next. */
const names = ["text", "tools", "refused", "cut", "keys", "late"];

function catalog(origin: string): CatalogFile {
  const upstream = (id: string, credential: string): UpstreamEntry & { options: Record<string, string> } => ({
    id,
    provider: "bedrock",
    baseUrl: origin,
    credentials: [credential],
    options: { region: "eu-west-1" },
  });
  return {
    upstreams: names.map((id) =>
      upstream(id, id === "keys" ? "AKIAIOSFODNN7EXAMPLE:secret:token" : "bedrock-api-key-abcdef"),
    ),
    models: names.map((id) => model(id, [id, id === "tools" ? models.budget : models.adaptive])),
  };
}

before(async () => {
  mock = await startMockBedrock();
  product = await startProduct({ catalog: catalog(mock.origin) });
  const { key } = await product.createKey(await product.createAccount());
  client = new OpenAI({ baseURL: product.baseUrl, apiKey: key, maxRetries: 0, timeout: 20_000 });
});
after(async () => {
  await product?.stop();
  await mock?.stop();
});

const hello = [{ role: "user" as const, content: "Hello" }];
const bodyAt = (index: number): Record<string, unknown> =>
  JSON.parse(mock.calls[index]?.body.toString() ?? "null") as Record<string, unknown>;

test("a stream is whole for the strict helper, with usage", async () => {
  mock.answerWith({ body: stream("end_turn", text("Hel"), text("lo 👋"), stop()) });
  const helper = client.chat.completions.stream({
    model: "text",
    messages: hello,
    stream_options: { include_usage: true },
  });
  const final = await helper.finalChatCompletion();
  assert.equal(final.choices[0]?.message.content, "Hello 👋");
  assert.equal(final.choices[0]?.finish_reason, "stop");
  assert.deepEqual([final.usage?.prompt_tokens, final.usage?.completion_tokens], [10, 5]);
  const [call] = mock.calls;
  assert.equal(call?.path, "/model/global.anthropic.claude-opus-4-7/converse-stream");
  assert.equal(call?.headers["authorization"], "Bearer bedrock-api-key-abcdef");
});

test("AWS keys: the call arrives signed for the region and the host it was sent to", async () => {
  mock.answerWith({ body: answer([{ text: "Hi" }]) });
  const made = await client.chat.completions.create({ model: "keys", messages: hello });
  assert.equal(made.choices[0]?.message.content, "Hi");
  const headers = mock.calls[0]?.headers ?? {};
  assert.equal(headers.host, new URL(mock.origin).host);
  assert.equal(headers["x-amz-security-token"], "token");
  assert.match(
    headers.authorization ?? "",
    /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
  );
});

test("a tool loop keeps its signed thoughts although the SDK's user sends back no more than the calls", async () => {
  const [first, second] = [
    stream(
      "tool_use",
      thought({ text: "It may rain." }),
      thought({ signature: "c2lnbmVk" }),
      stop(0),
      tool(1, "tooluse_Oslo", "weather"),
      input(1, '{"city":'),
      input(1, '"Oslo"}'),
      stop(1),
      tool(2, "tooluse_Rome", "weather"),
      input(2, '{"city":"Rome"}'),
      stop(2),
    ),
    stream("end_turn", text("Rain and sun."), stop()),
  ];
  mock.answerWith({ body: first }, { body: second });
  const ask = { model: "tools", reasoning_effort: "medium", tools: [weather], max_tokens: 4_000 } as const;
  const asked = { ...ask, tools: [{ ...weather, function: { ...weather.function } }] } as unknown as Omit<
    OpenAI.ChatCompletionCreateParamsStreaming,
    "messages" | "stream"
  >;
  const helper = client.chat.completions.stream({ ...asked, messages: hello });
  const { message } = (await helper.finalChatCompletion()).choices[0] ?? {};
  assert.deepEqual(
    message?.tool_calls?.map((call) => call.type === "function" && [call.id, call.function.arguments]),
    [
      ["tooluse_Oslo", '{"city":"Oslo"}'],
      ["tooluse_Rome", '{"city":"Rome"}'],
    ],
  );
  const calls = message?.tool_calls?.flatMap((call) =>
    call.type === "function"
      ? [
          {
            id: call.id,
            type: call.type,
            function: { name: call.function.name, arguments: call.function.arguments },
          },
        ]
      : [],
  );
  const final = await client.chat.completions
    .stream({
      ...asked,
      messages: [
        ...hello,
        { role: "assistant", content: null, tool_calls: calls ?? [] },
        { role: "tool", tool_call_id: "tooluse_Oslo", content: "rain" },
        { role: "tool", tool_call_id: "tooluse_Rome", content: "sun" },
      ],
    })
    .finalChatCompletion();
  assert.equal(final.choices[0]?.message.content, "Rain and sun.");
  const { messages, additionalModelRequestFields } = bodyAt(1);
  assert.deepEqual(additionalModelRequestFields, { thinking: { type: "enabled", budget_tokens: 1_200 } });
  assert.deepEqual((messages as unknown[])[1], {
    role: "assistant",
    content: [
      { reasoningContent: { reasoningText: { text: "It may rain.", signature: "c2lnbmVk" } } },
      { toolUse: { toolUseId: "tooluse_Oslo", name: "weather", input: { city: "Oslo" } } },
      { toolUse: { toolUseId: "tooluse_Rome", name: "weather", input: { city: "Rome" } } },
    ],
  });
});

test("an upstream's refusal of the request is the caller's 400, without what names the operator", async () => {
  const message =
    "The model returned the following errors: messages.0 is wrong at arn:aws:bedrock:us-east-1:123456789012:x";
  mock.answerWith({
    status: 400,
    headers: { "x-amzn-errortype": "ValidationException:http://x" },
    body: { message },
  });
  await assert.rejects(client.chat.completions.create({ model: "refused", messages: hello }), (error) => {
    assert.ok(error instanceof OpenAI.APIError);
    assert.equal(error.status, 400);
    assert.match(error.message, /messages\.0 is wrong at \[removed\]/);
    assert.doesNotMatch(error.message, /arn:|123456789012/);
    return true;
  });
});

test("an exception after content ends the stream with an error, and never with [DONE]", async () => {
  mock.answerWith({
    body: Buffer.concat([start, text("Hel"), exception("modelStreamErrorException", "secret")]),
  });
  const got: string[] = [];
  await assert.rejects(
    async () => {
      const chunks = await client.chat.completions.create({ model: "cut", messages: hello, stream: true });
      for await (const chunk of chunks) got.push(chunk.choices[0]?.delta.content ?? "");
    },
    (error) => error instanceof OpenAI.APIError && !error.message.includes("secret"),
  );
  assert.equal(got.join(""), "Hel");
});

test("usage that never comes costs nobody the answer", async () => {
  mock.answerWith({ body: Buffer.concat([start, text("Hello"), stop(), ending("end_turn")]) });
  const final = await client.chat.completions
    .stream({ model: "late", messages: hello })
    .finalChatCompletion();
  assert.equal(final.choices[0]?.message.content, "Hello");
  mock.answerWith({ body: Buffer.concat([start, text("Hello"), stop(), metadata(), ending("end_turn")]) });
  const early = client.chat.completions.stream({
    model: "late",
    messages: hello,
    stream_options: { include_usage: true },
  });
  assert.equal((await early.finalChatCompletion()).usage?.completion_tokens, 5);
});
