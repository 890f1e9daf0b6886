/**
 * A tool loop in both directions: Claude's answer → the caller's message → sent back as history → the same
 * Claude blocks, with and without the extra fields.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestMemory, requestOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { encodeRequest } from "../../protocols/anthropic-messages/encode-request.ts";
import type { Block } from "../../protocols/anthropic-messages/wire.ts";
import { decodeRequest } from "../../protocols/openai-chat/decode-request.ts";
import type { ProviderRequest, ReplayMemory } from "../../protocols/protocol.ts";
import { translatedChat } from "../testing/translated-chat.ts";
import { anthropic } from "./anthropic.ts";
import {
  hello,
  message,
  models,
  start,
  stop,
  stream,
  text,
  thinkingBlock,
  toolBlock,
  toolUse,
  weather,
} from "./fixtures/build.ts";

/** Encodes a caller's body for Claude. */
const encodeMessages = (request: ProviderRequest, model: string) =>
  encodeRequest(decodeRequest(request.body), request, model);

type Fields = Readonly<Record<string, unknown>>;

const thinking = { type: "thinking", thinking: "Which city? 🎉", signature: "c2ln" };
const redacted = { type: "redacted_thinking", data: "b3Bh" };
const between = { type: "thinking", thinking: "And another.", signature: "c2lnMg==" };
const first = toolUse("toolu_1", "get_weather", { city: "Rome", id: 5 });
const second = toolUse("toolu_2", "get_weather", {});
const blocks = [thinking, redacted, text("Looking."), first, between, second];

const asked = { tools: [weather], reasoning_effort: "low" };

function contextOf(request: ProviderRequest, model: string) {
  return { id: "chatcmpl-1", createdSeconds: 1, model, request };
}

const requestWith = (memory: ReplayMemory, model: string, more: Fields = {}): ProviderRequest =>
  requestOf({ model, messages: hello, ...asked, ...more }, { memory });

/** The assistant message that a caller gets for these blocks. */
function answered(
  memory: ReplayMemory,
  model: string,
  content: readonly Fields[] = blocks,
  more: Fields = {},
): Fields {
  const body = Buffer.from(JSON.stringify(message(content, { stop_reason: "tool_use", model })));
  const whole = translatedChat(anthropic).translation.whole(
    body,
    contextOf(requestWith(memory, model, more), model),
  );
  assert(whole !== undefined);
  return (JSON.parse(whole.toString("utf8")) as { choices: [{ message: Fields }] }).choices[0].message;
}

/** What Claude receives when the caller sends that message back with the tool results. */
function sentBack(
  said: Fields,
  memory: ReplayMemory,
  model: string,
  more: Fields = {},
): { blocks: Block[]; thinking: unknown } {
  const calls = (said["tool_calls"] ?? []) as { id: string }[];
  const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "sun" }));
  const request = requestOf({ model, messages: [...hello, said, ...results], ...asked, ...more }, { memory });
  const { body } = encodeMessages(request, model);
  const turn = body.messages.find(({ role }) => role === "assistant");
  return { blocks: (turn?.content ?? []) as Block[], thinking: body.thinking };
}

/** The message as sent back by a client that keeps OpenAI's fields only. */
const plain = ({ role, content, tool_calls }: Fields): Fields => ({ role, content, tool_calls });

