/**
 * What upstreams say, true or not, through undici and through our own client: both must see the same status,
 * the same bytes and the same kind of fault. Where they differ, the case says why ours is right.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { clients, openClient, post, type Seen } from "./testing/clients.ts";
import { settle, startUpstream, type Wire } from "./testing/upstream.ts";

interface Outcome {
  readonly status: number;
  readonly body: string;
  readonly ending: Seen["ending"];
  /** May the connection serve the next call? */
  readonly isKept: boolean;
}

interface Case {
  readonly name: string;
  /** What the upstream does once it has the request. */
  answer(wire: Wire): Promise<void> | void;
  readonly expected: Outcome;
  /** What undici makes of it instead, and why that is not what we want. */
  readonly undici?: { readonly outcome: Partial<Outcome>; readonly why: string };
}

const ok = (body: string, isKept = true, status = 200): Outcome => ({ status, body, ending: "end", isKept });
const broken = (status = 0, body = ""): Outcome => ({ status, body, ending: "network", isKept: false });

const says = (text: string) => (wire: Wire) => wire.send(text);
const saysAndEnds = (text: string) => (wire: Wire) => void wire.socket.end(text, "latin1");
const saysAndResets = (text: string) => async (wire: Wire) => {
  if (text !== "") wire.send(text);
  await settle();
  wire.socket.resetAndDestroy();
};

const head = (lines: string) => `HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`;
const sized = `${head("content-length: 5")}hello`;
const chunkedHead = head("transfer-encoding: chunked");

