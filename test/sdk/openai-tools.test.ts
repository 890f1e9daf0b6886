/**
 * The unmodified official `openai` package: tool loops and structured output, with scripted answers and with
 * the demo model, which makes its own calls and objects.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import OpenAI from "openai";
import type { ChatCompletionFunctionTool } from "openai/resources/chat/completions";
import { completion, streamOf, toolCall, toolCallDeltas } from "../behaviour/harness/openai-shapes.ts";
import { type SdkRig, startSdkRig } from "./rig.ts";

let rig: SdkRig;
let client: OpenAI;

before(async () => {
  rig = await startSdkRig();
  client = new OpenAI({ baseURL: rig.product.baseUrl, apiKey: rig.key, maxRetries: 0, timeout: 20_000 });
});
after(() => rig?.stop());

const hello = [{ role: "user" as const, content: "Hello, Plaza!" }];

const weather: ChatCompletionFunctionTool = {
  type: "function",
  function: {
    name: "weather",
    description: "Weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

const format = {
  type: "json_schema" as const,
  json_schema: {
    name: "capital",
    strict: true,
    schema: {
      type: "object",
      properties: { city: { type: "string" }, people: { type: "integer" } },
      required: ["city", "people"],
      additionalProperties: false,
    },
  },
};

describe("tools", () => {
  test("runTools runs the loop to its end", async () => {
    rig.scripted.answerWith(
      {
        body: completion({
          message: { tool_calls: [toolCall("call_1", "weather", { city: "Oslo" })] },
          finish: "tool_calls",
        }),
      },
      { body: completion({ message: { content: "It snows in Oslo." } }) },
    );
    const asked: unknown[] = [];
    const runner = client.chat.completions.runTools({
      model: "scripted",
      messages: hello,
      tools: [
        {
          type: "function",
          function: {
            name: "weather",
            description: "Weather of a city",
            parameters: { type: "object", properties: { city: { type: "string" } } },
            parse: (text: string) => JSON.parse(text) as { city: string },
            function: (args: { city: string }) => {
              asked.push(args);
              return "snow";
            },
          },
        },
      ],
    });
    assert.equal(await runner.finalContent(), "It snows in Oslo.");
    assert.deepEqual(asked, [{ city: "Oslo" }]);
    const second = rig.scripted.calls[1]?.body["messages"] as Record<string, unknown>[];
    assert.equal(second.at(-1)?.["tool_call_id"], "call_1");
    assert.equal(second.at(-1)?.["content"], "snow");
  });

  test("runTools over streams", async () => {
    rig.scripted.answerWith(
      {
        events: streamOf(
          toolCallDeltas({ id: "call_1", name: "weather", args: { city: "Rome" } }),
          "tool_calls",
        ),
      },
      { events: streamOf([{ content: "Sun." }]) },
    );
    const runner = client.chat.completions.runTools({
      model: "scripted",
      messages: hello,
      stream: true,
      tools: [
        {
          type: "function",
          function: {
            name: "weather",
            description: "Weather of a city",
            parameters: { type: "object", properties: { city: { type: "string" } } },
            parse: (text: string) => JSON.parse(text) as { city: string },
            function: ({ city }: { city: string }) => `sun in ${city}`,
          },
        },
      ],
    });
    assert.equal(await runner.finalContent(), "Sun.");
    assert.equal(rig.scripted.calls.length, 2);
  });

  test("parallel calls keep their ids, names and arguments, whole and streamed", async () => {
    const calls = [
      { id: "call_a", name: "weather", args: { city: "Oslo" } },
      { id: "call_b", name: "weather", args: { city: 'Rio "de" Janeiro 🙂' } },
    ];
    rig.scripted.answerWith({
      body: completion({
        message: { tool_calls: calls.map(({ id, name, args }) => toolCall(id, name, args)) },
        finish: "tool_calls",
      }),
    });
    const whole = await client.chat.completions.create({
      model: "scripted",
      messages: hello,
      tools: [weather],
      parallel_tool_calls: true,
    });
    const expected = calls.map(({ id, name, args }) => [id, name, JSON.stringify(args)]);
    const shown = (list: readonly unknown[] | undefined): unknown[] =>
      (list as { id: string; function: { name: string; arguments: string } }[] | undefined)?.map((call) => [
        call.id,
        call.function.name,
        call.function.arguments,
      ]) ?? [];
    assert.deepEqual(shown(whole.choices[0]?.message.tool_calls), expected);
    rig.scripted.answerWith({ events: streamOf(toolCallDeltas(...calls), "tool_calls") });
    const final = await client.chat.completions
      .stream({ model: "scripted", messages: hello, tools: [weather] })
      .finalChatCompletion();
    assert.deepEqual(shown(final.choices[0]?.message.tool_calls), expected);
    assert.equal(final.choices[0]?.finish_reason, "tool_calls");
  });

  test("calls made by the counting upstream arrive whole", async () => {
    const body = { model: "counting", messages: hello, tools: [weather], x_rig: { tools: 2, tokens: 5 } };
    const final = await client.chat.completions.stream(body).finalChatCompletion();
    assert.equal(final.choices[0]?.message.tool_calls?.length, 2);
  });
});

describe("structured output", () => {
  test("parse gives the object, and the schema reaches the model", async () => {
    rig.scripted.answerWith({
      body: completion({ message: { content: '{"city":"Paris","people":2100000}' } }),
    });
    const answer = await client.chat.completions.parse({
      model: "scripted",
      messages: hello,
      response_format: format,
    });
    assert.deepEqual(answer.choices[0]?.message.parsed, { city: "Paris", people: 2_100_000 });
    assert.deepEqual(rig.scripted.calls[0]?.body["response_format"], format);
  });

  test("the stream helper parses too", async () => {
    rig.scripted.answerWith({
      events: streamOf([{ content: '{"city":"Par' }, { content: 'is","people":2100000}' }]),
    });
    const final = await client.chat.completions
      .stream({ model: "scripted", messages: hello, response_format: format })
      .finalChatCompletion();
    assert.deepEqual(final.choices[0]?.message.parsed, { city: "Paris", people: 2_100_000 });
  });
});

describe("the demo model", () => {
  const say = (content: string) => [{ role: "user" as const, content: `/slow 1 ${content}` }];
  const runnable = (asked: { city?: unknown }[]) => ({
    type: "function" as const,
    function: {
      name: "weather",
      description: "Weather of a city",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      parse: (text: string) => JSON.parse(text) as { city: string },
      function: (args: { city: string }) => {
        asked.push(args);
        return "snow";
      },
    },
  });

  for (const stream of [false, true]) {
    test(`runTools ${stream ? "over streams" : "with whole answers"}`, async () => {
      const asked: { city?: unknown }[] = [];
      const common = { model: "demo", messages: say("/tool weather"), tools: [runnable(asked)] };
      const runner = stream
        ? client.chat.completions.runTools({ ...common, stream: true })
        : client.chat.completions.runTools(common);
      assert.match((await runner.finalContent()) ?? "", /weather answered: snow/);
      assert.equal(asked.length, 1);
      assert.equal(typeof asked[0]?.city, "string");
    });
  }

  test("parallel calls", async () => {
    const tools = ["first", "second", "third"].map((name) => ({
      ...weather,
      function: { ...weather.function, name },
    }));
    const body = { model: "demo", messages: say("/tools 3"), tools };
    const whole = await client.chat.completions.create(body);
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    for (const answer of [whole, streamed]) {
      const calls = answer.choices[0]?.message.tool_calls ?? [];
      assert.deepEqual(
        calls.map((call) => (call.type === "function" ? call.function.name : "")),
        ["first", "second", "third"],
      );
      assert.equal(new Set(calls.map((call) => call.id)).size, 3);
      assert.equal(answer.choices[0]?.finish_reason, "tool_calls");
    }
  });

  test("structured output conforms to the schema", async () => {
    const body = { model: "demo", messages: say("Which capital?"), response_format: format };
    const whole = await client.chat.completions.parse(body);
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    for (const answer of [whole, streamed]) {
      const parsed = answer.choices[0]?.message.parsed as
        | { city?: unknown; people?: unknown }
        | null
        | undefined;
      assert.equal(typeof parsed?.city, "string");
      assert.ok(Number.isInteger(parsed?.people));
    }
  });

  test("two choices with log probabilities", async () => {
    const body = { model: "demo", messages: say("hi"), n: 2, logprobs: true, top_logprobs: 2 };
    const answer = await client.chat.completions.create(body);
    assert.deepEqual(
      answer.choices.map((choice) => choice.index),
      [0, 1],
    );
    assert.equal(answer.choices[1]?.logprobs?.content?.[0]?.top_logprobs.length, 2);
  });

  test("reasoning is shown and counted", async () => {
    const body = { model: "demo", messages: say("hi"), reasoning_effort: "low" as const };
    const answer = await client.chat.completions.create(body);
    const message = answer.choices[0]?.message as unknown as Record<string, unknown>;
    assert.ok(String(message["reasoning_content"] ?? "").length > 0);
    assert.ok((answer.usage?.completion_tokens_details?.reasoning_tokens ?? 0) > 0);
  });

  test("a refusal, and an answer that is too long", async () => {
    const refused = await client.chat.completions.create({ model: "demo", messages: say("/refuse") });
    assert.ok((refused.choices[0]?.message.refusal ?? "").length > 0);
    const short = await client.chat.completions.create({
      model: "demo",
      messages: say("hi"),
      max_completion_tokens: 3,
    });
    assert.equal(short.choices[0]?.finish_reason, "length");
    assert.equal(short.usage?.completion_tokens, 3);
  });
});
