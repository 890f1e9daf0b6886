/** The parser: the same messages however the bytes are cut, nothing that is not HTTP/1.1, and bounds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { headBytesMax, type MessageKind, messageKind, refusal } from "./engine.ts";
import { fieldsMax } from "./head.ts";
import { createLlhttp, methodNames } from "./llhttp.ts";

const llhttp = createLlhttp();

interface Seen {
  readonly messages: string[];
  readonly error: number;
}

/** Reads pieces as reads of a socket bring them, each at the start of the area. */
function read(kind: MessageKind, pieces: readonly Buffer[], ends = false): Seen {
  const parser = llhttp.open(kind);
  assert.ok(parser);
  const messages: string[] = [];
  let message = "";
  const complete = () => {
    messages.push(message);
    message = "";
  };
  try {
    for (const piece of pieces) {
      // What earlier reads left must not matter.
      llhttp.area.fill(0x78, 0, 2048);
      piece.copy(llhttp.area);
      for (let start = 0; start < piece.length; start = parser.consumed) {
        if (!parser.execute(start, piece.length)) return { messages, error: parser.error };
        const { head } = parser;
        if (parser.hasHead) {
          const first = kind === messageKind.request ? methodNames[head.method] : head.status;
          message = `${first} ${head.target} ${head.lines(0, head.count)}`;
          for (let field = 0; field < head.count; field++) {
            message += `[${head.name(field)}=${head.value(field).trim()}]`;
          }
          message += "|";
        }
        message += llhttp.area.toString("latin1", parser.bodyStart, parser.bodyEnd);
        if (parser.isComplete) complete();
      }
    }
    if (ends) {
      assert.ok(parser.finish());
      if (parser.isComplete) complete();
    }
    if (message !== "") messages.push(`unfinished ${message}`);
    return { messages, error: refusal.none };
  } finally {
    parser.release();
  }
}

/** The bytes whole, in two pieces cut at every offset, in three, and byte by byte. */
function* cuts(bytes: Buffer): Generator<Buffer[]> {
  yield [bytes];
  for (let at = 1; at < bytes.length; at++) {
    yield [bytes.subarray(0, at), bytes.subarray(at)];
    yield [bytes.subarray(0, at), bytes.subarray(at, at + 1), bytes.subarray(at + 1)];
  }
  yield Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
}

const requests = [
  "\r\nPOST /v1/chat?x=1 HTTP/1.1\r\nHost: a.test\r\nX-Empty:\r\nContent-Length: 11\r\nX-Padded:  two words \r\n\r\nhello world",
  "GET /v1/models HTTP/1.1\r\nhost: a.test\r\n\r\n",
  "POST /v1/chat HTTP/1.1\r\nhost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;ext=1\r\n \r\n5\r\nworld\r\n0\r\nTrailer: x\r\n\r\n",
  "DELETE /v1/x HTTP/1.1\r\nhost: a\r\nContent-Length: 0\r\n\r\n",
];

test("requests are read the same however they are cut, alone and one after the other", () => {
  for (const text of [...requests, requests.join("")]) {
    const bytes = Buffer.from(text, "latin1");
    const { messages, error } = read(messageKind.request, [bytes]);
    assert.equal(error, refusal.none);
    assert.equal(messages.length, text === requests.join("") ? requests.length : 1);
    for (const pieces of cuts(bytes)) assert.deepEqual(read(messageKind.request, pieces).messages, messages);
  }
  const [sized, , chunked] = read(messageKind.request, [Buffer.from(requests.join(""))]).messages;
  assert.equal(
    sized,
    "POST /v1/chat?x=1 Host: a.test\r\nX-Empty:\r\nContent-Length: 11\r\nX-Padded:  two words \r\n" +
      "[Host=a.test][X-Empty=][Content-Length=11][X-Padded=two words]|hello world",
  );
  assert.match(chunked ?? "", /\|hello world$/);
});

const answers = [
  "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
  "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n",
  "HTTP/1.1 200 \r\ntransfer-encoding: chunked\r\n\r\n00A\r\ndata: 1\n\n \r\n3\r\nabc\r\n0\r\n\r\n",
  "HTTP/1.1 204 No Content\r\nx-a: b\r\n\r\n",
  "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 3\r\n\r\nbad",
];

test("answers are read the same however they are cut", () => {
  const bytes = Buffer.from(answers.join(""), "latin1");
  const { messages } = read(messageKind.response, [bytes]);
  assert.equal(messages.length, answers.length);
  assert.equal(messages[2], "200  transfer-encoding: chunked\r\n[transfer-encoding=chunked]|data: 1\n\n abc");
  for (const pieces of cuts(bytes)) assert.deepEqual(read(messageKind.response, pieces).messages, messages);
});

test("an answer without a length ends with the connection, however it is cut", () => {
  const bytes = Buffer.from("HTTP/1.1 200 OK\r\nx: y\r\n\r\nall of it");
  for (const pieces of cuts(bytes)) {
    assert.deepEqual(read(messageKind.response, pieces, true).messages, ["200 OK x: y\r\n[x=y]|all of it"]);
  }
});

