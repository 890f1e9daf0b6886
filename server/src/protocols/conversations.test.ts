/**
 * Compares all encoders on the same conversation and all decoders on the same answer, without a chat request
 * in between.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Conversation, Turn } from "../conversation/conversation.ts";
import {
  assistant,
  call,
  conversationOf,
  recordingSink,
  results,
  thought,
  user,
  words,
} from "../conversation/testing/conversations.ts";
import type { ToolUse } from "../conversation/tools.ts";
import { frame } from "../providers/bedrock/fixtures/build.ts";
import { messagesDecoder } from "./anthropic-messages/decode-answer.ts";
import { encodeRequest as toMessages } from "./anthropic-messages/encode-request.ts";
import { converseDecoder } from "./bedrock-converse/decode-answer.ts";
import { encodeRequest as toConverse } from "./bedrock-converse/encode-request.ts";
import { geminiDecoder } from "./gemini/decode-answer.ts";
import { encodeRequest as toGemini } from "./gemini/encode-request.ts";
import { encodeRequest as toChat } from "./openai-chat/encode-request.ts";
import { responsesDecoder } from "./openai-responses/decode-answer.ts";
import { encodeRequest as toResponses } from "./openai-responses/encode-request.ts";
import type { AnswerDecoder, DecodeContext } from "./protocol.ts";
import { Untranslatable } from "./untranslatable.ts";

const claude = "claude-sonnet-4-5";
const context = { isStream: false } as const;
const encoders: Readonly<Record<string, (conversation: Conversation) => { readonly body: object }>> = {
  "anthropic-messages": (conversation) => toMessages(conversation, context, claude),
  "bedrock-converse": (conversation) =>
    toConverse(conversation, context, `us.anthropic.${claude}-20250929-v1:0`),
  gemini: (conversation) => toGemini(conversation, context, "gemini", "gemini-3-pro-preview"),
};

const tools: ToolUse = {
  tools: ["f", "g"].map((name) => ({
    name,
    description: undefined,
    parameters: undefined,
    isStrict: false,
    isCustom: false,
    grammar: undefined,
    cache: undefined,
    path: `the tool ${name}`,
    declarationPath: `the tool ${name}`,
    extras: undefined,
  })),
  choice: undefined,
  isParallel: undefined,
  hasRoomForOne: false,
};

/** The list of turns, under its name in the protocol. */
const turnsOf = (body: object): readonly { readonly role: string }[] =>
  ("messages" in body ? body.messages : "contents" in body ? body.contents : []) as { role: string }[];

