/**
 * Known Responses bugs of other gateways, each as a test of Plaza through the upstreams' own decoders and
 * encoders.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conversationOf } from "../../conversation/testing/conversations.ts";
import { messagesDecoder } from "../anthropic-messages/decode-answer.ts";
import { encodeRequest as toMessages } from "../anthropic-messages/encode-request.ts";
import { encodeRequest as toConverse } from "../bedrock-converse/encode-request.ts";
import { geminiDecoder } from "../gemini/decode-answer.ts";
import { encodeRequest as toGemini } from "../gemini/encode-request.ts";
import type { AnswerContext, AnswerDecoder } from "../protocol.ts";
import { ResponsesStreamReader } from "./answers/stream-reader.ts";
import { responsesDecoder } from "./decode-answer.ts";
import { createRequestReader, decodeRequest } from "./decode-request.ts";
import { encodeRequest } from "./encode-request.ts";
import { faultOfResponses } from "./fault.ts";
import { eventsOf, gather, shown, type WireEvent } from "./testing/gather.ts";
import { responsesTranslation } from "./translation.ts";
import { readUsage } from "./usage.ts";

type Fields = Record<string, unknown>;

const sse = (...events: readonly object[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));

/** A request of Codex, shortened. */
const codex = {
  model: "m",
  instructions: "You are Codex.",
  input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Mend it." }] }] as object[],
  tools: [
    {
      type: "function",
      name: "shell",
      description: "d",
      strict: false,
      parameters: { type: "object", properties: {} },
    },
    {
      type: "custom",
      name: "apply_patch",
      description: "d",
      format: { type: "grammar", syntax: "lark", definition: "x" },
    },
    { type: "namespace", name: "mcp__files__", description: "", tools: [{ type: "function", name: "read" }] },
  ],
  tool_choice: "auto",
  parallel_tool_calls: true,
  reasoning: { effort: "medium", summary: "auto" },
  store: false,
  stream: true,
  include: ["reasoning.encrypted_content"],
  prompt_cache_key: "k",
  client_metadata: { x: "y" },
};
const bodyOf = (request: object): Buffer => Buffer.from(JSON.stringify(request));

function answered(decoder: AnswerDecoder, bytes: Buffer, request: object, model: string): WireEvent[] {
  const context = { id: "resp_req_1", createdSeconds: 7, model, request: { body: bodyOf(request) } };
  const stream = responsesTranslation(decoder).stream(context as unknown as AnswerContext);
  return shown(eventsOf(Buffer.concat([stream.push(bytes), stream.end()])));
}

const claude = "claude-sonnet-4-5";
const claudeStream = sse(
  {
    type: "message_start",
    message: { model: claude, usage: { input_tokens: 3, cache_read_input_tokens: 7, output_tokens: 1 } },
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Let me look." } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sig" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Looking." } },
  { type: "content_block_stop", index: 1 },
  {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "toolu_1", name: "shell", input: {} },
  },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"a":1}' } },
  { type: "content_block_stop", index: 2 },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
);
const fromClaude = answered(messagesDecoder(), claudeStream, codex, claude);
const response = gather(fromClaude);
const output = response["output"] as Fields[];
const typesOf = (events: readonly WireEvent[]): string[] => events.map(({ type }) => type);

/** The next turn: everything the model wrote, and the call's result. */
const second = (said: readonly object[], callId: string): object => ({
  ...codex,
  input: [...codex.input, ...said, { type: "function_call_output", call_id: callId, output: "done" }],
});

test("no delta comes before its item was added, no thought before any item", () => {
  const first = typesOf(fromClaude).findIndex((type) => type.endsWith(".delta"));
  assert.deepEqual(typesOf(fromClaude).slice(0, first), [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.reasoning_summary_part.added",
  ]);
});

test("`completed` has id, output and model, and output is what was streamed", () => {
  assert.deepEqual([response["id"], response["model"]], ["resp_req_1", claude]);
  assert.deepEqual(
    output.map(({ type }) => type),
    ["reasoning", "message", "function_call"],
  );
});

test("`output: []` after items were streamed loses nothing of them", () => {
  const events = fromClaude.map((event) =>
    event.type === "response.completed" ? { ...event, response: { ...response, output: [] } } : event,
  );
  const again = gather(answered(responsesDecoder(), sse(...events), { input: "Q" }, "m"))[
    "output"
  ] as Fields[];
  assert.deepEqual(
    again.map(({ type, arguments: text }) => [type, text]),
    output.map(({ type, arguments: text }) => [type, text]),
  );
});

test("every event has its sequence number", () => {
  assert.deepEqual(
    fromClaude.map((event) => event["sequence_number"]),
    fromClaude.map((_, index) => index),
  );
});

test("usage has its details; cached tokens are counted once", () => {
  assert.deepEqual(response["usage"], {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 7, cache_write_tokens: 0 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 19,
  });
  assert.deepEqual(readUsage(response["usage"]), {
    input: 3,
    cachedInput: 7,
    cacheWrite: 0,
    output: 9,
    reasoning: 0,
  });
});

test("a function call's item is done, with its id and all of its arguments", () => {
  const done = fromClaude.filter(({ type }) => type === "response.output_item.done").at(-1);
  assert.deepEqual(done?.["item"], {
    id: "fc_1_2",
    type: "function_call",
    status: "completed",
    arguments: '{"a":1}',
    call_id: "toolu_1",
    name: "shell",
  });
});