const sound: Case[] = [
  { name: "sized", answer: says(sized), expected: ok("hello") },
  { name: "sized, byte by byte", answer: (wire) => wire.sendInPieces(sized), expected: ok("hello") },
  { name: "empty", answer: says(head("content-length: 0")), expected: ok("") },
  {
    name: "chunked, with extensions and trailers, in pieces of three",
    answer: (wire) => wire.sendInPieces(`${chunkedHead}3;a=b\r\nhel\r\n002\r\nlo\r\n0\r\nx: y\r\n\r\n`, 3),
    expected: ok("hello"),
  },
  { name: "until the end", answer: saysAndEnds(`${head("x: y")}hello`), expected: ok("hello", false) },
  {
    name: "HTTP/1.0 until the end",
    answer: saysAndEnds("HTTP/1.0 200 OK\r\n\r\nhello"),
    expected: ok("hello", false),
  },
  {
    name: "closing",
    answer: saysAndEnds(`${head("content-length: 5\r\nconnection: close")}hello`),
    expected: ok("hello", false),
  },
  {
    name: "closing, and then not closed",
    answer: says(`${head("content-length: 5\r\nConnection: x, Close")}hello`),
    expected: ok("hello", false),
  },
  { name: "204", answer: says("HTTP/1.1 204 No Content\r\n\r\n"), expected: ok("", true, 204) },
  { name: "304", answer: says("HTTP/1.1 304 Not Modified\r\netag: x\r\n\r\n"), expected: ok("", true, 304) },
  {
    name: "204 that speaks of a body",
    answer: says("HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n"),
    expected: ok("", false, 204),
  },
  {
    name: "304 that speaks of chunks",
    answer: says("HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked\r\n\r\n"),
    expected: ok("", false, 304),
  },
  {
    name: "an error with a body",
    answer: says("HTTP/1.1 503 Sorry\r\ncontent-length: 4\r\n\r\nbusy"),
    expected: ok("busy", true, 503),
  },
  {
    name: "early hints first",
    answer: says(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${sized}`),
    expected: ok("hello"),
  },
  {
    name: "early hints in another read",
    answer: async (wire) => {
      wire.send("HTTP/1.1 102 Processing\r\n\r\n");
      await settle();
      wire.send(sized);
    },
    expected: ok("hello"),
  },
  {
    name: "100 that nobody asked for",
    answer: says(`HTTP/1.1 100 Continue\r\n\r\n${sized}`),
    expected: ok("hello"),
    undici: { outcome: broken(), why: "RFC 9110 15.2: a client must take 1xx also when it expects none" },
  },
  {
    name: "keeps connections for less than the margin",
    answer: says(`${head("content-length: 5\r\nKeep-Alive: timeout=1")}hello`),
    expected: ok("hello", false),
  },
  {
    name: "keeps connections for long",
    answer: says(`${head("content-length: 5\r\nKeep-Alive: timeout=72, max=5")}hello`),
    expected: ok("hello"),
  },
];

const interims = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100);
const lies: Case[] = [
  {
    name: "fewer bytes than said",
    answer: saysAndEnds(`${head("content-length: 9")}hello`),
    expected: broken(200, "hello"),
  },
  {
    name: "more bytes than said",
    answer: says(`${head("content-length: 4")}hello`),
    expected: ok("hell", false),
  },
  { name: "an answer nobody asked for behind it", answer: says(sized + sized), expected: ok("hello", false) },
  {
    name: "garbage in the next read",
    answer: async (wire) => {
      wire.send(sized);
      await settle();
      wire.send("garbage");
    },
    expected: ok("hello", false),
  },
  {
    name: "two lengths",
    answer: says(`${head("content-length: 5\r\ncontent-length: 6")}hello!`),
    expected: broken(),
  },
  {
    name: "the same length twice",
    answer: says(`${head("content-length: 5\r\ncontent-length: 5")}hello`),
    expected: broken(),
  },
  { name: "a list of lengths", answer: says(`${head("content-length: 5, 5")}hello`), expected: broken() },
  { name: "a signed length", answer: says(`${head("content-length: +5")}hello`), expected: broken() },
  {
    name: "an endless length",
    answer: says(`${head("content-length: 99999999999999999999")}hello`),
    expected: broken(),
  },
  {
    name: "length and chunks",
    answer: says(`${head("content-length: 5\r\ntransfer-encoding: chunked")}5\r\nhello\r\n0\r\n\r\n`),
    expected: broken(),
  },
  {
    name: "chunks and length",
    answer: says(`${head("transfer-encoding: chunked\r\ncontent-length: 5")}5\r\nhello\r\n0\r\n\r\n`),
    expected: broken(),
  },
  { name: "a chunk without a size", answer: says(`${chunkedHead}hello\r\n`), expected: broken(200) },
  {
    name: "a chunk longer than its size",
    answer: says(`${chunkedHead}3\r\nhello\r\n0\r\n\r\n`),
    expected: broken(200, "hel"),
  },
  {
    name: "a size that overflows",
    answer: says(`${chunkedHead}fffffffffffffffff\r\nx`),
    expected: broken(200),
  },
  {
    name: "no last chunk",
    answer: saysAndEnds(`${chunkedHead}5\r\nhello\r\n`),
    expected: broken(200, "hello"),
  },
  {
    name: "another protocol",
    answer: says("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    expected: broken(),
  },
  { name: "not HTTP", answer: says("SSH-2.0-OpenSSH_9.2\r\n"), expected: broken() },
  { name: "bare line feeds", answer: says("HTTP/1.1 200 OK\ncontent-length: 2\n\nhi"), expected: broken() },
  { name: "a folded line", answer: says(`${head("x: y\r\n z\r\ncontent-length: 2")}hi`), expected: broken() },
  {
    name: "a zero byte in a field",
    answer: says(`${head("x: a\0b\r\ncontent-length: 2")}hi`),
    expected: broken(),
  },
  { name: "a space before the colon", answer: says(`${head("content-length : 2")}hi`), expected: broken() },
  {
    name: "a field longer than a head may be",
    answer: says(`${head(`x: ${"y".repeat(20_000)}`)}hi`),
    expected: broken(),
  },
  {
    name: "a head without an end",
    answer: (wire) =>
      wire.sendInPieces(`HTTP/1.1 200 OK\r\n${`x: ${"y".repeat(990)}\r\n`.repeat(20)}`, 2_000),
    expected: broken(),
  },
  {
    name: "a hundred interim answers",
    answer: says(interims + sized),
    expected: broken(),
    undici: { outcome: ok("hello"), why: "they could go on for ever" },
  },
  {
    name: "more fields than a head may have",
    answer: says(`${head(`${"x: y\r\n".repeat(101)}content-length: 5`)}hello`),
    expected: broken(),
    undici: { outcome: ok("hello"), why: "a head has a bound in fields too" },
  },
];

const ends: Case[] = [
  { name: "ends before its answer", answer: saysAndEnds(""), expected: broken() },
  { name: "ends within its head", answer: saysAndEnds("HTTP/1.1 200 OK\r\ncontent-le"), expected: broken() },
  { name: "ends behind its head", answer: saysAndEnds(head("content-length: 5")), expected: broken(200) },
  {
    name: "ends between chunks",
    answer: saysAndEnds(`${chunkedHead}5\r\nhello`),
    expected: broken(200, "hello"),
  },
  { name: "resets before its answer", answer: saysAndResets(""), expected: broken() },
  { name: "resets within its head", answer: saysAndResets("HTTP/1.1 200 OK\r\nconte"), expected: broken() },
  {
    name: "resets within its body",
    answer: saysAndResets(`${head("content-length: 9")}hello`),
    expected: broken(200, "hello"),
  },
  {
    name: "resets within chunks",
    answer: saysAndResets(`${chunkedHead}5\r\nhello\r\n`),
    expected: broken(200, "hello"),
  },
  {
    name: "resets a body without a length",
    answer: saysAndResets(`${head("x: y")}hello`),
    expected: broken(200, "hello"),
    undici: { outcome: ok("hello", false), why: "a reset is no end: some of the body may be missing" },
  },
  { name: "resets after a whole answer", answer: saysAndResets(sized), expected: ok("hello", false) },
];

for (const [name, create] of Object.entries(clients)) {
  for (const { name: what, answer, expected, undici } of [...sound, ...lies, ...ends]) {
    test(`${name}: ${what}`, async (t) => {
      const wanted = name === "node" && undici !== undefined ? { ...expected, ...undici.outcome } : expected;
      const upstream = await startUpstream(t, {
        async script(wire, index) {
          await wire.request();
          if (index > 0) {
            wire.send(sized);
            return;
          }
          await answer(wire);
          // The second call, on the same connection.
          await wire.request();
          wire.send(sized);
        },
      });
      const client = openClient(t, create, upstream.origin);
      const { status, body, ending } = await post(client).over;
      assert.deepEqual(
        { status, body, ending },
        { status: wanted.status, body: wanted.body, ending: wanted.ending },
      );
      await settle();
      const again = await post(client).over;
      assert.deepEqual([again.status, again.body], [200, "hello"]);
      assert.equal(upstream.wires.length === 1, wanted.isKept, "kept");
    });
  }
}