const chunkedHead = "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n";
const hostile = [
  "GET / HTTP/1.1\nhost: a\n\n",
  "GET / HTTP/1.1\r\nhost : a\r\n\r\n",
  "GET / HTTP/1.1\r\nhost: a\r\n b\r\n\r\n",
  "GET / HTTP/1.1\r\n host: a\r\n\r\n",
  "GET / HTTP/1.1\r\nhost: a\rb\r\n\r\n",
  "GET / HTTP/1.1\r\nhost: a\u0000b\r\n\r\n",
  "GET /a b HTTP/1.1\r\nhost: a\r\n\r\n",
  "GET / HTTP/1.1 \r\nhost: a\r\n\r\n",
  "GET / http/1.1\r\nhost: a\r\n\r\n",
  "get / HTTP/1.1\r\nhost: a\r\n\r\n",
  "POST / HTTP/1.1\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
  "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
  "POST / HTTP/1.1\r\ncontent-length: 3\r\ncontent-length: 3\r\n\r\nabc",
  "POST / HTTP/1.1\r\ncontent-length: 3, 3\r\n\r\nabc",
  "POST / HTTP/1.1\r\ncontent-length: +3\r\n\r\nabc",
  "POST / HTTP/1.1\r\ncontent-length: 0x3\r\n\r\nabc",
  "POST / HTTP/1.1\r\ncontent-length: 99999999999999999999\r\n\r\nabc",
  "POST / HTTP/1.1\r\ntransfer-encoding: chunked, gzip\r\n\r\nabc",
  "POST / HTTP/1.1\r\ntransfer-encoding: xchunked\r\n\r\nabc",
  "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\nabc",
  `${chunkedHead}3\nabc\r\n0\r\n\r\n`,
  `${chunkedHead}3 \r\nabc\r\n0\r\n\r\n`,
  `${chunkedHead}+3\r\nabc\r\n0\r\n\r\n`,
  `${chunkedHead}3\r\nabcX\r\n0\r\n\r\n`,
  `${chunkedHead}fffffffffffffffff\r\nabc`,
  `${chunkedHead}3;a\nb\r\nabc\r\n0\r\n\r\n`,
];

test("what is not strict HTTP/1.1 is refused at every cut, before it is a message", () => {
  for (const text of hostile) {
    for (const pieces of cuts(Buffer.from(text, "latin1"))) {
      const { messages, error } = read(messageKind.request, pieces);
      assert.notEqual(error, refusal.none, JSON.stringify(text));
      assert.deepEqual(messages, []);
    }
  }
});

test("heads have a bound, in bytes and in fields, however they come", () => {
  const long = Buffer.from(`GET / HTTP/1.1\r\nx: ${"a".repeat(headBytesMax)}\r\n\r\n`);
  const fits = Buffer.from(`GET / HTTP/1.1\r\nx: ${"a".repeat(headBytesMax - 100)}\r\n\r\n`);
  const many = Buffer.from(`GET / HTTP/1.1\r\n${"a: b\r\n".repeat(fieldsMax + 1)}\r\n`);
  const full = Buffer.from(`GET / HTTP/1.1\r\n${"a: b\r\n".repeat(fieldsMax)}\r\n`);
  for (const size of [1, 7, 1000, 100_000]) {
    const inPieces = (bytes: Buffer) =>
      Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
    for (const bytes of [long, many]) {
      assert.equal(read(messageKind.request, inPieces(bytes)).error, refusal.headTooLarge);
    }
    for (const bytes of [fits, full]) {
      assert.equal(read(messageKind.request, inPieces(bytes)).messages.length, 1);
    }
  }
});

test("framing has a bound too: extensions and trailers cannot go on for ever", () => {
  const extension = Buffer.from(`1;${"x".repeat(1000)}\r\na\r\n`);
  const trailer = Buffer.from(`x: ${"y".repeat(1000)}\r\n`);
  const tiny = Buffer.from("1\r\na\r\n");
  const head = Buffer.from(chunkedHead);
  const flood = (piece: Buffer, before = Buffer.alloc(0)) =>
    read(
      messageKind.request,
      [head, before, ...Array.from({ length: 5000 }, () => piece)].filter((p) => p.length > 0),
    );
  assert.equal(flood(extension).error, refusal.framingTooLarge);
  assert.equal(flood(trailer, Buffer.from("0\r\n")).error, refusal.framingTooLarge);
  assert.equal(flood(tiny).error, refusal.none);
});

test("parsers are bounded, and released ones make room", () => {
  const parsers = [];
  for (let parser = llhttp.open(messageKind.request); parser; parser = llhttp.open(messageKind.request)) {
    parsers.push(parser);
  }
  assert.equal(parsers.length, 100_000);
  for (const parser of parsers) parser.release();
  assert.equal(read(messageKind.request, [Buffer.from(requests[1] ?? "")]).messages.length, 1);
});
