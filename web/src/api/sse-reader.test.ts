/** The reader gives the same events however the bytes are cut. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSseReader } from "./sse-reader.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function readAll(bytes: Uint8Array, pieceBytes: number): { events: string[]; isWhole: boolean } {
  const reader = createSseReader();
  const events: string[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    events.push(...reader.read(bytes.subarray(at, at + pieceBytes)));
  }
  return { events, isWhole: reader.end() };
}

test("events are the same whole and at every size of piece", () => {
  const text =
    'data: {"a":"é汉😀"}\n\n: keep-alive\n\ndata:two\ndata: lines\n\nevent: x\nid: 7\n\ndata: [DONE]\n\n';
  const wanted = ['{"a":"é汉😀"}', "two\nlines", "[DONE]"];
  for (const ending of ["\n", "\r\n", "\r"]) {
    const bytes = bytesOf(text.replaceAll("\n", ending));
    for (const pieceBytes of [1, 2, 3, 5, 7, 1_000]) {
      assert.deepEqual(
        readAll(bytes, pieceBytes),
        { events: wanted, isWhole: true },
        `${JSON.stringify(ending)} ${pieceBytes}`,
      );
    }
  }
});

test("a byte order mark is no part of the first field", () => {
  assert.deepEqual(readAll(bytesOf("\uFEFFdata: a\n\n"), 1).events, ["a"]);
});

test("an event without its empty line is not given, and the end says so", () => {
  assert.deepEqual(readAll(bytesOf("data: a\n\ndata: b\n"), 4), { events: ["a"], isWhole: false });
  assert.deepEqual(readAll(bytesOf("data: a\n\ndata: b"), 4), { events: ["a"], isWhole: false });
  assert.equal(readAll(bytesOf("data: a\n\ndata: é").subarray(0, -1), 64).isWhole, false);
});

test("an empty data line is an event, a comment is none", () => {
  assert.deepEqual(readAll(bytesOf("data\n\n:\n\ndata:\n\n"), 2).events, ["", ""]);
});

test("an endless line is refused", () => {
  const reader = createSseReader();
  const piece = bytesOf("x".repeat(1024 * 1024));
  assert.throws(() => {
    for (let at = 0; at < 40; at += 1) reader.read(piece);
  }, RangeError);
});
