/**
 * `@langchain/openai`'s ChatOpenAI, unmodified, against the product through `configuration.baseURL`.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ContextOverflowError } from "@langchain/core/errors";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI, type ChatOpenAIFields } from "@langchain/openai";
import {
  completion,
  openaiError,
  streamOf,
  toolCall,
  toolCallDeltas,
} from "../behaviour/harness/openai-shapes.ts";
import { type SdkRig, startSdkRig } from "./rig.ts";

let rig: SdkRig;

before(async () => {
  rig = await startSdkRig({}, 12);
});
after(() => rig?.stop());

function chat(model: string, more: ChatOpenAIFields = {}): ChatOpenAI {
  return new ChatOpenAI({
    model,
    apiKey: rig.key,
    maxRetries: 0,
    useResponsesApi: false,
    configuration: { baseURL: rig.product.baseUrl },
    ...more,
  });
}

/** LangChain's token counts of a message; its own type for them does not resolve here. */
const tokensOf = (message: { readonly usage_metadata?: unknown }): { input: number; output: number } => {
  const counts = (message.usage_metadata ?? {}) as { input_tokens?: number; output_tokens?: number };
  return { input: counts.input_tokens ?? 0, output: counts.output_tokens ?? 0 };
};

const question = "Hello, Plaza! Say something of a few words.";
const weather = {
  type: "function" as const,
  function: {
    name: "weather",
    description: "Weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

for (const modelId of ["demo", "counting"]) {
  describe(`text with ${modelId}`, () => {
    test("invoke", async () => {
      const message = await chat(modelId).invoke(question);
      assert.ok(message.text.length > 0);
      assert.equal(message.response_metadata["finish_reason"], "stop");
      assert.ok(tokensOf(message).input > 0);
      assert.ok(tokensOf(message).output > 0);
    });

    test("stream gives the same text, with usage", async () => {
      const whole = await chat(modelId).invoke(question);
      let text = "";
      let outputTokens = 0;
      let pieces = 0;
      for await (const piece of await chat(modelId).stream(question)) {
        text += piece.text;
        outputTokens += tokensOf(piece).output;
        pieces += 1;
      }
      assert.ok(pieces > 2);
      assert.equal(text, whole.text);
      assert.equal(outputTokens, tokensOf(whole).output);
    });
  });
}

describe("tools", () => {
  const calls = [
    toolCall("call_1", "weather", { city: "Oslo" }),
    toolCall("call_2", "weather", { city: "Bergen" }),
  ];

  test("bindTools: parallel calls and their results", async () => {
    rig.scripted.answerWith(
      { body: completion({ message: { content: "", tool_calls: calls }, finish: "tool_calls" }) },
      { body: completion({ message: { content: "It snows." } }) },
    );
    const bound = chat(rig.fresh()).bindTools([weather]);
    const first = await bound.invoke(question);
    assert.deepEqual(
      first.tool_calls?.map((call) => [call.id, call.name, call.args]),
      [
        ["call_1", "weather", { city: "Oslo" }],
        ["call_2", "weather", { city: "Bergen" }],
      ],
    );
    const results = ["call_1", "call_2"].map((id) => new ToolMessage({ tool_call_id: id, content: "snow" }));
    const last = await bound.invoke([new HumanMessage(question), first, ...results]);
    assert.equal(last.text, "It snows.");
    const sent = rig.scripted.calls[1]?.body["messages"] as Record<string, unknown>[];
    assert.deepEqual(
      sent.map((one) => one["role"]),
      ["user", "assistant", "tool", "tool"],
    );
  });

  test("streamed calls are put together", async () => {
    rig.scripted.answerWith({
      events: streamOf(
        toolCallDeltas({ id: "call_1", name: "weather", args: { city: "Rome" } }),
        "tool_calls",
      ),
    });
    const stream = await chat(rig.fresh()).bindTools([weather]).stream(question);
    const pieces = [];
    for await (const piece of stream) pieces.push(piece);
    const whole = pieces.reduce((sum, piece) => sum.concat(piece));
    assert.deepEqual(
      whole.tool_calls?.map((call) => [call.id, call.name, call.args]),
      [["call_1", "weather", { city: "Rome" }]],
    );
  });
});

test("withStructuredOutput, by schema and by function", async () => {
  const schema = {
    title: "capital",
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  };
  rig.scripted.answerWith({ body: completion({ message: { content: '{"city":"Paris"}' } }) });
  const bySchema = chat(rig.fresh()).withStructuredOutput<{ city: string }>(schema, {
    method: "jsonSchema",
    name: "capital",
  });
  assert.deepEqual(await bySchema.invoke(question), { city: "Paris" });
  const format = rig.scripted.calls[0]?.body["response_format"] as { type?: string } | undefined;
  assert.equal(format?.type, "json_schema");
  rig.scripted.answerWith({
    body: completion({
      message: { tool_calls: [toolCall("call_1", "capital", { city: "Rome" })] },
      finish: "tool_calls",
    }),
  });
  const byFunction = chat(rig.fresh()).withStructuredOutput<{ city: string }>(schema, {
    method: "functionCalling",
    name: "capital",
  });
  assert.deepEqual(await byFunction.invoke(question), { city: "Rome" });
});

describe("errors", () => {
  /** What the call rejected with, as LangChain hands it on. */
  async function refusal(
    call: PromiseLike<unknown>,
  ): Promise<{ status?: number; code?: string; message: string; lc_error_code?: string }> {
    try {
      await call;
    } catch (error) {
      return error as { message: string };
    }
    assert.fail("the call should have been refused");
  }

  test("401 for a key that is none", async () => {
    const error = await refusal(chat("demo", { apiKey: "sk-nope" }).invoke(question));
    assert.equal(error.status, 401);
    assert.equal(error.code, "invalid_api_key");
    assert.equal(error.lc_error_code, "MODEL_AUTHENTICATION");
  });

  test("404 for an unknown model", async () => {
    const error = await refusal(chat("no-such-model").invoke(question));
    assert.equal(error.status, 404);
    assert.equal(error.code, "model_not_found");
    assert.equal(error.lc_error_code, "MODEL_NOT_FOUND");
  });

  test("a context that is too long is LangChain's own class for it", async () => {
    const body = openaiError("maximum context length is 4096 tokens", { code: "context_length_exceeded" });
    rig.scripted.answerWith({ status: 400, body });
    await assert.rejects(chat(rig.fresh()).invoke(question), (error: Error) => {
      assert.ok(ContextOverflowError.isInstance(error));
      assert.equal((error.cause as { status?: number }).status, 400);
      return true;
    });
  });

  test("429 of the upstream", async () => {
    rig.scripted.answerWith({
      status: 429,
      headers: { "retry-after": "1" },
      body: openaiError("slow down", { code: "rate_limit_exceeded" }),
    });
    const error = await refusal(chat(rig.fresh()).invoke(question));
    assert.equal(error.status, 429);
    assert.equal(error.lc_error_code, "MODEL_RATE_LIMIT");
  });

  test("502 for an upstream that fails", async () => {
    rig.scripted.answerWith({ status: 500, body: openaiError("oops", { type: "server_error" }) });
    const error = await refusal(chat(rig.fresh()).invoke(question));
    assert.equal(error.status, 502);
    assert.equal(error.code, "upstream_error");
  });

  test("a stream cut in the middle rejects", async () => {
    const model = chat("counting", {
      modelKwargs: { x_rig: { tokens: 20, cutEvent: 6, how: "rst", gapMs: 5 } },
    });
    let text = "";
    const finishes: unknown[] = [];
    const error = await refusal(
      (async () => {
        for await (const piece of await model.stream(question)) {
          text += piece.text;
          finishes.push(piece.response_metadata["finish_reason"]);
        }
      })(),
    );
    assert.ok(text.length > 0);
    assert.equal(error.code, "upstream_error");
    assert.deepEqual(
      finishes.filter((reason) => typeof reason === "string"),
      [],
    );
  });
});
