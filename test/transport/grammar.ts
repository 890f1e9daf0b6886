/** Requests for the fuzzer: mostly sound ones, with everything about them that may be strange. */
import type { Random } from "../rigs/harness/random.ts";

/** One connection's bytes. `boundaries`: where one message was meant to end and the next to begin. */
export interface FuzzCase {
  readonly bytes: Buffer;
  readonly boundaries: readonly number[];
  /** Offsets at which what is sent is cut into several reads. */
  readonly cuts: readonly number[];
}

const targets = [
  "/v1/echo",
  "/v1/echo?a=b&c",
  "/v1/later",
  "/v1/stream",
  "/v1/refuse",
  "/v1/close",
  "/v1beta/echo",
  "/openai/v1/later?",
];
const strangeTargets = [
  "/other",
  "/",
  "*",
  "//v1/echo",
  "/v1",
  "/v1?/echo",
  "http://a/v1/echo",
  "a:443",
  "/v1/echo#part",
  "/v1/%e4%b8",
  "/v1/\x80\xff",
  "/v1/e cho",
  "/v1/\t",
  "/v1/\\..",
  "",
];
const strangeMethods = [
  "HEAD",
  "PUT",
  "OPTIONS",
  "DELETE",
  "CONNECT",
  "PATCH",
  "post",
  "PRI",
  "GETS",
  "G",
  "",
];
const strangeVersions = [
  "HTTP/1.0",
  "HTTP/2.0",
  "HTTP/0.9",
  "HTTP/1.2",
  "http/1.1",
  "HTTP/1.1 ",
  "ICE/1.0",
  "",
];
const usualFields = [
  "Authorization: Bearer sk-plaza-x",
  "Content-Type: application/json",
  "Accept: */*",
  "User-Agent:  fuzz/1 \t",
  "X-Empty:",
  "Cookie: a=b; c=d",
  "Keep-Alive: timeout=5",
  "X-Stainless-Lang: js",
  "Connection: keep-alive",
  "connection: close",
  "X-High: \xe4\xff",
];
const strangeFields = [
  "Host: second",
  "Accept: one\r\nAccept: two",
  "Connection: TE, close",
  "Connection: upgrade\r\nUpgrade: websocket",
  "Upgrade: h2c",
  "Connection: Keep-Alive, x",
  "Connection:",
  "Proxy-Connection: close",
  "Expect: 100-continue",
  "Expect: nothing",
  "Set-Cookie: a=b",
  "__proto__: x",
  "constructor: x",
  "X-Folded: one\r\n two",
  "X-Space : x",
  "X-Nul: a\0b",
  "X-Cr: a\rb",
  ": x",
  "no colon",
  " x: y",
  "X\xe4: y",
  "Trailer: x",
  "TE: trailers",
  "Content-Encoding: gzip",
  "Content-Length: 3\r\nContent-Length: 3",
  "Content-Length: 3, 3",
  "Content-Length: +3",
  "Content-Length: 3\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding: Chunked",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding: identity",
  "Transfer-Encoding:\tchunked ",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
  "Content-Length: 99999999999999999999",
  `X-Long: ${"y".repeat(400)}`,
];
const hosts = ["Host: a.test", "host: 127.0.0.1:8080", "HOST:a"];
const strangeHosts = ["", "Host:", "Host: a b", "Host: a/b", "Host: u@a", "Host: [::1]:80"];
const strangeChunks = [
  "0x3\r\nabc\r\n",
  "3;ext=1\r\nabc\r\n",
  '3;ext="a;b"\r\nabc\r\n',
  "3 \r\nabc\r\n",
  "+3\r\nabc\r\n",
  "3\nabc\r\n",
  "3\r\nabcd\r\n",
  "3\r\nabc\n",
  "00003\r\nabc\r\n",
  "fffffffffffffffff\r\nabc\r\n",
  "\r\n",
  "-1\r\n",
];
const ends = [
  "0\r\n\r\n",
  "0\r\n\r\n",
  "0\r\n\r\n",
  "0\r\nTrailer: x\r\n\r\n",
  "00\r\n\r\n",
  "0;x\r\n\r\n",
  "0\n\n",
  "0\r\n",
];

function bodyText(random: Random): string {
  const length = random.chance(0.01) ? random.int(1_000, 3_000) : random.int(0, 12);
  return "GET /v1/echo HTTP/1.1\r\nHost: a\r\n\r\n{}".repeat(Math.ceil(length / 36) + 1).slice(0, length);
}

