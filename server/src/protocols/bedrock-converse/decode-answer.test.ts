/** Answers sent back as history, with and without the fields that most clients drop. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestMemory, requestOf, upstreamOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { bedrock } from "../../providers/bedrock/bedrock.ts";
import {
  answer,
  hello,
  input,
  models,
  start,
  stop,
  stream,
  text,
  thought,
  tool,
  user,
  weather,
} from "../../providers/bedrock/fixtures/build.ts";
import { secretShapes } from "../../providers/index.ts";
import { translatedChat } from "../../providers/testing/translated-chat.ts";
import type { ProviderRequest } from "../protocol.ts";
import { useSecretShapes } from "../scrub/scrub.ts";
import { frameBytesMax } from "./frames.ts";
import type { Block, ConverseBody } from "./wire.ts";

type Fields = Readonly<Record<string, unknown>>;

const model = models.budget;
const upstream = upstreamOf(bedrock);
const contextOf = (request: ProviderRequest, called: string = model) => ({
  id: "chatcmpl-1",
  createdSeconds: 1,
  model: called,
  request,
});

/** The message in Plaza's whole answer. */
function wholeMessage(request: ProviderRequest, body: object, called?: string): Fields {
  const made = translatedChat(bedrock).translation.whole(
    Buffer.from(JSON.stringify(body)),
    contextOf(request, called),
  );
  return (
    (JSON.parse(made?.toString() ?? "null") as { choices: { message: Fields }[] }).choices[0]?.message ?? {}
  );
}

const sent = (request: ProviderRequest, called: string = model): ConverseBody =>
  JSON.parse(translatedChat(bedrock).encode(request, upstream, "k", called).body.toString()) as ConverseBody;

const content: readonly Block[] = [
  { reasoningContent: { reasoningText: { text: "Oslo first.", signature: "c2lnMQ==" } } },
  { reasoningContent: { redactedContent: "cmVk" } },
  { text: "Let me see." },
  { toolUse: { toolUseId: "tooluse_a", name: "weather", input: { city: "Oslo" } } },
  { reasoningContent: { reasoningText: { text: "Then Rome.", signature: "c2lnMg==" } } },
  { toolUse: { toolUseId: "tooluse_b", name: "weather", input: {} } },
];
const asked = { model: "m", reasoning_effort: "low", max_tokens: 4_000, tools: [weather] } as const;
const results = [
  { role: "tool", tool_call_id: "tooluse_a", content: "rain" },
  { role: "tool", tool_call_id: "tooluse_b", content: "sun" },
];
const withHistory = (message: Fields, more: Partial<ProviderRequest>): ProviderRequest =>
  requestOf({ ...asked, messages: [...hello, message, ...results] }, more);

test("a tool conversation comes back as it was, from reasoning_details or from memory", () => {
  const memory = createTestMemory();
  const request = requestOf({ ...asked, messages: hello }, { memory });
  const message = wholeMessage(request, answer(content as unknown as Fields[], { stopReason: "tool_use" }));
  const { reasoning_details: _, reasoning_content: __, ...bare } = message;
  for (const again of [withHistory(message, { memory: createTestMemory() }), withHistory(bare, { memory })]) {
    const body = sent(again);
    assert.deepEqual(body.messages[1], { role: "assistant", content });
    assert.deepEqual(body.additionalModelRequestFields, {
      thinking: { type: "enabled", budget_tokens: 1_024 },
    });
  }
});

test("thoughts that are lost: the loop goes on without thinking, and that is told", () => {
  const request = requestOf({ ...asked, messages: hello });
  const message = wholeMessage(request, answer(content as unknown as Fields[], { stopReason: "tool_use" }));
  const { reasoning_details: _, ...bare } = message;
  const again = withHistory(bare, { memory: createTestMemory() });
  const body = sent(again);
  assert.equal(body.additionalModelRequestFields, undefined);
  assert.equal(JSON.stringify(body).includes("reasoningContent"), false);
  assert.deepEqual(translatedChat(bedrock).encode(again, upstream, "k", model).dropped, ["reasoning_effort"]);
});

test("thoughts are not sent to a model of another kind, nor where none are wanted", () => {
  const memory = createTestMemory();
  const request = requestOf({ ...asked, messages: hello }, { memory });
  const message = wholeMessage(request, answer(content as unknown as Fields[], { stopReason: "tool_use" }));
  for (const other of [models.adaptive, models.oss]) {
    assert.equal(JSON.stringify(sent(withHistory(message, { memory }), other)).includes("c2lnMQ=="), false);
  }
  const unasked = requestOf(
    { model: "m", tools: [weather], messages: [...hello, message, ...results] },
    { memory },
  );
  assert.equal(JSON.stringify(sent(unasked)).includes("reasoningContent"), false);
});

/** A stream decoded in one piece. */
function streamed(request: ProviderRequest, bytes: Buffer): string {
  const translator = translatedChat(bedrock).translation.stream(contextOf(request));
  return Buffer.concat([translator.push(bytes), translator.end()]).toString();
}

