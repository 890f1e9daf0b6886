/**
 * The official `openai` package against the product, with an upstream behind it that speaks Anthropic's
 * protocol: the caller never notices, and the upstream is asked nothing its API would refuse.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { refusalsOf } from "../../../server/src/protocols/anthropic-messages/accepts.ts";
import {
  block,
  errorBody,
  message,
  ping,
  start,
  stop,
  text,
  textBlock,
  thinkingBlock,
  toolBlock,
  toolUse,
} from "../../../server/src/providers/anthropic/fixtures/build.ts";
import { model } from "../../behaviour/harness/catalogs.ts";
import { type Product, startProduct } from "../../behaviour/harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../../behaviour/harness/scripted-upstream.ts";

let product: Product;
let upstream: ScriptedUpstream;
let client: OpenAI;

before(async () => {
  upstream = await startScriptedUpstream();
  const entry = (id: string) => ({
    id,
    provider: "anthropic",
    baseUrl: upstream.baseUrl,
    credentials: [`sk-ant-${id}`],
  });
  const priced = (id: string, on: string, name: string) => ({ ...model(id, [on, name]), maxOutput: 64_000 });
  product = await startProduct({
    catalog: {
      // What failed once is remembered of an upstream: tests that make one fail have one of their own.
      upstreams: ["main", "cut", "busy", "thrown"].map(entry),
      models: [
        priced("adaptive", "main", "claude-opus-4-7"),
        priced("budget", "main", "claude-sonnet-4-5"),
        priced("classic", "main", "claude-sonnet-4-20250514"),
        priced("cut", "cut", "claude-opus-4-7"),
        priced("busy", "busy", "claude-opus-4-7"),
        priced("thrown", "thrown", "claude-opus-4-7"),
      ],
    },
  });
  const { key } = await product.createKey(await product.createAccount());
  client = new OpenAI({ baseURL: product.baseUrl, apiKey: key, maxRetries: 0, timeout: 20_000 });
});
after(async () => {
  await product?.stop();
  await upstream?.stop();
});
beforeEach(() => upstream.answerWith());

const hello = [{ role: "user" as const, content: "Hello" }];
const weather = {
  type: "function" as const,
  function: {
    name: "weather",
    description: "Weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

/** Everything sent so far, none of it refusable. */
function sent(): Record<string, unknown>[] {
  return upstream.calls.map(({ body, headers }) => {
    assert.deepEqual(refusalsOf(body), []);
    assert.equal(headers["anthropic-version"], "2023-06-01");
    assert.match(String(headers["x-api-key"]), /^sk-ant-/);
    assert.equal(headers["authorization"], undefined);
    return body;
  });
}

describe("answers", () => {
  test("a whole answer", async () => {
    upstream.answerWith({ body: message([text("Hi there.")]) });
    const answer = await client.chat.completions.create({ model: "adaptive", messages: hello });
    assert.equal(answer.choices[0]?.message.content, "Hi there.");
    assert.equal(answer.choices[0]?.finish_reason, "stop");
    assert.equal(answer.usage?.total_tokens, 15);
    assert.match(answer.id, /^chatcmpl-/);
    assert.equal(sent()[0]?.["model"], "claude-opus-4-7");
  });

  test("a stream, through the helper that checks every chunk; its usage is what is charged", async () => {
    upstream.answerWith({
      events: [
        start({
          usage: {
            input_tokens: 20,
            cache_read_input_tokens: 300,
            cache_creation_input_tokens: 40,
            output_tokens: 1,
          },
        }),
        ping,
        ...thinkingBlock(0, "c2ln", "Let me ", "see."),
        ...textBlock(1, "Hel", "lo 🎉"),
        ...stop("end_turn", {}, { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } }),
      ],
    });
    const stream = client.chat.completions.stream({
      model: "adaptive",
      messages: hello,
      reasoning_effort: "high",
      stream_options: { include_usage: true },
    });
    let thoughts = "";
    stream.on("chunk", ({ choices }) => {
      thoughts += (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? "";
    });
    const completion = await stream.finalChatCompletion();
    assert.equal(completion.choices[0]?.message.content, "Hello 🎉");
    // The helper keeps only the last piece of a field it does not know.
    assert.equal(thoughts, "Let me see.");
    assert.equal(completion.usage?.prompt_tokens, 360);
    assert.equal(completion.usage?.prompt_tokens_details?.cached_tokens, 300);
    assert.equal(completion.usage?.completion_tokens_details?.reasoning_tokens, 4);
    assert.deepEqual(sent()[0]?.["thinking"], { type: "adaptive", display: "summarized" });
    const [row] = await product.requests(1);
    assert.equal(row?.usageSource, "exact");
    assert.deepEqual(
      [
        row?.inputTokens,
        row?.cachedInputTokens,
        row?.cacheWriteTokens,
        row?.outputTokens,
        row?.reasoningTokens,
      ],
      [20, 300, 40, 9, 4],
    );
  });

  test("JSON by a tool that must be called reads as JSON", async () => {
    upstream.answerWith({
      events: [start(), ...toolBlock(0, "toolu_1", "json", '{"city":', '"Oslo"}'), ...stop("tool_use")],
    });
    const stream = client.chat.completions.stream({
      model: "classic",
      messages: hello,
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "city",
          strict: true,
          schema: {
            type: "object",
            properties: { city: { type: "string" } },
            required: ["city"],
            additionalProperties: false,
          },
        },
      },
    });
    const { choices } = await stream.finalChatCompletion();
    assert.deepEqual(JSON.parse(choices[0]?.message.content ?? ""), { city: "Oslo" });
    assert.equal(choices[0]?.finish_reason, "stop");
    sent();
  });
});

