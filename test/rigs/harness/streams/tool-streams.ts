/**
 * Recorded-style streams with tool calls: one, parallel, custom, and arguments of 20 KB. Built from
 * docs/wire/openai-chat.md section 5.
 */

import type { StreamRecipe } from "./chunk.ts";
import { chunk, eventBytes, type StreamHead, usageChunk, usageOf } from "./chunk.ts";

function head(name: string): StreamHead {
  return { id: `chatcmpl-${name}`, created: 1_760_000_000, model: "upstream-model" };
}

function callStart(at: StreamHead, index: number, id: string, name: string): Buffer {
  return eventBytes(
    chunk(at, { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
  );
}

function callPart(at: StreamHead, index: number, text: string): Buffer {
  return eventBytes(chunk(at, { tool_calls: [{ index, function: { arguments: text } }] }));
}

function ending(at: StreamHead, tokens: number): Buffer[] {
  return [
    eventBytes(chunk(at, {}, { finish: "tool_calls" })),
    eventBytes(usageChunk(at, usageOf(44, tokens))),
    eventBytes("[DONE]"),
  ];
}

function role(at: StreamHead): Buffer {
  return eventBytes(chunk(at, { role: "assistant", content: null }));
}

function oneCall(): Buffer[] {
  const at = head("tool");
  const parts = ['{"', 'q":"', "天气", ' \\"x\\"', '","n":', "12345678901234567", "89}"];
  return [
    role(at),
    callStart(at, 0, "call_1", "look_up"),
    ...parts.map((text) => callPart(at, 0, text)),
    ...ending(at, 7),
  ];
}

function parallelCalls(): Buffer[] {
  const at = head("parallel");
  return [
    role(at),
    callStart(at, 0, "call_a", "first"),
    callPart(at, 0, '{"a":1'),
    callStart(at, 1, "call_b", "second"),
    callPart(at, 1, "{}"),
    callPart(at, 0, "}"),
    callStart(at, 2, "call_c", "third"),
    callPart(at, 2, '{"🙂":null}'),
    ...ending(at, 9),
  ];
}

function customCall(): Buffer[] {
  const at = head("custom");
  const start = { index: 0, id: "call_s", type: "custom", custom: { name: "sql", input: "" } };
  return [
    role(at),
    eventBytes(chunk(at, { tool_calls: [start] })),
    ...["select ", "1 -- ", "注释"].map((input) =>
      eventBytes(chunk(at, { tool_calls: [{ index: 0, custom: { input } }] })),
    ),
    ...ending(at, 5),
  ];
}

function longArguments(): Buffer[] {
  const at = head("long");
  const parts = Array.from({ length: 10 }, (_, index) => `${"字段".repeat(300)}${"x".repeat(200)}${index}`);
  return [
    role(at),
    callStart(at, 0, "call_long", "write_file"),
    callPart(at, 0, '{"text":"'),
    ...parts.map((text) => callPart(at, 0, text)),
    callPart(at, 0, '"}'),
    ...ending(at, 4000),
  ];
}

export function toolStreams(): StreamRecipe[] {
  return [
    { name: "tool-call", pieces: oneCall() },
    { name: "parallel-tools", pieces: parallelCalls() },
    { name: "custom-tool", pieces: customCall() },
    { name: "long-arguments", pieces: longArguments() },
  ];
}
