/** Answers of other upstreams for a caller of Messages; a strict client checks the order of each stream. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { frame } from "../../providers/bedrock/fixtures/build.ts";
import { converseDecoder } from "../bedrock-converse/decode-answer.ts";
import { geminiDecoder } from "../gemini/decode-answer.ts";
import { encodeRequest as toGemini } from "../gemini/encode-request.ts";
import type { Seal } from "../payloads/seal.ts";
import type { AnswerContext, AnswerDecoder, ProviderRequest } from "../protocol.ts";
import { anthropicMessages } from "./answers/answers.ts";
import { messagesDecoder } from "./decode-answer.ts";
import { createRequestReader, decodeRequest } from "./decode-request.ts";
import { encodeRequest as toMessages } from "./encode-request.ts";
import { eventsOf, gather } from "./testing/gather.ts";
import { messagesTranslation } from "./translation.ts";

type Fields = Record<string, unknown>;

const tools = [{ name: "f", input_schema: { type: "object" } }];
const asking = (more: object = {}): ProviderRequest => ({
  body: Buffer.from(
    JSON.stringify({
      model: "m",
      max_tokens: 99,
      tools,
      thinking: { type: "adaptive" },
      messages: [{ role: "user", content: "Q" }],
      ...more,
    }),
  ),
  spans: {},
  isStream: true,
});
const contextOf = (request = asking()): AnswerContext => ({
  id: "msg_req_1",
  createdSeconds: 7,
  model: "called",
  request,
});

function translated(decoder: AnswerDecoder, bytes: Buffer, size = bytes.length, request = asking()): Buffer {
  const translator = messagesTranslation(decoder).stream(contextOf(request));
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(translator.push(bytes.subarray(at, at + size)));
  return Buffer.concat([...parts, translator.end()]);
}

const contentOf = (message: Fields): Fields[] => message["content"] as Fields[];

const sse = (...events: object[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
const event = (type: string, payload: object): Buffer =>
  frame({ ":message-type": "event", ":event-type": type }, JSON.stringify(payload));

const gemini = sse(
  { modelVersion: "named", candidates: [{ content: { parts: [{ text: "Hm", thought: true }] } }] },
  { candidates: [{ content: { parts: [{ text: "Looking." }] } }] },
  {
    candidates: [
      {
        content: {
          parts: [{ functionCall: { id: "a", name: "f", args: { x: 1 } }, thoughtSignature: "c2lnbmF0dXJl" }],
        },
        finishReason: "STOP",
      },
    ],
    usageMetadata: {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 3,
      totalTokenCount: 110,
    },
  },
);

const converse = Buffer.concat([
  event("messageStart", { role: "assistant" }),
  event("contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "Hm" } } }),
  event("contentBlockDelta", {
    contentBlockIndex: 0,
    delta: { reasoningContent: { signature: "RXE+/w==" } },
  }),
  event("contentBlockStop", { contentBlockIndex: 0 }),
  event("contentBlockDelta", { contentBlockIndex: 1, delta: { text: "Looking." } }),
  event("contentBlockStop", { contentBlockIndex: 1 }),
  event("contentBlockStart", { contentBlockIndex: 2, start: { toolUse: { toolUseId: "a", name: "f" } } }),
  event("contentBlockDelta", { contentBlockIndex: 2, delta: { toolUse: { input: '{"x":1}' } } }),
  event("contentBlockStop", { contentBlockIndex: 2 }),
  event("messageStop", { stopReason: "tool_use" }),
  event("metadata", {
    usage: {
      inputTokens: 40,
      cacheReadInputTokens: 60,
      cacheWriteInputTokens: 5,
      outputTokens: 10,
      totalTokens: 115,
    },
  }),
]);

const startUsage = { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 1 };
const anthropic = sse(
  { type: "message_start", message: { model: "named", usage: startUsage } },
  { type: "ping" },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm" } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "RXE+/w==" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Looking." } },
  { type: "content_block_stop", index: 1 },
  {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "a", name: "f", input: {} },
  },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"x":1}' } },
  { type: "content_block_stop", index: 2 },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 10 } },
  { type: "message_stop" },
);

const upstreams: Readonly<Record<string, readonly [AnswerDecoder, Buffer]>> = {
  gemini: [geminiDecoder, gemini],
  "bedrock-converse": [converseDecoder, converse],
  "anthropic-messages": [messagesDecoder(), anthropic],
};

for (const [name, [decoder, bytes]] of Object.entries(upstreams)) {
  describe(`an answer of ${name}`, () => {
    test("is one message: thoughts, words, call; the same however it is cut", () => {
      const all = translated(decoder, bytes);
      for (const size of [1, 3, 17, 64]) assert.deepEqual(translated(decoder, bytes, size), all, `${size}`);
      const message = gather(eventsOf(all));
      const visible = contentOf(message).filter(
        ({ type, thinking }) => type !== "thinking" || thinking !== "",
      );
      assert.deepEqual(
        visible.map(({ type, thinking, text, input }) => [type, thinking ?? text ?? input]),
        [
          ["thinking", "Hm"],
          ["text", "Looking."],
          ["tool_use", { x: 1 }],
        ],
      );
      assert.equal(message["stop_reason"], "tool_use");
      const read = anthropicMessages.readUsage(message["usage"]);
      assert.deepEqual([read?.input, read?.cachedInput, read?.output], [40, 60, 10], "cached tokens once");
    });

    test("cut anywhere is no end, and no beginning twice", () => {
      // Gemini ends with its last text; Converse reports usage after the end.
      const ends = { gemini: '"finishReason"', "bedrock-converse": "messageStop" };
      const end = bytes.lastIndexOf(ends[name as keyof typeof ends] ?? "message_stop");
      for (let at = 1; at < end; at += 7) {
        const text = String(translated(decoder, bytes.subarray(0, at)));
        assert.ok(text.split("event: message_start").length <= 2);
        assert.ok(!text.includes("message_stop"), `${at}`);
      }
    });
  });
}

test("the input is told in message_start where the upstream tells it there", () => {
  const [start] = eventsOf(translated(messagesDecoder(), anthropic));
  assert.ok(start !== undefined);
  const { usage } = start["message"] as { usage: Fields };
  assert.deepEqual([usage["input_tokens"], usage["cache_read_input_tokens"]], [40, 60]);
});

/** The next request of a client that sends the message back. */
const replay = (message: Fields): Buffer =>
  asking({
    messages: [
      { role: "user", content: "Q" },
      { role: "assistant", content: message["content"] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "1" }] },
    ],
  }).body;

