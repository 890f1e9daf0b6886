/** What a reader of Gemini's streams knows of objects that it does not parse. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSseReaderFactory } from "../../../lib/sse/sse.ts";
import { GeminiStreamReader, streamMarks } from "./stream-reader.ts";

const readers = createSseReaderFactory({ marks: streamMarks, eventBytesMax: 100_000 });

const usageOf = (output: number) => ({ promptTokenCount: 3, candidatesTokenCount: output });
const words = (text: string, more: object = {}) => ({
  candidates: [{ content: { parts: [{ text, ...more }], role: "model" }, index: 0 }],
  usageMetadata: usageOf(text.length),
});

/** Takes objects as a relay does; says which of them were looked into. */
function take(reader: GeminiStreamReader, ...objects: readonly object[]): string[] {
  const sse = readers.create();
  const chunk = Buffer.from(objects.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join(""));
  sse.push(chunk);
  const seen = objects.map((_, index) => {
    const flags = sse.flags(index);
    const dataStart = sse.dataStart(index);
    if (reader.isPlain(flags, sse.buffer[dataStart])) {
      reader.countPlain(sse.buffer, sse.eventStart(index), sse.eventEnd(index), dataStart);
      return "plain";
    }
    const event = reader.read(sse.dataText(index), flags, undefined);
    reader.count(event);
    return event.isClosing ? "closing" : event.kind;
  });
  // A chunk's memory is used for something else as soon as it was taken.
  chunk.fill(0x2a);
  return seen;
}

test("words and thoughts are plain and counted by their bytes; calls, code and ends are read", () => {
  const reader = new GeminiStreamReader();
  const parts = (...all: object[]) => ({ candidates: [{ content: { parts: all } }] });
  const seen = take(
    reader,
    words("Hi there"),
    words('say "text": \\ and "text"', { thought: true }),
    parts({ text: "a" }, { text: "bc" }),
    words("日本"),
    parts({ functionCall: { name: "f", args: {} } }),
    parts({ executableCode: { code: "1" } }),
    { candidates: [{ finishReason: "STOP", content: { parts: [] } }] },
  );
  assert.deepEqual(seen, ["plain", "plain", "plain", "plain", "part", "part", "closing"]);
  // 8, 24, 3, 6 of words, 3 of the call, 1 of the code.
  assert.deepEqual(reader.delivered, { events: 6, contentBytes: 45, mergedBytes: 0, images: 0 });
  take(reader, words("x".repeat(100)));
  assert.equal(reader.delivered.mergedBytes, 100);
});

test("text that is no string, or is not there, counts nothing", () => {
  const reader = new GeminiStreamReader();
  take(reader, words(7 as unknown as string), { a: "text" }, { text: null }, { b: { text: [] } });
  assert.deepEqual(reader.delivered, { events: 0, contentBytes: 0, mergedBytes: 0, images: 0 });
});

test("the usage of an object that was not looked into is there when it is asked for, until a newer one is read", () => {
  const reader = new GeminiStreamReader();
  assert.equal(reader.lastReport, undefined);
  take(reader, words("one"), words("three"));
  assert.deepEqual(reader.lastReport, usageOf(5));
  const call = { candidates: [{ content: { parts: [{ functionCall: { name: "f" } }] } }] };
  take(reader, call);
  assert.deepEqual(reader.lastReport, usageOf(5), "that one says nothing of usage");
  take(reader, { ...call, usageMetadata: usageOf(9) });
  assert.equal(reader.lastReport, undefined);
});

test("usage may grow until the answer ends, or until a translation has told it once and for all", () => {
  const passed = new GeminiStreamReader();
  take(passed, words("one"));
  assert.equal(passed.isUsageGrowing, true);
  take(passed, { candidates: [{ finishReason: "STOP" }], usageMetadata: usageOf(5) });
  assert.equal(passed.isUsageGrowing, false);
  const translated = new GeminiStreamReader();
  take(translated, words("one"), { usageMetadata: usageOf(5), usageOnly: true });
  assert.deepEqual([translated.isWhole, translated.isUsageGrowing], [false, false]);
});

test("an answer is whole once every candidate is over, or the prompt was blocked", () => {
  const over = (index: number) => ({ candidates: [{ index, finishReason: "STOP" }] });
  // Google streams one candidate; what others hold in words alone is not looked into.
  const open = (index: number) => ({
    candidates: [{ index, content: { parts: [{ functionCall: {} }] } }],
  });
  const rows: readonly (readonly [objects: readonly object[], isWhole: boolean])[] = [
    [[], false],
    [[words("Hi")], false],
    [[over(0)], true],
    [[open(0), open(1), over(1)], false],
    [[open(0), open(1), over(1), over(0)], true],
    [[{ promptFeedback: { blockReason: "SAFETY" } }], true],
    [[{ promptFeedback: {} }], false],
  ];
  for (const [objects, isWhole] of rows) {
    const reader = new GeminiStreamReader();
    take(reader, ...objects);
    assert.equal(reader.isWhole, isWhole, JSON.stringify(objects));
  }
});
