/**
 * Uses the official `@anthropic-ai/sdk` as a reference: requests match its types, and its parser reads our
 * fixtures as valid messages and streams.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import type { MessageCreateParams, MessageCreateParamsBase } from "@anthropic-ai/sdk/resources/messages";
import { callOf, requestOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { refusalsOf } from "../../protocols/anthropic-messages/accepts.ts";
import { encodeRequest } from "../../protocols/anthropic-messages/encode-request.ts";
import type { MessagesBody } from "../../protocols/anthropic-messages/wire.ts";
import { closedSchema } from "../../protocols/claude/schema.ts";
import { decodeRequest } from "../../protocols/openai-chat/decode-request.ts";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import { anthropic } from "./anthropic.ts";
import { answerFixtures } from "./fixtures/answers.ts";
import { requestFixtures } from "./fixtures/requests.ts";
import { finishedStreams } from "./fixtures/streams.ts";

/** Encodes a caller's body for Claude. */
const encodeMessages = (request: ProviderRequest, model: string) =>
  encodeRequest(decodeRequest(request.body), request, model);

/** A compile-time check: the encoder writes only fields that the SDK's types know. */
const paramsOf = (model: string, body: MessagesBody): MessageCreateParamsBase => ({
  model,
  ...(body satisfies Omit<MessageCreateParamsBase, "model">),
});

/** An SDK client that receives this answer instead of using the network. */
function clientOf(answer: string, type: string, sent: unknown[] = []): Anthropic {
  return new Anthropic({
    apiKey: "sk-ant-test",
    maxRetries: 0,
    fetch: async (_url, init) => {
      sent.push(JSON.parse(String(init?.body)));
      return new Response(answer, { headers: { "content-type": type } });
    },
  });
}

test("what fixtures are sent as, the SDK sends as well, and no rule of the API's is broken", async (t) => {
  // The SDK warns about models that will soon be retired.
  t.mock.method(console, "warn", () => {});
  for (const fixture of [...requestFixtures, ...answerFixtures, ...finishedStreams]) {
    const { model } = fixture;
    const { body } = encodeMessages(requestOf({ model, ...fixture.request }), model);
    const ours: unknown = JSON.parse(callOf(anthropic, fixture).body.toString("utf8"));
    assert.deepEqual(refusalsOf(ours), [], fixture.name);
    const sent: unknown[] = [];
    const params = { ...paramsOf(model, body), stream: false } as MessageCreateParams;
    // With an explicit timeout the SDK does not estimate how long an answer takes.
    await clientOf("{}", "application/json", sent).messages.create(params, { timeout: 1_000 });
    assert.deepEqual(sent, [{ ...(ours as object), stream: false }], fixture.name);
  }
});

test("the SDK's parser reads finished streams to the same text and the same calls", async () => {
  for (const fixture of finishedStreams) {
    const client = clientOf(String(fixture.answer), "text/event-stream");
    const params = {
      model: "claude-opus-4-7",
      max_tokens: 1_000,
      messages: [{ role: "user" as const, content: "Hi" }],
    };
    const message = await client.messages.stream(params).finalMessage();
    const { text, toolCalls, usage } = fixture.expected;
    const isPlainText = !("response_format" in fixture.request) && !fixture.name.includes("nobody knows");
    const read = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    if (text !== undefined && isPlainText) assert.equal(read, text, fixture.name);
    const calls = message.content.flatMap((block) =>
      block.type === "tool_use" ? [{ name: block.name, arguments: block.input }] : [],
    );
    if (toolCalls !== undefined && toolCalls.length > 0) {
      const expected = toolCalls.map(({ name, arguments: given }) => ({ name, arguments: given }));
      // The SDK builds arguments from their deltas only.
      if (!fixture.name.includes("at the beginning of their block"))
        assert.deepEqual(calls, expected, fixture.name);
    }
    if (usage !== undefined && usage !== null)
      assert.equal(message.usage.output_tokens, usage.output, fixture.name);
  }
});

test("schemas are closed as the SDK closes them", () => {
  const schemas = [
    {
      type: "object",
      properties: { a: { type: "integer", minimum: 1, maximum: 9 }, b: { type: "string", format: "date" } },
    },
    {
      type: "object",
      properties: { a: { type: "string", minLength: 2, pattern: "^a", description: "An a." } },
      required: ["a"],
    },
    {
      type: "object",
      properties: { a: { oneOf: [{ type: "string" }, { type: "null" }] }, e: { enum: ["x", 1] } },
    },
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "object", properties: {} }, minItems: 1 } },
    },
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "string" }, minItems: 3 } },
    },
    {
      $defs: { city: { type: "object", properties: { name: { type: "string", format: "color" } } } },
      type: "object",
      properties: { from: { $ref: "#/$defs/city" }, to: { $ref: "#/$defs/city" } },
    },
  ];
  for (const schema of schemas) assert.deepEqual(closedSchema(schema), transformJSONSchema(schema));
});