test("Gemini's thought signature comes back to Gemini on the turn of the tool", () => {
  const conversation = decodeRequest(replay(gather(eventsOf(translated(geminiDecoder, gemini)))));
  const model = "gemini-3-pro-preview";
  const { body } = toGemini(conversation, { isStream: false }, "gemini", model);
  assert.match(JSON.stringify(body), /"name":"f","args":\{"x":1\}\},"thoughtSignature":"c2lnbmF0dXJl"/);
});

test("Claude's signature comes back to Claude as it was, the words once", () => {
  for (const [decoder, bytes] of [
    [converseDecoder, converse],
    [messagesDecoder(), anthropic],
  ] as const) {
    const conversation = decodeRequest(replay(gather(eventsOf(translated(decoder, bytes)))));
    const { body } = toMessages(conversation, { isStream: false }, "claude-opus-4-6");
    const text = JSON.stringify(body.messages[1]);
    assert.match(text, /\{"type":"thinking","thinking":"Hm","signature":"RXE\+\/w=="\}/);
    assert.equal(text.split("Hm").length, 2);
  }
});

test("a payload is opened by its own seal alone, and a foreign one is dropped without a word to anybody", () => {
  const seal: Seal = {
    seal: (json) => `k1.${Buffer.from(json).toString("hex")}`,
    open: (sealed) =>
      sealed.startsWith("k1.") ? Buffer.from(sealed.slice(3), "hex").toString("utf8") : undefined,
  };
  const read = createRequestReader();
  const context = contextOf();
  const request = { ...context.request, seal };
  const translator = messagesTranslation(geminiDecoder, { read }).stream({ ...context, request });
  const bytes = Buffer.concat([translator.push(gemini), translator.end()]);
  const body = replay(gather(eventsOf(bytes)));
  const callIn = ({ turns }: ReturnType<typeof decodeRequest>) =>
    turns[1]?.blocks.find((block) => block.kind === "tool call");
  assert.equal(callIn(read(body, seal).conversation)?.signature, "c2lnbmF0dXJl");
  assert.equal(callIn(decodeRequest(body))?.signature, undefined);
});

test("a whole answer is what its stream is", () => {
  const whole = {
    type: "message",
    model: "named",
    content: [
      { type: "thinking", thinking: "Hm", signature: "RXE+/w==" },
      { type: "text", text: "Looking." },
      { type: "tool_use", id: "a", name: "f", input: { x: 1 } },
    ],
    stop_reason: "tool_use",
    stop_sequence: null,
    usage: { ...startUsage, output_tokens: 10 },
  };
  const translation = messagesTranslation(messagesDecoder());
  const made = translation.whole(Buffer.from(JSON.stringify(whole)), contextOf());
  const streamed = gather(eventsOf(translated(messagesDecoder(), anthropic)));
  const usage = { ...(streamed["usage"] as Fields) };
  assert.deepEqual(JSON.parse(String(made)), { ...streamed, usage });
  assert.equal(translation.whole(Buffer.from('{"type":"error"}'), contextOf()), undefined);
});

test("the text an answer stopped at is told", () => {
  const events = (type: string, delta: object) => ({ type, delta, usage: { output_tokens: 2 } });
  const bytes = sse(
    { type: "message_start", message: { usage: startUsage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hi" } },
    events("message_delta", { stop_reason: "stop_sequence", stop_sequence: "END" }),
    { type: "message_stop" },
  );
  const message = gather(eventsOf(translated(messagesDecoder(), bytes)));
  assert.deepEqual([message["stop_reason"], message["stop_sequence"]], ["stop_sequence", "END"]);
});

test("an upstream's error goes down as its own words, and nothing after it", () => {
  const error = { type: "error", error: { type: "overloaded_error", message: "x" } };
  const bytes = Buffer.concat([anthropic.subarray(0, 400), Buffer.from("\n\n"), sse(error), anthropic]);
  const events = eventsOf(translated(messagesDecoder(), bytes));
  assert.equal(events.at(-1)?.type, "error");
  assert.equal(events.filter(({ type }) => type === "message_start").length, 1);
});