test("a filter is an incomplete answer, or the caller's fault, and no broken upstream", () => {
  const filtered = answered(
    geminiDecoder,
    sse({ candidates: [{ content: { parts: [{ text: "x" }] }, finishReason: "SAFETY" }] }),
    { input: "Q" },
    "gemini",
  );
  assert.deepEqual(gather(filtered)["incomplete_details"], { reason: "content_filter" });
  const error = { code: "content_policy_violation", message: "no" };
  const failed = JSON.stringify({ type: "response.failed", response: { error } });
  assert.equal(faultOfResponses(200, {}, failed).kind, "content_filter");
});

test("unknown item types are no error, whoever serves the model", () => {
  const request = {
    input: [
      { type: "of_next_month", id: "x" },
      { role: "user", content: "Q" },
    ],
  };
  const conversation = decodeRequest(bodyOf(request));
  const { body, dropped } = toMessages(conversation, { isStream: true }, claude);
  assert.equal(body.messages.length, 1);
  assert.deepEqual(dropped, ["input[0]"], "it is told");
});

test("what Codex always sends is refused by nobody", () => {
  const conversation = decodeRequest(bodyOf(codex));
  const context = { isStream: true };
  const { dropped } = toMessages(conversation, context, claude);
  assert.deepEqual(dropped, ["prompt_cache_key", "client_metadata", "tools[1].format"]);
  toConverse(conversation, context, `us.anthropic.${claude}-20250929-v1:0`);
  encodeRequest(conversation, context, "gpt-5.6");
  const { custom: _, ...plain } = { ...codex, custom: undefined, tools: [codex.tools[0], codex.tools[2]] };
  toGemini(decodeRequest(bodyOf(plain)), context, "gemini", "gemini-3-pro-preview");
});

test("a signature comes back to Claude with its own words, once, before what it was before", () => {
  const conversation = createRequestReader()(bodyOf(second(output, "toolu_1"))).conversation;
  const { body } = toMessages(conversation, { isStream: true }, claude);
  assert.deepEqual(body.messages[1], {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Let me look.", signature: "sig" },
      { type: "text", text: "Looking." },
      { type: "tool_use", id: "toolu_1", name: "shell", input: { a: 1 } },
    ],
  });
  assert.equal(JSON.stringify(body).split("Let me look.").length, 2, "no text twice");
});

test("thoughts are no text", () => {
  assert.ok(!JSON.stringify(output[1]).includes("Let me look."));
  assert.match(JSON.stringify(output[0]), /Let me look\./);
});

test("another model's thoughts are not sent to a model that cannot read them", () => {
  const conversation = createRequestReader()(bodyOf(second(output, "toolu_1"))).conversation;
  const { body } = encodeRequest(conversation, { isStream: true }, "gpt-5.6");
  assert.ok(!JSON.stringify(body).includes("sig") && !JSON.stringify(body).includes("reasoning_text"));
  assert.deepEqual(
    (body["input"] as Fields[]).map(({ type, role }) => role ?? type),
    ["system", "user", "assistant", "function_call", "function_call_output"],
  );
});

test("Gemini's signature comes back with its call", () => {
  const model = "gemini-3-pro-preview";
  const events = answered(
    geminiDecoder,
    sse({
      candidates: [
        {
          content: {
            parts: [{ functionCall: { id: "g1", name: "shell", args: { a: 1 } }, thoughtSignature: "c2ln" }],
          },
          finishReason: "STOP",
        },
      ],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    }),
    { ...codex, tools: [codex.tools[0]] },
    model,
  );
  const said = gather(events)["output"] as Fields[];
  const request = { ...second(said, "g1"), tools: [codex.tools[0]] };
  const { body } = toGemini(decodeRequest(bodyOf(request)), { isStream: true }, "gemini", model);
  assert.match(JSON.stringify(body), /"functionCall":\{[^}]*\}[^}]*\},"thoughtSignature":"c2ln"/);
});

test("one turn more begins with the same bytes at every upstream", () => {
  const longer = { ...(second(output, "toolu_1") as { input: object[] }) };
  const longest = {
    ...longer,
    input: [...longer.input, { role: "assistant", content: "Done." }, { role: "user", content: "More." }],
  };
  const encoders = [
    (body: Buffer) => toMessages(decodeRequest(body), { isStream: true }, claude).body.messages,
    (body: Buffer) => encodeRequest(decodeRequest(body), { isStream: true }, "gpt-5.6").body["input"],
  ];
  for (const encode of encoders) {
    const [one, two, three] = [codex, longer, longest].map((request) =>
      JSON.stringify(encode(bodyOf(request))),
    );
    assert.ok(two?.startsWith(String(one).slice(0, -1)));
    assert.ok(three?.startsWith(String(two).slice(0, -1)));
  }
});

test("a tool in a namespace is called by its own name", () => {
  const { toolNames } = createRequestReader()(bodyOf(codex));
  assert.deepEqual(toolNames.ownOf("mcp__files__read"), { name: "read", namespace: "mcp__files__" });
});

test("`previous_response_id` reaches no upstream unresolved", () => {
  assert.throws(
    () => decodeRequest(bodyOf({ ...codex, previous_response_id: "resp_0" })),
    /previous_response_id/,
  );
});

test("OpenAI's preamble before an error lets another upstream be asked", () => {
  const reader = new ResponsesStreamReader();
  const read = (type: string, more: object) => reader.read(JSON.stringify({ type, ...more }), 2, type);
  assert.equal(read("response.created", { response: { id: "resp_1" } }).hasContent, false);
  assert.equal(read("response.in_progress", { response: { id: "resp_1" } }).hasContent, false);
  assert.equal(read("error", { code: "server_error", message: "no" }).kind, "error");
  assert.equal(conversationOf({}).turns.length, 1);
});