describe("thoughts", () => {
  for (const model of [models.adaptive, models.budget]) {
    test(`${model}: sent back byte for byte and in their places`, () => {
      const said = answered(createTestMemory(), model);
      assert.equal(said["reasoning_content"], "Which city? 🎉And another.");
      assert.deepEqual(sentBack(said, createTestMemory(), model).blocks, blocks);
    });

    test(`${model}: remembered where the client drops them`, () => {
      const memory = createTestMemory();
      const said = plain(answered(memory, model));
      assert.deepEqual(sentBack(said, memory, model).blocks, blocks);
    });
  }

  test("those of LiteLLM's field are taken as well", () => {
    const said = {
      ...plain(answered(createTestMemory(), models.adaptive)),
      thinking_blocks: [thinking, redacted],
    };
    const { blocks: sent } = sentBack(said, createTestMemory(), models.adaptive);
    assert.deepEqual(sent, [thinking, redacted, text("Looking."), first, second]);
  });

  test("unsigned, foreign ones, and those of another model's are not sent", () => {
    const memory = createTestMemory();
    const said = answered(memory, models.adaptive);
    const bare = [text("Looking."), first, second];
    assert.deepEqual(sentBack(said, createTestMemory(), models.both).blocks, bare);
    assert.deepEqual(sentBack(plain(said), memory, models.both).blocks, bare);
    const foreign = [
      { type: "reasoning.text", text: "unsigned" },
      { type: "reasoning.text", text: "unsigned", signature: "" },
      { type: "reasoning.encrypted", data: "x", format: "google-gemini-v1" },
      { type: "reasoning.summary", summary: "s" },
      "x",
    ];
    const other = { ...plain(said), reasoning_details: foreign, reasoning_content: "unsigned" };
    assert.deepEqual(sentBack(other, createTestMemory(), models.adaptive).blocks, bare);
    const odd: ReplayMemory = {
      recall: () => '{"format":"anthropic-claude-v1","blocks":[1,{}]}',
      remember() {},
    };
    assert.deepEqual(sentBack(plain(said), odd, models.adaptive).blocks, bare);
  });

  test("none are sent where nothing is to be thought", () => {
    const said = answered(createTestMemory(), models.adaptive);
    const { blocks: sent, thinking: setting } = sentBack(said, createTestMemory(), models.adaptive, {
      reasoning_effort: "none",
    });
    assert.deepEqual([sent, setting], [[text("Looking."), first, second], { type: "disabled" }]);
  });

  test("a budget is given only where the loop's first thoughts are there", () => {
    const memory = createTestMemory();
    const said = answered(memory, models.budget);
    assert.deepEqual(sentBack(plain(said), memory, models.budget).thinking, {
      type: "enabled",
      budget_tokens: 1_024,
    });
    assert.equal(sentBack(plain(said), createTestMemory(), models.budget).thinking, undefined);
    assert.deepEqual(sentBack(plain(said), createTestMemory(), models.both).thinking, { type: "adaptive" });
  });

  test("a stream says and remembers the same", () => {
    const memory = createTestMemory();
    const translator = translatedChat(anthropic).translation.stream(
      contextOf(requestWith(memory, models.budget, { stream: true }), models.budget),
    );
    const written = translator.push(
      Buffer.from(
        stream(
          start(),
          thinkingBlock(0, "c2ln", "Which ", "city? 🎉"),
          toolBlock(1, "toolu_1", "get_weather", '{"city":"Rome","id":5}'),
          thinkingBlock(2, "c2lnMg==", "And another."),
          toolBlock(3, "toolu_2", "get_weather"),
          stop("tool_use"),
        ),
      ),
    );
    const details = [...written.toString("utf8").matchAll(/"reasoning_details":\[(.*?)\]/g)].map(
      ([, json]) => JSON.parse(json ?? "") as Fields,
    );
    const said = { role: "assistant", tool_calls: [call(first), call(second)] };
    const expected = [thinking, first, between, second];
    assert.deepEqual(
      sentBack({ ...said, reasoning_details: details }, createTestMemory(), models.budget).blocks,
      expected,
    );
    assert.deepEqual(sentBack(said, memory, models.budget).blocks, expected);
  });
});

const call = ({ id, name, input }: Fields): Fields => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});

test("a custom tool's text goes out of its object, and back into it", () => {
  const tools = [{ type: "custom", custom: { name: "patch", description: "Applies a patch." } }];
  const used = toolUse("toolu_1", "patch", { input: '*** "Begin"' });
  const said = answered(createTestMemory(), models.adaptive, [used], { tools });
  assert.deepEqual(said["tool_calls"], [
    { id: "toolu_1", type: "custom", custom: { name: "patch", input: '*** "Begin"' } },
  ]);
  assert.deepEqual(sentBack(said, createTestMemory(), models.adaptive, { tools }).blocks, [used]);
});

test("whole numbers of any size come out of a whole answer as they are", () => {
  const body = JSON.stringify(message([{ ...first, input: "HERE" }], { stop_reason: "tool_use" }));
  const exact = Buffer.from(body.replace('"HERE"', '{"id":12345678901234567890}'));
  const whole = translatedChat(anthropic).translation.whole(
    exact,
    contextOf(requestWith(createTestMemory(), models.adaptive), models.adaptive),
  );
  assert.match(whole?.toString("utf8") ?? "", /\{\\"id\\":12345678901234567890\}/);
});
