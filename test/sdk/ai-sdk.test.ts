/**
 * Vercel's `ai` with `@ai-sdk/openai-compatible`, unmodified, against the product.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createOpenAICompatible, type OpenAICompatibleProvider } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  generateObject,
  generateText,
  isStepCount,
  jsonSchema,
  Output,
  streamText,
  tool,
} from "ai";
import {
  completion,
  openaiError,
  streamOf,
  toolCall,
  toolCallDeltas,
} from "../behaviour/harness/openai-shapes.ts";
import { eventually } from "../rigs/harness/measure/clock.ts";
import { tokensText } from "../rigs/harness/streams/tokens.ts";
import { type SdkRig, startSdkRig } from "./rig.ts";

let rig: SdkRig;
let plaza: OpenAICompatibleProvider;

before(async () => {
  rig = await startSdkRig();
  plaza = createOpenAICompatible({
    name: "plaza",
    baseURL: rig.product.baseUrl,
    apiKey: rig.key,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
});
after(() => rig?.stop());

const prompt = "Hello, Plaza! Say something of a few words.";
const capitalSchema = jsonSchema<{ city: string }>({
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
});

for (const modelId of ["demo", "counting"]) {
  describe(`text with ${modelId}`, () => {
    test("generateText", async () => {
      const result = await generateText({ model: plaza(modelId), prompt, maxRetries: 0 });
      assert.ok(result.text.length > 0);
      assert.equal(result.finishReason, "stop");
      assert.ok((result.usage.inputTokens ?? 0) > 0);
      assert.ok((result.usage.outputTokens ?? 0) > 0);
    });

    test("streamText gives the same text, and usage at the end", async () => {
      const whole = await generateText({ model: plaza(modelId), prompt, maxRetries: 0 });
      const stream = streamText({ model: plaza(modelId), prompt, maxRetries: 0 });
      const parts: string[] = [];
      for await (const part of stream.textStream) parts.push(part);
      assert.ok(parts.length > 1);
      assert.equal(parts.join(""), whole.text);
      assert.equal(await stream.finishReason, "stop");
      const usage = await stream.usage;
      assert.equal(usage.inputTokens, whole.usage.inputTokens);
      assert.equal(usage.outputTokens, whole.usage.outputTokens);
    });
  });
}

test("usage keeps its classes", async () => {
  rig.scripted.answerWith(
    { body: completion({ message: { content: "hi" } }) },
    { events: streamOf([{ content: "hi" }]) },
  );
  const whole = await generateText({ model: plaza("scripted"), prompt, maxRetries: 0 });
  const stream = streamText({ model: plaza("scripted"), prompt, maxRetries: 0 });
  await stream.consumeStream();
  for (const usage of [whole.usage, await stream.usage]) {
    assert.equal(usage.inputTokens, 21);
    assert.equal(usage.inputTokenDetails.cacheReadTokens, 4);
    assert.equal(usage.outputTokens, 9);
    assert.equal(usage.outputTokenDetails.reasoningTokens, 3);
  }
});

test("reasoning_content becomes reasoning, whole and streamed", async () => {
  rig.scripted.answerWith(
    { body: completion({ message: { content: "4", reasoning_content: "2 and 2" } }) },
    { events: streamOf([{ reasoning_content: "2 " }, { reasoning_content: "and 2" }, { content: "4" }]) },
  );
  const whole = await generateText({ model: plaza("scripted"), prompt, maxRetries: 0 });
  assert.equal(whole.reasoningText, "2 and 2");
  assert.equal(whole.text, "4");
  const stream = streamText({ model: plaza("scripted"), prompt, maxRetries: 0 });
  assert.equal(await stream.reasoningText, "2 and 2");
  assert.equal(await stream.text, "4");
});

const weather = tool({
  description: "Weather of a city",
  inputSchema: capitalSchema,
  execute: async ({ city }) => `snow in ${city}`,
});

describe("tools", () => {
  test("generateText runs the loop with parallel calls", async () => {
    const calls = [
      toolCall("call_1", "weather", { city: "Oslo" }),
      toolCall("call_2", "weather", { city: "Bergen" }),
    ];
    rig.scripted.answerWith(
      { body: completion({ message: { tool_calls: calls }, finish: "tool_calls" }) },
      { body: completion({ message: { content: "It snows." } }) },
    );
    const result = await generateText({
      model: plaza("scripted"),
      prompt,
      tools: { weather },
      stopWhen: isStepCount(3),
      maxRetries: 0,
    });
    assert.equal(result.text, "It snows.");
    assert.deepEqual(
      result.steps[0]?.toolResults.map((one) => one.output),
      ["snow in Oslo", "snow in Bergen"],
    );
    const messages = rig.scripted.calls[1]?.body["messages"] as Record<string, unknown>[];
    assert.deepEqual(
      messages.slice(-2).map((one) => one["tool_call_id"]),
      ["call_1", "call_2"],
    );
  });

  test("streamText runs it too", async () => {
    rig.scripted.answerWith(
      {
        events: streamOf(
          toolCallDeltas({ id: "call_1", name: "weather", args: { city: "Rome" } }),
          "tool_calls",
        ),
      },
      { events: streamOf([{ content: "Sun." }]) },
    );
    const stream = streamText({
      model: plaza("scripted"),
      prompt,
      tools: { weather },
      stopWhen: isStepCount(3),
      maxRetries: 0,
    });
    assert.equal(await stream.text, "Sun.");
    const steps = await stream.steps;
    assert.deepEqual(
      steps[0]?.toolCalls.map((one) => one.input),
      [{ city: "Rome" }],
    );
  });
});

describe("structured output", () => {
  test("generateText with Output.object sends the schema and parses the answer", async () => {
    rig.scripted.answerWith({ body: completion({ message: { content: '{"city":"Paris"}' } }) });
    const result = await generateText({
      model: plaza("scripted"),
      prompt,
      output: Output.object({ schema: capitalSchema }),
      maxRetries: 0,
    });
    assert.deepEqual(result.output, { city: "Paris" });
    const format = rig.scripted.calls[0]?.body["response_format"] as { type?: string } | undefined;
    assert.equal(format?.type, "json_schema");
  });

  test("generateObject", async () => {
    rig.scripted.answerWith({ body: completion({ message: { content: '{"city":"Paris"}' } }) });
    const result = await generateObject({
      model: plaza("scripted"),
      prompt,
      schema: capitalSchema,
      maxRetries: 0,
    });
    assert.deepEqual(result.object, { city: "Paris" });
  });
});

describe("errors", () => {
  const apiError = async (call: PromiseLike<unknown>): Promise<APICallError> => {
    try {
      await call;
    } catch (error) {
      assert.ok(APICallError.isInstance(error), `not an APICallError: ${error}`);
      return error;
    }
    assert.fail("the call should have been refused");
  };

  test("a key that is none: 401, not retryable", async () => {
    const stranger = createOpenAICompatible({
      name: "plaza",
      baseURL: rig.product.baseUrl,
      apiKey: "sk-nope",
    });
    const error = await apiError(generateText({ model: stranger("demo"), prompt, maxRetries: 2 }));
    assert.equal(error.statusCode, 401);
    assert.equal(error.isRetryable, false);
    assert.match(error.responseBody ?? "", /"code":"invalid_api_key"/);
  });

  test("an unknown model: 404", async () => {
    const error = await apiError(generateText({ model: plaza("no-such-model"), prompt, maxRetries: 2 }));
    assert.equal(error.statusCode, 404);
    assert.match(error.message, /no-such-model/);
  });

  test("an upstream that fails: 502 once retries are used up; its text stays inside", async () => {
    rig.scripted.answerWith({ status: 500, body: openaiError("secret detail", { type: "server_error" }) });
    const error = await apiError(generateText({ model: plaza("scripted"), prompt, maxRetries: 0 }));
    assert.equal(error.statusCode, 502);
    assert.equal(error.isRetryable, true);
    assert.doesNotMatch(error.responseBody ?? "", /secret detail/);
  });

  test("429 with Retry-After, then success", async () => {
    rig.scripted.answerWith(
      {
        status: 429,
        headers: { "retry-after": "1" },
        body: openaiError("slow down", { code: "rate_limit_exceeded" }),
      },
      { body: completion({ message: { content: "at last" } }) },
    );
    const result = await generateText({ model: plaza("scripted"), prompt, maxRetries: 1 });
    assert.equal(result.text, "at last");
    assert.equal(rig.scripted.calls.length, 2);
  });

  test("a stream cut in the middle is an error, never a finish", async () => {
    const errors: unknown[] = [];
    const stream = streamText({
      model: plaza("counting"),
      prompt,
      maxRetries: 0,
      providerOptions: { plaza: { x_rig: { tokens: 20, cutEvent: 6, how: "rst", gapMs: 5 } } },
      onError: ({ error }) => {
        errors.push(error);
      },
    });
    const kinds: string[] = [];
    const finishes: string[] = [];
    let text = "";
    for await (const part of stream.fullStream) {
      kinds.push(part.type);
      if (part.type === "text-delta") text += part.text;
      if (part.type === "finish") finishes.push(part.finishReason);
    }
    assert.ok(text.length > 0 && tokensText("en", 20).startsWith(text));
    assert.ok(kinds.includes("error"));
    assert.equal(errors.length, 1);
    assert.ok(
      finishes.every((reason) => reason === "error" || reason === "other"),
      String(finishes),
    );
  });

  test("abort cancels the upstream's work", async () => {
    const controller = new AbortController();
    const stream = streamText({
      model: plaza("counting"),
      prompt,
      maxRetries: 0,
      abortSignal: controller.signal,
      providerOptions: { plaza: { x_rig: { id: "ai-abort", tokens: 2_000, gapMs: 20 } } },
    });
    for await (const part of stream.fullStream) if (part.type === "text-delta") controller.abort();
    assert.ok(await eventually(() => rig.counting.findCall("ai-abort")?.end === "cancelled", 5_000, 5));
  });
});
