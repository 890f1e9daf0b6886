/**
 * The official `openai` package, unmodified, against the product: text, usage, models and
 * fidelity. Tools and structured output are in openai-tools.test.ts, what fails in
 * openai-errors.test.ts and openai-broken.test.ts.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import OpenAI from "openai";
import type { ChatCompletionContentPart } from "openai/resources/chat/completions";
import { chunk, completion, someUsage, streamOf, usageChunk } from "../behaviour/harness/openai-shapes.ts";
import { tokensText } from "../rigs/harness/streams/tokens.ts";
import { coloned, type SdkRig, slashed, startSdkRig } from "./rig.ts";

let rig: SdkRig;
let client: OpenAI;

before(async () => {
  rig = await startSdkRig();
  client = new OpenAI({ baseURL: rig.product.baseUrl, apiKey: rig.key, maxRetries: 0, timeout: 20_000 });
});
after(() => rig?.stop());

/** `/slow 1` is for the demo model, which otherwise takes its time; to others it is text. */
const hello = [{ role: "user" as const, content: "/slow 1\nHello, Plaza! Say something of a few words." }];
/** What the counting upstream answers when nothing is asked of it. */
const countingText = tokensText("en", 8);

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

for (const modelId of ["demo", "counting"]) {
  describe(`chat with ${modelId}`, () => {
    test("a whole answer, its usage and its request id", async () => {
      const answer = await client.chat.completions.create({ model: modelId, messages: hello });
      assert.equal(answer.object, "chat.completion");
      assert.equal(answer.choices.length, 1);
      assert.equal(answer.choices[0]?.finish_reason, "stop");
      assert.equal(answer.choices[0]?.message.role, "assistant");
      assert.ok((answer.choices[0]?.message.content ?? "").length > 0);
      assert.ok((answer.usage?.prompt_tokens ?? 0) > 0);
      assert.ok((answer.usage?.completion_tokens ?? 0) > 0);
      assert.equal(
        answer.usage?.total_tokens,
        (answer.usage?.prompt_tokens ?? 0) + (answer.usage?.completion_tokens ?? 0),
      );
      assert.match(answer._request_id ?? "", /^req_/);
    });

    test("a stream, iterated: one id, role first, one finish, no usage event unasked", async () => {
      const { data, request_id } = await client.chat.completions
        .create({ model: modelId, messages: hello, stream: true })
        .withResponse();
      assert.match(request_id ?? "", /^req_/);
      const chunks = await collect(data);
      assert.equal(new Set(chunks.map((one) => one.id)).size, 1);
      assert.ok(chunks.every((one) => one.object === "chat.completion.chunk" && one.choices.length > 0));
      assert.ok(chunks.every((one) => one.usage === undefined || one.usage === null));
      assert.equal(chunks[0]?.choices[0]?.delta.role, "assistant");
      const finishes = chunks
        .flatMap((one) => one.choices.map((choice) => choice.finish_reason))
        .filter(Boolean);
      assert.deepEqual(finishes, ["stop"]);
      assert.ok(chunks.map((one) => one.choices[0]?.delta.content ?? "").join("").length > 0);
    });

    test("stream and whole answer say the same", async () => {
      const whole = await client.chat.completions.create({ model: modelId, messages: hello });
      const chunks = await collect(
        await client.chat.completions.create({ model: modelId, messages: hello, stream: true }),
      );
      assert.equal(
        chunks.map((one) => one.choices[0]?.delta.content ?? "").join(""),
        whole.choices[0]?.message.content,
      );
    });

    test("include_usage shows one usage event, last, without choices", async () => {
      const chunks = await collect(
        await client.chat.completions.create({
          model: modelId,
          messages: hello,
          stream: true,
          stream_options: { include_usage: true },
        }),
      );
      const last = chunks.at(-1);
      assert.deepEqual(last?.choices, []);
      assert.ok((last?.usage?.completion_tokens ?? 0) > 0);
      assert.ok(chunks.slice(0, -1).every((one) => one.choices.length > 0 && (one.usage ?? null) === null));
    });

    test("include_usage: false shows none", async () => {
      const chunks = await collect(
        await client.chat.completions.create({
          model: modelId,
          messages: hello,
          stream: true,
          stream_options: { include_usage: false },
        }),
      );
      assert.ok(chunks.every((one) => one.choices.length > 0 && (one.usage ?? null) === null));
    });

    test("the stream helper builds the final message and usage", async () => {
      const stream = client.chat.completions.stream({
        model: modelId,
        messages: hello,
        stream_options: { include_usage: true },
      });
      let seen = "";
      stream.on("content", (delta) => {
        seen += delta;
      });
      const message = await stream.finalMessage();
      const final = await stream.finalChatCompletion();
      assert.equal(message.content, seen);
      assert.ok(seen.length > 0);
      assert.equal(final.choices[0]?.finish_reason, "stop");
      assert.ok((final.usage?.total_tokens ?? 0) > 0);
      assert.deepEqual(await stream.totalUsage(), final.usage);
    });

    test("image, audio and file parts are accepted", async () => {
      const pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
      const content: ChatCompletionContentPart[] = [
        { type: "text", text: "What is in these?" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}`, detail: "low" } },
        { type: "image_url", image_url: { url: "https://example.invalid/picture.png" } },
        { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
      ];
      const answer = await client.chat.completions.create({
        model: modelId,
        messages: [{ role: "user", content }],
      });
      assert.equal(answer.choices[0]?.finish_reason, "stop");
    });
  });
}

describe("what the caller asks for reaches the model, and its answer comes back unchanged", () => {
  test("n = 2 gives two choices, whole and streamed", async () => {
    rig.scripted.answerWith({
      body: completion({ message: { content: "one" } }, { message: { content: "two" } }),
    });
    const whole = await client.chat.completions.create({ model: "scripted", messages: hello, n: 2 });
    assert.deepEqual(
      whole.choices.map((choice) => choice.message.content),
      ["one", "two"],
    );
    assert.equal(rig.scripted.calls[0]?.body["n"], 2);
    const second = { index: 1 };
    rig.scripted.answerWith({
      events: [
        chunk({ role: "assistant", content: "" }),
        chunk({ role: "assistant", content: "" }, null, second),
        chunk({ content: "o" }),
        chunk({ content: "two" }, null, second),
        chunk({ content: "ne" }),
        chunk({}, "stop"),
        chunk({}, "length", second),
        usageChunk,
        "[DONE]",
      ],
    });
    const final = await client.chat.completions
      .stream({ model: "scripted", messages: hello, n: 2 })
      .finalChatCompletion();
    assert.deepEqual(
      final.choices.map((choice) => [choice.message.content, choice.finish_reason]),
      [
        ["one", "stop"],
        ["two", "length"],
      ],
    );
  });

  test("log probabilities", async () => {
    const logprobs = {
      content: [
        {
          token: "hi",
          logprob: -0.125,
          bytes: [104, 105],
          top_logprobs: [{ token: "hi", logprob: -0.125, bytes: [104, 105] }],
        },
      ],
      refusal: null,
    };
    rig.scripted.answerWith({ body: completion({ message: { content: "hi" }, logprobs }) });
    const whole = await client.chat.completions.create({
      model: "scripted",
      messages: hello,
      logprobs: true,
      top_logprobs: 1,
    });
    assert.deepEqual(whole.choices[0]?.logprobs, logprobs);
    assert.equal(rig.scripted.calls[0]?.body["top_logprobs"], 1);
    rig.scripted.answerWith({
      events: [chunk({ role: "assistant", content: "hi" }, null, { logprobs }), chunk({}, "stop"), "[DONE]"],
    });
    const chunks = await collect(
      await client.chat.completions.create({
        model: "scripted",
        messages: hello,
        logprobs: true,
        stream: true,
      }),
    );
    assert.deepEqual(chunks[0]?.choices[0]?.logprobs, logprobs);
  });

  test("reasoning fields are seen raw, every fragment", async () => {
    const message = {
      content: "4",
      reasoning_content: "2 and 2",
      reasoning: "2 and 2",
      reasoning_details: [{ type: "reasoning.text", text: "2 and 2" }],
    };
    rig.scripted.answerWith({ body: completion({ message }) });
    const whole = await client.chat.completions.create({
      model: "scripted",
      messages: hello,
      reasoning_effort: "low",
    });
    const shown = whole.choices[0]?.message as unknown as Record<string, unknown>;
    assert.equal(shown["reasoning_content"], "2 and 2");
    assert.deepEqual(shown["reasoning_details"], message.reasoning_details);
    assert.equal(whole.usage?.completion_tokens_details?.reasoning_tokens, 3);
    assert.equal(rig.scripted.calls[0]?.body["reasoning_effort"], "low");
    rig.scripted.answerWith({
      events: streamOf([{ reasoning_content: "2 " }, { reasoning_content: "and 2" }, { content: "4" }]),
    });
    const chunks = await collect(
      await client.chat.completions.create({ model: "scripted", messages: hello, stream: true }),
    );
    const deltas = chunks.map(
      (one) => one.choices[0]?.delta as unknown as Record<string, string> | undefined,
    );
    assert.equal(deltas.map((delta) => delta?.["reasoning_content"] ?? "").join(""), "2 and 2");
  });

  test("usage keeps its details, cached tokens included", async () => {
    rig.scripted.answerWith({ body: completion({ message: { content: "hi" } }) });
    const whole = await client.chat.completions.create({ model: "scripted", messages: hello });
    assert.deepEqual(whole.usage, someUsage);
  });

  test("stream_options of the caller's own stay, whatever they say about usage", async () => {
    for (const include_usage of [true, false]) {
      rig.scripted.answerWith({ events: streamOf([{ content: "hi" }]) });
      const stream_options = { include_obfuscation: false, include_usage };
      const body = { model: "scripted", messages: hello, stream: true as const, stream_options };
      const chunks = await collect(await client.chat.completions.create(body));
      assert.equal(
        chunks.some((one) => one.choices.length === 0),
        include_usage,
      );
      const sent = rig.scripted.calls[0]?.body["stream_options"];
      assert.deepEqual(sent, { include_obfuscation: false, include_usage: true });
    }
  });

  test("the body forwarded is the body sent, but for the model's name and usage being asked for", async () => {
    rig.scripted.answerWith({ events: streamOf([{ content: "hi" }]) });
    const extra = {
      x_unknown: { deep: [1, null, "ü"] },
      seed: 9_007_199_254_740_991,
      temperature: 0,
      user: "u",
      metadata: { a: "b" },
    };
    const stream = await client.chat.completions.create({
      model: "scripted",
      messages: hello,
      stream: true,
      ...extra,
    });
    await collect(stream);
    const { model: name, stream_options, ...rest } = rig.scripted.calls[0]?.body ?? {};
    assert.equal(name, "upstream-model");
    assert.deepEqual(stream_options, { include_usage: true });
    assert.deepEqual(rest, { messages: hello, stream: true, ...extra });
    assert.equal(rig.scripted.calls[0]?.headers.authorization, "Bearer sk-upstream-scripted");
  });
});

describe("models", () => {
  test("list shows every model of the catalog", async () => {
    const models = await collect(client.models.list());
    assert.deepEqual(
      models.map((one) => one.id).sort(),
      ["counting", "demo", "hasty", "patient", "scripted", "twice", slashed, coloned].sort(),
    );
    assert.ok(
      models.every(
        (one) => one.object === "model" && typeof one.owned_by === "string" && Number.isInteger(one.created),
      ),
    );
  });

  for (const modelId of [slashed, coloned, "demo"]) {
    test(`retrieve and use ${modelId}`, async () => {
      const shown = await client.models.retrieve(modelId);
      assert.equal(shown.id, modelId);
      assert.equal(shown.object, "model");
      const facts = shown as unknown as Record<string, unknown>;
      assert.equal(facts["context_length"], 128_000);
      assert.equal(facts["max_output_tokens"], 4_096);
      rig.scripted.answerWith({ body: completion({ message: { content: "hi" } }) });
      const answer = await client.chat.completions.create({ model: modelId, messages: hello });
      assert.ok((answer.choices[0]?.message.content ?? "").length > 0);
    });
  }

  test("a key with a list of models sees only those", async () => {
    const { key } = await rig.product.createKey(rig.accountId, ["--models", `demo,${coloned}`]);
    const limited = client.withOptions({ apiKey: key });
    const models = await collect(limited.models.list());
    assert.deepEqual(models.map((one) => one.id).sort(), ["demo", coloned].sort());
  });
});

test("the counting upstream's answer arrives word for word", async () => {
  const answer = await client.chat.completions.create({ model: "counting", messages: hello });
  assert.equal(answer.choices[0]?.message.content, countingText);
});
