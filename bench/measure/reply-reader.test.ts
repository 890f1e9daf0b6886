/**
 * The reader of streamed responses: correct however the bytes are split, and strict about invalid responses.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { streamReply } from "../replies.ts";
import { type EventKind, ReplyReader } from "./reply-reader.ts";

function reading() {
  const events: (EventKind | "end")[] = [];
  const reader = new ReplyReader({ event: (kind) => events.push(kind), end: () => events.push("end") });
  return { events, reader };
}

const { first, content, last } = streamReply("s-3-10");
const whole = Buffer.concat([first, content, content, last]);
const expected = ["other", "content", "content", "content", "other", "other", "done", "end"];

test("two answers in a row are read the same however they are cut", () => {
  const twice = Buffer.concat([whole, whole]);
  for (let size = 1; size <= twice.length; size++) {
    const { events, reader } = reading();
    for (let at = 0; at < twice.length; at += size) reader.feed(twice.subarray(at, at + size));
    assert.deepEqual(events, [...expected, ...expected], `cut every ${size} bytes`);
  }
});

test("events may span HTTP chunks, and HTTP chunks may hold many events", () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const { events, reader } = reading();
  const body =
    chunk(": waiting\n\n") + chunk('data: {"delta":{"con') + chunk('tent":"x"}}\n\ndata: [DONE]\n\n');
  reader.feed(Buffer.from(`${head}${body}0\r\n\r\n`));
  assert.deepEqual(events, ["other", "content", "done", "end"]);
});

test("events that a gateway wrote anew are understood: another order, spaces, long line ends", () => {
  const event = (delta: string) => `data: {"choices": [{"index":0,"delta":${delta}}]}\r\n\r\n`;
  const body = [
    event('{"content":"","role":"assistant"}'),
    event('{"role":"assistant","content": "x"}'),
    event('{"content":"\\"so\\"","refusal":null}'),
    event('{"content":null}'),
    event(' { "content": "x" }'),
    'data: {"choices":[],"usage":{"total_tokens":240}}\r\n\r\n',
    'data: { "error": {"message":"no"}}\r\n\r\n',
    "data:[DONE]\r\n\r\n",
  ].join("");
  const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  const bytes = Buffer.from(`${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  for (const size of [1, 7, bytes.length]) {
    const { events, reader } = reading();
    for (let at = 0; at < bytes.length; at += size) reader.feed(bytes.subarray(at, at + size));
    assert.deepEqual(events, [
      ...["other", "content", "content", "other", "content"],
      ...["other", "error", "done", "end"],
    ]);
  }
});

test("an error event is told from content", () => {
  const { events, reader } = reading();
  const event = 'data: {"error":{"code":"upstream_error"}}\n\n';
  reader.feed(first);
  reader.feed(Buffer.from(`${event.length.toString(16)}\r\n${event}\r\n`));
  assert.deepEqual(events, ["other", "content", "error"]);
});

for (const [name, bytes] of [
  ["another status", "HTTP/1.1 429 Too Many Requests\r\ntransfer-encoding: chunked\r\n\r\n"],
  ["a body of known length", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc"],
  ["a chunk longer than its size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc\r\n"],
  ["a size that is none", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n"],
  [
    "an event cut off by the end",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
  ],
] as const) {
  test(`${name} is refused`, () => {
    assert.throws(() => reading().reader.feed(Buffer.from(bytes)));
  });
}