describe("tool loops", () => {
  test("runTools runs the loop to its end", async () => {
    upstream.answerWith(
      {
        body: message([text("Looking."), toolUse("toolu_a", "weather", { city: "Oslo" })], {
          stop_reason: "tool_use",
        }),
      },
      { body: message([text("It snows in Oslo.")]) },
    );
    const runner = client.chat.completions.runTools({
      model: "adaptive",
      messages: hello,
      tools: [
        {
          ...weather,
          function: {
            ...weather.function,
            parse: (given: string) => JSON.parse(given) as { city: string },
            function: ({ city }: { city: string }) => `snow in ${city}`,
          },
        },
      ],
    });
    assert.equal(await runner.finalContent(), "It snows in Oslo.");
    const turns = sent()[1]?.["messages"] as { role: string; content: unknown[] }[];
    assert.deepEqual(turns.at(-1), {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_a", content: "snow in Oslo" }],
    });
  });

  test("signed thoughts come back to the upstream though the client drops them", async () => {
    upstream.answerWith({
      events: [
        start(),
        ...thinkingBlock(0, "c2lnbmVk", "Which city?"),
        ...block(1, { type: "redacted_thinking", data: "b3BhcXVl" }),
        ...textBlock(2, "Looking."),
        ...toolBlock(3, "toolu_b1", "weather", '{"city":"Oslo"}'),
        ...toolBlock(4, "toolu_b2", "weather", "{}"),
        ...stop("tool_use"),
      ],
    });
    const asked = { model: "budget", tools: [weather], reasoning_effort: "low" as const };
    const first = await client.chat.completions.stream({ ...asked, messages: hello }).finalChatCompletion();
    const said = first.choices[0]?.message;
    const calls = said?.tool_calls ?? [];
    assert.deepEqual(
      calls.map((call) => [call.id, call.type === "function" ? call.function.arguments : ""]),
      [
        ["toolu_b1", '{"city":"Oslo"}'],
        ["toolu_b2", "{}"],
      ],
    );
    upstream.answerWith({ events: [start(), ...textBlock(0, "Snow."), ...stop("end_turn")] });
    const messages: ChatCompletionMessageParam[] = [
      ...hello,
      { role: "assistant", content: said?.content ?? null, tool_calls: calls },
      ...calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "snow" })),
    ];
    const second = await client.chat.completions.stream({ ...asked, messages }).finalChatCompletion();
    assert.equal(second.choices[0]?.message.content, "Snow.");
    const [body] = sent();
    assert.deepEqual(body?.["thinking"], { type: "enabled", budget_tokens: 1_024 });
    const turns = body?.["messages"] as { content: { type: string }[] }[];
    assert.deepEqual(turns[1]?.content.slice(0, 3), [
      { type: "thinking", thinking: "Which city?", signature: "c2lnbmVk" },
      { type: "redacted_thinking", data: "b3BhcXVl" },
      { type: "text", text: "Looking." },
    ]);
  });

  test("thoughts nobody kept: the loop goes on without thinking", async () => {
    upstream.answerWith({ body: message([text("Snow.")]) });
    const { response } = await client.chat.completions
      .create(
        {
          model: "budget",
          reasoning_effort: "low",
          tools: [weather],
          messages: [
            ...hello,
            {
              role: "assistant",
              content: null,
              tool_calls: [{ id: "x1", type: "function", function: { name: "weather", arguments: "{}" } }],
            },
            { role: "tool", tool_call_id: "x1", content: "snow" },
          ],
        },
        { headers: { "x-plaza-drop-params": "true" } },
      )
      .withResponse();
    assert.equal(sent()[0]?.["thinking"], undefined);
    assert.equal(response.headers.get("x-plaza-dropped-params"), "reasoning_effort");
  });
});

describe("what goes wrong", () => {
  test("what the protocol cannot say is refused by name, or left out where that is allowed", async () => {
    const asked = { model: "adaptive", messages: hello, logprobs: true };
    await assert.rejects(client.chat.completions.create(asked), (error) => {
      assert(error instanceof OpenAI.BadRequestError);
      assert.equal(error.code, "unsupported_parameter");
      assert.equal(error.param, "logprobs");
      return true;
    });
    assert.equal(upstream.calls.length, 0);
    upstream.answerWith({ body: message([text("Hi.")]) });
    const { data, response } = await client.chat.completions
      .create(asked, { headers: { "x-plaza-drop-params": "true" } })
      .withResponse();
    assert.equal(data.choices[0]?.message.content, "Hi.");
    assert.equal(response.headers.get("x-plaza-dropped-params"), "logprobs");
  });

  test("an error first in a stream keeps its status", async () => {
    upstream.answerWith({ events: [start(), ping, errorBody("overloaded_error", "Overloaded")] });
    await assert.rejects(
      client.chat.completions.stream({ model: "busy", messages: hello }).finalChatCompletion(),
      (error) => error instanceof OpenAI.APIError && error.status === 503,
    );
  });

  test("an error after words ends the stream with an error", async () => {
    upstream.answerWith({ events: [start(), ...textBlock(0, "Hel"), errorBody("api_error", "Internal")] });
    await assert.rejects(
      client.chat.completions.stream({ model: "thrown", messages: hello }).finalChatCompletion(),
      OpenAI.APIError,
    );
  });

  test("a stream without its end is none", async () => {
    upstream.answerWith({ events: [start(), ...textBlock(0, "Hel"), ...stop("end_turn").slice(0, 1)] });
    await assert.rejects(
      client.chat.completions.stream({ model: "cut", messages: hello }).finalChatCompletion(),
      OpenAI.APIError,
    );
    const [row] = await product.requests(1);
    assert.equal(row?.state, "incomplete");
  });
});