function chunkedBody(random: Random, strange: number): string {
  let text = "";
  for (let chunks = random.int(0, 3); chunks > 0; chunks -= 1) {
    const part = bodyText(random);
    if (random.chance(strange)) text += random.pick(strangeChunks);
    else if (part !== "") text += `${part.length.toString(16)}\r\n${part}\r\n`;
  }
  return text + (random.chance(strange) ? random.pick(ends) : "0\r\n\r\n");
}

/** `strange`: how probable each strange part is. */
function message(random: Random, strange: number): string {
  const isStrange = (): boolean => random.chance(strange);
  const method = isStrange() ? random.pick(strangeMethods) : random.pick(["GET", "POST", "POST"]);
  const target = random.pick(isStrange() ? strangeTargets : targets);
  const version = isStrange() ? random.pick(strangeVersions) : "HTTP/1.1";
  const fields = [isStrange() ? random.pick(strangeHosts) : random.pick(hosts)];
  for (let count = random.int(0, 4); count > 0; count -= 1) {
    fields.push(random.pick(isStrange() ? strangeFields : usualFields));
  }
  let body = "";
  if (method === "POST" || isStrange()) {
    if (random.chance(0.4)) {
      fields.push("Transfer-Encoding: chunked");
      body = chunkedBody(random, strange);
    } else if (random.chance(0.9)) {
      body = bodyText(random);
      fields.push(`Content-Length: ${isStrange() ? random.int(0, 14) : body.length}`);
    }
  }
  const lines = [`${method} ${target} ${version}`, ...random.shuffle(fields.filter((field) => field !== ""))];
  const lineEnd = (): string =>
    random.chance(strange / 10) ? random.pick(["\n", "\r", "\r\r\n", "\r\n "]) : "\r\n";
  const before = isStrange() ? random.pick(["\r\n", "\n", "\r\n\r\n", " "]) : "";
  return before + lines.map((line) => line + lineEnd()).join("") + lineEnd() + body;
}

/** Changes single bytes: flips, drops, doubles or inserts. */
function mutate(random: Random, bytes: Buffer): Buffer {
  const at = random.int(0, Math.max(0, bytes.length - 1));
  const length = random.int(1, 4);
  const insert = Buffer.from(
    random.pick(["\r", "\n", "\0", " ", ":", "\r\n\r\n", "0", ",", "\xff", "A"]),
    "latin1",
  );
  switch (random.int(0, 3)) {
    case 0:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
    default: {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << random.int(0, 7));
      return flipped;
    }
  }
}

/** The same head again, now and then with a body of another length, as most clients send it. */
function again(random: Random, text: string): string {
  const bodyAt = text.indexOf("\r\n\r\n") + 4;
  if (random.chance(0.6) || bodyAt < 4) return text;
  const body = bodyText(random);
  const length = `Content-Length: ${random.chance(0.1) ? random.int(0, 14) : body.length}`;
  return text.slice(0, bodyAt).replace(/Content-Length: \d+/, length) + body;
}

/** The messages of one connection. */
function messagesOf(random: Random, strange: number): string[] {
  const first = message(random, strange);
  const messages = [first];
  const isRepeating = random.chance(0.4);
  for (let count = random.int(0, isRepeating ? 5 : 3); count > 0; count -= 1) {
    const isAgain = isRepeating && random.chance(0.9);
    messages.push(isAgain ? again(random, first) : message(random, strange));
  }
  return messages;
}

export function createCase(random: Random): FuzzCase {
  const strange = random.pick([0, 0.02, 0.1, 0.3]);
  const messages = messagesOf(random, strange);
  const boundaries: number[] = [];
  let length = 0;
  for (const text of messages) {
    length += text.length;
    boundaries.push(length);
  }
  let bytes: Buffer = Buffer.from(messages.join(""), "latin1");
  for (let times = random.chance(0.3) ? random.int(1, 3) : 0; times > 0; times -= 1)
    bytes = mutate(random, bytes);
  const cuts = Array.from({ length: random.int(0, 5) }, () => random.int(1, bytes.length));
  // Most callers wait for an answer before they ask again.
  if (random.chance(0.7)) cuts.push(...boundaries);
  return { bytes, boundaries, cuts: cuts.sort((a, b) => a - b) };
}
