/**
 * Writes the same events as stream chunks and as a whole answer, and checks that both have the same content.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnswerSink } from "../../conversation/answer.ts";
import { ChunkWriter } from "./chunks.ts";
import { reasoningOnWire } from "./encode-answer.ts";
import { MessageBuilder } from "./message.ts";

type Fields = Record<string, unknown>;

const head = { id: "chatcmpl-1", createdSeconds: 7, model: "called", isLegacy: false };
const usage = { input: 3, cachedInput: 1, cacheWrite: 0, output: 2, reasoning: 0 };

function emit(sink: AnswerSink): void {
  sink.model("named");
  sink.reasoning("Hm. ");
  sink.opaqueReasoning({ format: "v", model: "m", text: "Hm. ", signature: "s", callsBefore: 0 });
  sink.opaqueReasoning({ format: "v", model: "m", data: "d", callsBefore: 1 });
  sink.opaqueReasoning({ format: "g", id: "text", data: "t" });
  sink.logprobs([
    { token: "Hi", logprob: -1, bytes: [72, 105], alternatives: [{ token: "Yo", logprob: -2, bytes: [] }] },
  ]);
  sink.text("Hi");
  sink.text(" there");
  sink.citation({ url: "https://a.test", title: "A", start: 0, end: 2 });
  sink.image("image/png", "AAAA");
  sink.toolCall(0, { id: "a", name: "f", signature: "sig" });
  sink.toolArguments(0, '{"x"');
  sink.toolArguments(0, ":1}");
  sink.customCall(1, { id: "b", name: "c", input: "plain" });
  sink.refusal("No", 1);
  sink.finish("tool_calls");
  sink.finish("content_filter", 1);
  sink.usage(usage);
}

const list = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);

/** A choice as a client assembles it from the chunks. */
function gathered(chunks: readonly Fields[], index: number): Fields {
  const message: Fields = { role: "assistant", content: null, refusal: null };
  const calls: Fields[] = [];
  for (const choice of chunks
    .flatMap((chunk) => list(chunk["choices"]))
    .filter((one) => one["index"] === index)) {
    for (const [name, value] of Object.entries(choice["delta"] as Fields)) {
      if (name === "tool_calls") {
        for (const { index: at, ...call } of list(value)) {
          const made = calls[at as number];
          if (made === undefined) calls[at as number] = call;
          else {
            const called = made["function"] as Fields;
            called["arguments"] = `${called["arguments"]}${(call["function"] as Fields)["arguments"]}`;
          }
        }
      } else if (Array.isArray(value)) message[name] = [...list(message[name]), ...value];
      else if (name !== "role" && value !== "") message[name] = `${message[name] ?? ""}${value}`;
    }
  }
  return calls.length === 0 ? message : { ...message, tool_calls: calls };
}

test("chunks put together are the whole answer", () => {
  const writer = new ChunkWriter(head);
  emit(writer);
  writer.close();
  const events = writer.take().toString().split("\n\n");
  assert.deepEqual(events.slice(-2), ["data: [DONE]", ""]);
  const chunks = events.slice(0, -2).map((event) => JSON.parse(event.slice(6)) as Fields);
  const builder = new MessageBuilder(head);
  emit(builder);
  const whole = JSON.parse(builder.build()?.toString() ?? "null") as Fields;
  const choices = list(whole["choices"]);
  assert.equal(choices.length, 2);
  for (const { index, message } of choices) assert.deepEqual(gathered(chunks, index as number), message);
  assert.deepEqual(chunks.at(-1)?.["usage"], whole["usage"]);
  assert.deepEqual(new Set(chunks.map(({ model }) => model)), new Set(["named"]));
  assert.equal(whole["model"], "named");
  assert.deepEqual((choices[0] as unknown as { message: Fields }).message["tool_calls"], [
    {
      id: "a",
      type: "function",
      function: { name: "f", arguments: '{"x":1}' },
      extra_content: { google: { thought_signature: "sig" } },
    },
    { id: "b", type: "custom", custom: { name: "c", input: "plain" } },
  ]);
  assert.deepEqual(
    list((choices[0] as unknown as { message: Fields }).message["reasoning_details"]).map(({ type }) => type),
    ["reasoning.text", "reasoning.encrypted", "reasoning.encrypted"],
  );
});

test("asked in the old way, one call is answered in the old way", () => {
  const old = { ...head, isLegacy: true };
  const writer = new ChunkWriter(old);
  emit(writer);
  writer.close();
  const text = writer.take().toString();
  assert.ok(text.includes('"function_call":{"name":"f","arguments":""}') && !text.includes("tool_calls"));
  assert.ok(!text.includes('"name":"c"') && text.includes('"finish_reason":"function_call"'));
  const builder = new MessageBuilder(old);
  emit(builder);
  const [choice] = list((JSON.parse(builder.build()?.toString() ?? "null") as Fields)["choices"]);
  assert.deepEqual((choice as unknown as { message: Fields }).message["function_call"], {
    name: "f",
    arguments: '{"x":1}',
  });
});

test("the model is who was named first, and nobody else once something was written", () => {
  const writer = new ChunkWriter(head);
  writer.idle();
  writer.model("late");
  writer.text("x");
  assert.match(writer.take().toString(), /"model":"called"/);
});

test("an opaque item with an id keeps its model and its place among the calls", () => {
  const item = { format: "openai-responses-v1", id: "rs_1", data: "d" };
  const plain = { type: "reasoning.encrypted", ...item };
  assert.deepEqual(reasoningOnWire(item), plain);
  assert.deepEqual(reasoningOnWire({ ...item, model: "m", callsBefore: 2 }), {
    ...plain,
    model: "m",
    calls_before: 2,
  });
});
