/** A caller of Gemini with upstreams of other formats: the request, the answer, and the next turn. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { messagesDecoder } from "../../anthropic-messages/decode-answer.ts";
import { encodeRequest as toMessages } from "../../anthropic-messages/encode-request.ts";
import { chatDecoder } from "../../openai-chat/decode-answer.ts";
import { openaiDialect } from "../../openai-chat/dialect.ts";
import { encodeRequest as toChat } from "../../openai-chat/encode-request.ts";
import type { AnswerContext, AnswerDecoder } from "../../protocol.ts";
import { Untranslatable } from "../../untranslatable.ts";
import { decodeRequest } from "../decode-request.ts";
import { objectsOf, partsOf } from "../testing/gather.ts";
import { geminiTranslation } from "./translation.ts";

const asked = {
  contents: [{ role: "user", parts: [{ text: "Weather?" }] }],
  systemInstruction: { parts: [{ text: "Be brief." }] },
  tools: [{ functionDeclarations: [{ name: "f", parameters: { type: "OBJECT", properties: {} } }] }],
  generationConfig: { maxOutputTokens: 2_000, topK: 64, thinkingConfig: { includeThoughts: true } },
};
const buffer = (body: object): Buffer => Buffer.from(JSON.stringify(body));
const contextOf = (body: object): AnswerContext => ({
  id: "req_1",
  createdSeconds: 7,
  model: "called",
  request: { body: buffer(body), spans: {}, isStream: true },
});

function streamed(decoder: AnswerDecoder, body: object, text: string): Record<string, unknown>[] {
  const stream = geminiTranslation(decoder).stream(contextOf(body));
  const pieces = [...text].map((letter) => stream.push(Buffer.from(letter)));
  // Drops the gateway's internal events, as the gateway does.
  return objectsOf(Buffer.concat([...pieces, stream.end()])).filter((object) => !("usageOnly" in object));
}

const sse = (...events: object[]): string =>
  events
    .map((event) => `event: ${(event as { type?: string }).type ?? "x"}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");

test("Claude's signed thoughts come back to it over a tool's turn of a client that drops thoughts", () => {
  const delta = (index: number, type: string, more: object) => ({
    type: "content_block_delta",
    index,
    delta: { type, ...more },
  });
  const block = (index: number, content_block: object) => ({
    type: "content_block_start",
    index,
    content_block,
  });
  const stop = (index: number) => ({ type: "content_block_stop", index });
  const objects = streamed(
    messagesDecoder(),
    asked,
    sse(
      { type: "message_start", message: { model: "claude-x", usage: { input_tokens: 9, output_tokens: 1 } } },
      block(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, "thinking_delta", { thinking: "Need f." }),
      delta(0, "signature_delta", { signature: "c2ln" }),
      stop(0),
      block(1, { type: "tool_use", id: "toolu_1", name: "f", input: {} }),
      delta(1, "input_json_delta", { partial_json: '{"a":' }),
      delta(1, "input_json_delta", { partial_json: "1}" }),
      stop(1),
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 30 } },
      { type: "message_stop" },
    ),
  );
  const [thought, call] = partsOf(objects);
  assert.deepEqual(thought, { text: "Need f.", thought: true });
  assert.deepEqual((call as { functionCall?: object }).functionCall, {
    id: "toolu_1",
    name: "f",
    args: { a: 1 },
  });
  const last = objects.at(-1) as {
    candidates: { finishReason: string }[];
    usageMetadata: object;
    modelVersion: string;
  };
  assert.equal(last.candidates[0]?.finishReason, "STOP");
  assert.equal(last.modelVersion, "claude-x");
  assert.deepEqual(last.usageMetadata, {
    promptTokenCount: 9,
    candidatesTokenCount: 30,
    totalTokenCount: 39,
  });
  const next = {
    ...asked,
    contents: [
      ...asked.contents,
      { role: "model", parts: [call] },
      {
        role: "user",
        parts: [{ functionResponse: { id: "toolu_1", name: "f", response: { output: "42" } } }],
      },
    ],
    generationConfig: { thinkingConfig: { thinkingBudget: 1_024 }, maxOutputTokens: 4_000 },
  };
  const { body } = toMessages(decodeRequest(buffer(next)), { isStream: false }, "called");
  assert.deepEqual(body.messages[1]?.content, [
    { type: "thinking", thinking: "Need f.", signature: "c2ln" },
    { type: "tool_use", id: "toolu_1", name: "f", input: { a: 1 } },
  ]);
});

test("a chat upstream: parallel calls in one object, words before them as they come", () => {
  const { body, dropped } = toChat(decodeRequest(buffer(asked)), { isStream: true }, "gpt", {
    ...openaiDialect,
    outputName: "max_tokens",
  });
  assert.deepEqual(dropped, ["generationConfig.topK"]);
  assert.deepEqual(body["messages"], [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Weather?" },
  ]);
  assert.equal(body["max_tokens"], 2_000);
  const chunk = (delta: object, more: object = {}) => ({
    model: "gpt",
    choices: [{ index: 0, delta, ...more }],
  });
  const call = (index: number, more: object) => ({ tool_calls: [{ index, ...more }] });
  const objects = streamed(
    chatDecoder,
    asked,
    `${sse(
      chunk({ role: "assistant", content: "Look" }),
      chunk({ content: "ing." }),
      chunk(call(0, { id: "a", function: { name: "f", arguments: "{" } })),
      chunk(call(1, { id: "b", function: { name: "f", arguments: "{}" } })),
      chunk(call(0, { function: { arguments: '"x":1}' } })),
      chunk({}, { finish_reason: "tool_calls" }),
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 } },
    ).replaceAll("event: x\n", "")}data: [DONE]\n\n`,
  );
  assert.deepEqual(
    objects.map((object) => partsOf([object]).length),
    [1, 1, 2],
  );
  assert.deepEqual(partsOf(objects).slice(1), [
    { functionCall: { id: "a", name: "f", args: { x: 1 } } },
    { functionCall: { id: "b", name: "f", args: {} } },
  ]);
});

test("hosted tools and cached contents are refused by name for every other upstream", () => {
  for (const [more, param] of [
    [{ tools: [{ googleSearch: {} }] }, "tools[0].googleSearch"],
    [{ cachedContent: "cachedContents/1" }, "cachedContent"],
    [{ generationConfig: { speechConfig: {} } }, "generationConfig.speechConfig"],
  ] as const) {
    const conversation = decodeRequest(buffer({ ...asked, ...more }));
    for (const encode of [toChat, toMessages])
      assert.throws(
        () => encode(conversation, { isStream: false }, "m"),
        (error) => error instanceof Untranslatable && error.param === param,
      );
  }
});

test("an answer that is cut, or fails, has no end; whole ones that are none are none", () => {
  const words = sse({ choices: [{ index: 0, delta: { content: "Hi" } }] });
  const cut = streamed(chatDecoder, asked, words);
  assert.ok(!JSON.stringify(cut).includes("finishReason"));
  const failed = geminiTranslation(chatDecoder).stream(contextOf(asked));
  const bytes = failed.push(Buffer.from(`${words}data: {"error":{"message":"no"}}\n\n`)).toString();
  assert.match(bytes, /"text":"Hi".*\r\n\r\nevent: error\ndata: \{"error"/s);
  assert.equal(failed.end().length, 0);
  assert.equal(geminiTranslation(chatDecoder).whole(Buffer.from("{}"), contextOf(asked)), undefined);
});