describe("a request", () => {
  test("a turn of several results is one of the user's, everywhere", () => {
    const turns = [
      user(words("Q")),
      assistant(words("Looking."), call("a"), call("b", "g")),
      results("a", "b"),
    ];
    for (const [protocol, encode] of Object.entries(encoders)) {
      const { body } = encode(conversationOf({ turns, toolUse: tools }));
      const roles = turnsOf(body).map(({ role }) => role);
      assert.deepEqual(roles, ["user", protocol === "gemini" ? "model" : "assistant", "user"], protocol);
      for (const id of ["a", "b"]) assert.equal(JSON.stringify(body).split(`result of ${id}`).length, 2);
    }
  });

  test("thoughts go back to Claude between the words and calls they stood between", () => {
    const turns = [
      user(words("Q")),
      assistant(
        thought("one", "s1"),
        words("Looking."),
        thought("two", "s2"),
        call("a"),
        thought("unsigned", undefined),
        thought("foreign", "s4", "google-gemini-v1"),
        thought("three", "s3", "anthropic-claude-v1"),
        call("b", "g"),
      ),
      results("a", "b"),
    ];
    const reasoning = { effort: "low", budget: undefined, isOn: undefined, isHidden: false };
    const asked = conversationOf({ turns, toolUse: tools, reasoning });
    for (const protocol of ["anthropic-messages", "bedrock-converse"]) {
      const text = JSON.stringify(turnsOf(encoders[protocol]?.(asked).body ?? {})[1]);
      const order = ["one", "Looking", "two", '"a"', "three", '"b"'].map((part) => text.indexOf(part));
      assert.deepEqual(
        order,
        order.toSorted((one, other) => one - other),
        `${protocol}: ${text}`,
      );
      assert.ok(order.every((at) => at > 0) && !text.includes("unsigned") && !text.includes("foreign"));
    }
  });

  test("what a tool that failed says is told as a failure, its parts apart, and differs from a success", () => {
    const failed = (isError: boolean | undefined): Turn => ({
      ...results(),
      role: "tool",
      blocks: [
        {
          ...words(""),
          kind: "tool result",
          callId: "a",
          name: "f",
          content: [words("bad"), words("Title\nhttps://s.test\n\nfound")],
          isError,
          idPath: "results.a",
        },
      ],
    });
    const bodyWith = (encode: (asked: Conversation) => { readonly body: object }, isError?: boolean) =>
      JSON.stringify(
        encode(
          conversationOf({
            turns: [user(words("Q")), assistant(call("a")), failed(isError)],
            toolUse: tools,
          }),
        ).body,
      );
    const joined = '"bad\\nTitle\\nhttps://s.test\\n\\nfound"';
    const apart = /"bad"\}.*"Title\\nhttps:\/\/s\.test\\n\\nfound"/;
    const all: Readonly<Record<string, readonly [told: RegExp, parts: RegExp | string]>> = {
      "anthropic-messages": [/"is_error":true/, apart],
      "bedrock-converse": [/"status":"error"/, apart],
      nova: [/"status":"error"/, apart],
      llama: [/"text":"Error:"/, apart],
      gemini: [/"response":\{"error":"bad/, joined],
      "openai-chat": [/"content":"Error: bad/, /bad\\nTitle\\nhttps:\/\/s\.test\\n\\nfound"/],
      "openai-responses": [/"text":"Error:"/, apart],
    };
    const more: typeof encoders = {
      ...encoders,
      nova: (asked) => toConverse(asked, context, "amazon.nova-pro-v1:0"),
      llama: (asked) => toConverse(asked, context, "us.meta.llama4-maverick-17b-instruct-v1:0"),
      "openai-chat": (asked) => toChat(asked, context, "gpt-5.5"),
      "openai-responses": (asked) => toResponses(asked, context, "gpt-5.6"),
    };
    for (const [protocol, [told, parts]] of Object.entries(all)) {
      const encode = more[protocol];
      assert.ok(encode !== undefined);
      const text = bodyWith(encode, true);
      assert.match(text, told, protocol);
      assert.ok(typeof parts === "string" ? text.includes(parts) : parts.test(text), `${protocol}: ${text}`);
      assert.doesNotMatch(bodyWith(encode), told, protocol);
    }
  });

  test("what an assistant said in refusing is said", () => {
    const refusal = { ...user(), kind: "refusal", text: "I will not." } as const;
    for (const [protocol, encode] of Object.entries(encoders)) {
      const { body } = encode(
        conversationOf({ turns: [user(words("Q")), assistant(refusal), user(words("Why?"))] }),
      );
      assert.match(JSON.stringify(turnsOf(body)[1]), /I will not\./, protocol);
    }
  });

  test("what cannot be said is refused by the caller's own name of it", () => {
    const sampling = { ...conversationOf({}).sampling, topK: 0.5 };
    const rows: readonly (readonly [more: Partial<Conversation>, param: string, only?: string])[] = [
      [{ sampling: { ...sampling, topK: undefined, temperature: Number.NaN } }, "the temperature"],
      [{ sampling }, "the topK"],
      [{ turns: [] }, "the turns"],
      [{ choices: 9 }, "the choices"],
      [{ reasoning: { effort: "huge", budget: undefined, isOn: undefined, isHidden: false } }, "the effort"],
      [
        { reasoning: { effort: undefined, budget: 0.5, isOn: undefined, isHidden: false } },
        "the reasoningBudget",
      ],
      [{ parameters: [{ name: "odd", setting: "logitBias", value: { 1: 1 } }] }, "odd"],
      [{ parameters: [{ name: "odder", setting: undefined, value: 0 }] }, "odder"],
      [{ turns: [user(words("Q")), results("a")] }, "results.a"],
    ];
    for (const [protocol, encode] of Object.entries(encoders)) {
      for (const [more, param] of rows) {
        assert.throws(
          () => encode(conversationOf({ ...more, ...(more.choices === undefined ? {} : { choices: 9 }) })),
          (error) => {
            assert.ok(error instanceof Untranslatable, `${protocol} ${param}: ${String(error)}`);
            assert.equal(error.param, param, protocol);
            return true;
          },
          `${protocol} ${param}`,
        );
      }
    }
  });

  test("a setting of the caller's by a name another protocol gives to something else is no setting", () => {
    // "topK" is a model setting, "thinking" a setting that Claude's routes know by the caller's name.
    for (const name of ["topK", "temperature"]) {
      const parameters = [{ name, setting: undefined, value: 1 }];
      for (const encode of Object.values(encoders))
        assert.throws(() => encode(conversationOf({ parameters })), Untranslatable);
    }
  });
});

const sse = (...events: object[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
const event = (type: string, payload: object): Buffer =>
  frame({ ":message-type": "event", ":event-type": type }, JSON.stringify(payload));
const usage = { input_tokens: 3, output_tokens: 2 };

/** The same answer (text, a call, usage) as each protocol streams it. */
const streams: Readonly<Record<string, readonly [AnswerDecoder, Buffer]>> = {
  "anthropic-messages": [
    messagesDecoder(),
    sse(
      { type: "message_start", message: { model: "named", usage: { input_tokens: 3, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: "a", name: "f", input: {} },
      },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "{}" } },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage },
      { type: "message_stop" },
    ),
  ],
  "bedrock-converse": [
    converseDecoder,
    Buffer.concat([
      event("messageStart", { role: "assistant" }),
      event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi" } }),
      event("contentBlockStop", { contentBlockIndex: 0 }),
      event("contentBlockStart", {
        contentBlockIndex: 1,
        start: { toolUse: { toolUseId: "a", name: "f" } },
      }),
      event("contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input: "{}" } } }),
      event("contentBlockStop", { contentBlockIndex: 1 }),
      event("messageStop", { stopReason: "tool_use" }),
      event("metadata", { usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } }),
    ]),
  ],
  "openai-responses": [
    responsesDecoder(),
    sse(
      { type: "response.created", response: { model: "named" } },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hi" },
      {
        type: "response.output_item.added",
        output_index: 1,
        item: { type: "function_call", call_id: "a", name: "f" },
      },
      { type: "response.function_call_arguments.delta", output_index: 1, delta: "{}" },
      { type: "response.completed", response: { status: "completed", output: [], usage } },
    ),
  ],
  gemini: [
    geminiDecoder,
    sse(
      { modelVersion: "named", candidates: [{ content: { parts: [{ text: "Hi" }] } }] },
      {
        candidates: [
          { content: { parts: [{ functionCall: { id: "a", name: "f", args: {} } }] }, finishReason: "STOP" },
        ],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
      },
    ),
  ],
};

const asked: DecodeContext = {
  conversation: conversationOf({ toolUse: tools }),
  model: "arn:aws:bedrock:us-east-1:1:inference-profile/named",
  memory: undefined,
  answerId: "chatcmpl-1",
};

describe("an answer", () => {
  for (const [protocol, [decoder, bytes]] of Object.entries(streams)) {
    test(`${protocol}: says the same to a sink, however it is cut`, () => {
      for (const size of [1, 7, bytes.length]) {
        const { sink, said } = recordingSink();
        const reader = decoder.stream(asked, sink);
        for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
        reader.end();
        const counted = said.filter(([method]) => method === "usage").map(([, given]) => given);
        const ends = said.findIndex(([method]) => method === "close");
        assert.ok(
          said.slice(ends).every(([method]) => method === "close"),
          "nothing comes after the end",
        );
        const rest = said
          .slice(0, ends + 1)
          .filter(([method]) => !["usage", "begin", "conclude"].includes(String(method)));
        assert.deepEqual(
          rest.map((one) => one.slice(0, 3).filter((given) => given !== 0)),
          [
            ["model", "named"],
            ["text", "Hi"],
            ["toolCall", { id: "a", name: "f" }],
            ["toolArguments", "{}"],
            ["finish", "tool_calls"],
            ["close"],
          ],
        );
        assert.deepEqual(counted, [{ input: 3, cachedInput: 0, cacheWrite: 0, output: 2, reasoning: 0 }]);
      }
    });

    test(`${protocol}: is no end where the protocol's own was not seen`, () => {
      const { sink, said } = recordingSink();
      const reader = decoder.stream(asked, sink);
      reader.push(bytes.subarray(0, Math.floor(bytes.length / 2)));
      reader.end();
      assert.ok(said.length > 0 && !said.some(([method]) => method === "finish"));
    });
  }
});