test("a stream says the same details as a whole answer, and remembers them", () => {
  const memory = createTestMemory();
  const request = requestOf({ ...asked, stream: true, messages: hello }, { memory });
  const events = streamed(
    request,
    stream(
      "tool_use",
      thought({ text: "Oslo" }),
      thought({ text: " first." }),
      thought({ signature: "c2lnMQ==" }),
      stop(0),
      tool(1, "tooluse_a", "weather"),
      input(1, '{"city":"Oslo"}'),
      stop(1),
    ),
  );
  assert.match(
    events,
    /"reasoning_details":\[\{"type":"reasoning.text","text":"Oslo first.","signature":"c2lnMQ=="/,
  );
  assert.match(memory.recall("tooluse_a") ?? "", /c2lnMQ==/);
});

test("custom tools are told with a plain text, and answered with one", () => {
  const tools = [{ type: "custom", custom: { name: "shell", description: "Runs it" } }];
  const request = requestOf({ model: "m", messages: hello, tools });
  assert.deepEqual(sent(request).toolConfig?.tools, [
    {
      toolSpec: {
        name: "shell",
        description: "Runs it",
        inputSchema: {
          json: { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
        },
      },
    },
  ]);
  const use = { toolUse: { toolUseId: "t1", name: "shell", input: { input: "ls -l" } } };
  const message = wholeMessage(request, answer([use], { stopReason: "tool_use" }));
  assert.deepEqual(message["tool_calls"], [
    { id: "t1", type: "custom", custom: { name: "shell", input: "ls -l" } },
  ]);
  const again = requestOf({
    model: "m",
    tools,
    messages: [...hello, message, { role: "tool", tool_call_id: "t1", content: "a" }],
  });
  assert.deepEqual(sent(again).messages[1]?.content, [use]);
});

test("functions of the old kind are answered in the old way", () => {
  const request = requestOf({ model: "m", messages: [user("a")], functions: [weather.function] });
  const use = { toolUse: { toolUseId: "t1", name: "weather", input: { city: "Oslo" } } };
  const message = wholeMessage(request, answer([use], { stopReason: "tool_use" }));
  assert.deepEqual(message["function_call"], { name: "weather", arguments: '{"city":"Oslo"}' });
  assert.deepEqual(sent(request).additionalModelRequestFields, {
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
  });
});

test("a stream that was not finished is not closed", () => {
  const request = requestOf({ model: "m", stream: true, messages: hello });
  const whole = stream("end_turn", text("Hello"), stop());
  assert.match(streamed(request, whole), /data: \[DONE\]\n\n$/);
  for (const length of [0, start.length, whole.length - 500]) {
    assert.doesNotMatch(streamed(request, whole.subarray(0, length)), /\[DONE\]/);
  }
});

test("what is no frame becomes one error event, which is read as the upstream's failure", () => {
  const request = requestOf({ model: "m", stream: true, messages: hello });
  const translator = translatedChat(bedrock).translation.stream(contextOf(request));
  const huge = Buffer.alloc(32, 0xff);
  huge.writeUInt32BE(frameBytesMax + 1, 0);
  const event = translator.push(huge).toString();
  const json = /^event: error\ndata: (.*)\n\n$/.exec(event)?.[1] ?? "";
  assert.equal(bedrock.fault(200, {}, json).kind, "server");
  assert.equal(translator.push(start).length + translator.end().length, 0);
});

test("error texts reach the caller only about its own request, and nobody's log", () => {
  useSecretShapes(secretShapes);
  const secret = "prompt with AKIAIOSFODNN7EXAMPLE and arn:aws:bedrock:us-east-1:123456789012:x";
  const json = (type: string): string => JSON.stringify({ __type: type, message: secret });
  const own = bedrock.fault(400, {}, json("ValidationException"));
  assert.equal(own.message, "prompt with [removed] and [removed]");
  for (const type of [
    "ThrottlingException",
    "AccessDeniedException",
    "InternalServerException",
    "NewException",
  ]) {
    const fault = bedrock.fault(500, {}, json(type));
    assert.equal(fault.message, undefined);
    assert.doesNotMatch(fault.note ?? "", /prompt|AKIA|arn/);
  }
});

test("the answer names the model that was called; of an ARN the last part, without the operator's account", () => {
  const named = (called: string): unknown[] => {
    const request = requestOf({ model: "m", messages: [user("hi")] });
    const context = contextOf(request, called);
    const whole = translatedChat(bedrock).translation.whole(
      Buffer.from(JSON.stringify(answer([{ text: "a" }]))),
      context,
    );
    const translator = translatedChat(bedrock).translation.stream(context);
    const chunks = Buffer.concat([
      translator.push(stream("end_turn", text("a"), stop())),
      translator.end(),
    ]).toString();
    const first = chunks.slice("data: ".length, chunks.indexOf("\n"));
    return [JSON.parse(whole?.toString() ?? "null").model, JSON.parse(first).model];
  };
  const id = "anthropic.claude-haiku-4-5-20251001-v1:0";
  assert.deepEqual(named(id), [id, id]);
  const profile = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/ab12cd";
  assert.deepEqual(named(profile), ["ab12cd", "ab12cd"]);
});
