/** Compares the counted output of a stream, in every vendor's shape, with what was written to it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { estimateOutput } from "../../../domain/money/estimate.ts";
import { OutputCount } from "./output-count.ts";

type Delta = Readonly<Record<string, unknown>>;

const dialects: Readonly<Record<string, (value: unknown) => string>> = {
  compact: (value) => JSON.stringify(value),
  python: (value) => JSON.stringify(value).replaceAll('":', '": ').replaceAll(',"', ', "'),
  escaped: (value) =>
    JSON.stringify(value).replace(
      /[^\0-~]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
};

function countOf(deltas: readonly Delta[], write = JSON.stringify as (value: unknown) => string): number {
  const output = new OutputCount();
  for (const delta of deltas) {
    const chunk = { id: "chatcmpl-1", model: "m", choices: [{ index: 0, delta, finish_reason: "" }] };
    const bytes = Buffer.from(`data: ${write(chunk)}\n\n`);
    output.countPlain(bytes, 0, bytes.length, 6);
  }
  return estimateOutput(output.delivered);
}

const words = ["The", " quick", " brown", " fox", " jumps", "\n", " over", ' "the', " lazy", " dog", "é"];
const emoji = ["👩‍👩‍👧‍👦", "🏳️‍🌈", " ", "👍🏽", "🇨🇳", "e\u0301", "🧑‍💻", "𝒳", "☕️", "‼️"];
const word = (index: number): string => words[index % words.length] as string;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const content = (text: string): Delta => ({ content: text });
const argument = (text: string): Delta => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });
const call: Delta = {
  tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "" } }],
};

const shapes: readonly [name: string, deltas: readonly Delta[], tokens: number][] = [
  ["a token an event", times(2_000, (i) => content(word(i))), 2_000],
  ["the arguments of a call", [call, ...times(500, (i) => argument(word(i)))], 501],
  [
    "a call after text",
    [...times(100, (i) => content(word(i))), call, ...times(500, (i) => argument(word(i)))],
    601,
  ],
  [
    "text after a call",
    [call, ...times(100, (i) => argument(word(i))), ...times(500, (i) => content(word(i)))],
    601,
  ],
  [
    "two calls",
    [call, ...times(200, (i) => argument(word(i))), call, ...times(200, (i) => argument(word(i)))],
    402,
  ],
  [
    "reasoning, then text",
    [...times(300, (i): Delta => ({ reasoning_content: word(i) })), ...times(300, (i) => content(word(i)))],
    600,
  ],
  [
    "nested reasoning",
    times(300, (i): Delta => ({ reasoning_details: [{ type: "reasoning.text", text: word(i) }] })),
    300,
  ],
  ["a role in every delta", times(300, (i): Delta => ({ role: "assistant", content: word(i) })), 300],
  ["parts", times(300, (i): Delta => ({ content: [{ type: "text", text: word(i) }] })), 300],
  ["40 KB of arguments in one event", [argument("x".repeat(40_000))], 10_000],
  ["the same after text", [...times(100, (i) => content(word(i))), argument("x".repeat(40_000))], 10_100],
  ["64 KB of text an event", times(20, () => content("word ".repeat(13_000))), 325_000],
  [
    "64 KB an event, behind a role",
    times(20, () => ({ role: "assistant", content: "x".repeat(64_000) })),
    320_000,
  ],
  ["64 KB an event, full of escapes", times(20, () => content('"é"\n\\\u2028𝒳'.repeat(5_000))), 325_000],
  ["40 KB of arguments an event", [call, ...times(20, () => argument("x".repeat(40_000)))], 200_001],
  ["texts of changing length", times(40, (i) => content(`"${"é\\".repeat(1_000 + i * 97)}`)), 86_775],
  ["merged events", times(50, () => content("word ".repeat(80))), 5_000],
  ["merged events full of escapes", times(50, () => content('"a"\n\\'.repeat(80))), 5_000],
  ["emoji of many parts", times(200, (i) => content(emoji[i % emoji.length] as string)), 200],
  ["events without text", [content("a"), ...times(500, (): Delta => ({}))], 1],
];

for (const [name, deltas, tokens] of shapes) {
  for (const [dialect, write] of Object.entries(dialects)) {
    test(`${name}, ${dialect}`, () => {
      const counted = countOf(deltas, write);
      assert.ok(Math.abs(counted - tokens) <= Math.max(1, tokens * 0.02), `${counted} of ${tokens}`);
    });
  }
}

test("events that are no JSON, or hold no delta, count nothing and break nothing", () => {
  const output = new OutputCount();
  for (const text of [
    "{",
    "{}",
    '{"choices":null}',
    '{"choices":[null,{"delta":null},{"delta":{"content":"a"}}]}',
  ]) {
    const bytes = Buffer.from(`data: ${text}\n\n`);
    output.countPlain(bytes, 0, bytes.length, 6);
  }
  assert.equal(estimateOutput(output.delivered), 1);
});

const wire = (delta: Delta): Buffer =>
  Buffer.from(`data: ${JSON.stringify({ id: "chatcmpl-1", choices: [{ index: 0, delta }] })}\n\n`);

test("a large event of a known shape is measured where it lies, not made a string of", () => {
  const output = new OutputCount();
  const first = wire(content("The"));
  output.countPlain(first, 0, first.length, 6);
  for (const text of ["x".repeat(65_536), 'a "word"\n'.repeat(8_000), "é".repeat(40_000)]) {
    const bytes = wire(content(text));
    bytes.toString = () => assert.fail("the whole event was read");
    const before = output.delivered.mergedBytes;
    output.countPlain(bytes, 0, bytes.length, 6);
    assert.equal(output.delivered.mergedBytes - before, Buffer.byteLength(text));
  }
});

test("large events that say nothing under their name count nothing", () => {
  const output = new OutputCount();
  for (const delta of [content("The"), { type: "The" }, { type: "x".repeat(50_000) }]) {
    const bytes = wire(delta);
    output.countPlain(bytes, 0, bytes.length, 6);
  }
  assert.deepEqual(output.delivered, { events: 1, contentBytes: 3, mergedBytes: 0, images: 0 });
});
