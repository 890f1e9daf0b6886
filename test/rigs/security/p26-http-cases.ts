/** P26, HTTP: request smuggling, invalid headers, targets and methods, each with its expected status. */
import { chatPath, goodBody, goodHead, type HostileCase, head, text, withHead } from "./p26-case.ts";

const chunked = `${goodBody.length.toString(16)}\r\n${goodBody}\r\n0\r\n\r\n`;
const smuggled = "GET /healthz HTTP/1.1\r\nHost: plaza\r\n\r\n";
const length = `Content-Length: ${goodBody.length}`;
const closes = { closesWithinMs: 2000 };

/** Malformed framing: always 400, one answer, closed. */
function framing(name: string, more: readonly string[], body = goodBody): HostileCase {
  return { name, pieces: withHead(more, body), statuses: [400], codes: ["invalid_request"], ...closes };
}

/** A request with this request line and these headers. */
function line(name: string, lines: readonly string[], statuses: readonly number[], body = ""): HostileCase {
  return { name, pieces: (key) => text(head(lines.map((one) => one.replace("KEY", key))) + body), statuses };
}

const framingCases: readonly HostileCase[] = [
  framing("CL and TE", [length, "Transfer-Encoding: chunked"], chunked + smuggled),
  framing("TE and CL", ["Transfer-Encoding: chunked", "Content-Length: 4"], chunked + smuggled),
  framing("two different CL", [length, "Content-Length: 3"]),
  framing("two equal CL", [length, length]),
  framing("signed CL", [`Content-Length: +${goodBody.length}`]),
  framing("negative CL", ["Content-Length: -1"]),
  framing("CL list", [`Content-Length: ${goodBody.length}, ${goodBody.length}`]),
  framing("hexadecimal CL", ["Content-Length: 0x10"]),
  framing("CL too large for an integer", ["Content-Length: 99999999999999999999999"]),
  framing("space before the colon", [length, "X-Bad : 1"]),
  framing("space before the colon of TE", ["Transfer-Encoding : chunked"], chunked),
  framing("folded header", [length, "X-Fold: a\r\n b"]),
  framing("unknown TE", ["Transfer-Encoding: xchunked"], chunked),
  framing("TE identity after chunked", ["Transfer-Encoding: chunked, identity"], chunked),
  framing("two TE", ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], chunked),
  framing("vertical tab in TE", ["Transfer-Encoding: \x0bchunked"], chunked),
  framing("hexadecimal chunk size", ["Transfer-Encoding: chunked"], `0x10\r\n${goodBody}\r\n0\r\n\r\n`),
  framing("signed chunk size", ["Transfer-Encoding: chunked"], `+10\r\n${goodBody}\r\n0\r\n\r\n`),
  framing(
    "chunk size over 64 bits",
    ["Transfer-Encoding: chunked"],
    `fffffffffffffffff\r\n${goodBody}\r\n0\r\n\r\n`,
  ),
  framing("chunk longer than its size", ["Transfer-Encoding: chunked"], `5\r\n${goodBody}\r\n0\r\n\r\n`),
  framing(
    "chunk lines ended by LF",
    ["Transfer-Encoding: chunked"],
    `${goodBody.length.toString(16)}\n${goodBody}\n0\n\n`,
  ),
  {
    ...framing(
      "32 KB chunk extension",
      ["Transfer-Encoding: chunked"],
      `5;${"e".repeat(32_768)}\r\n{"a":\r\n`,
    ),
    statuses: [400, 413],
    codes: ["invalid_request", "request_too_large"],
  },
  framing("NUL in a header value", [length, "X-Nul: a\0b"]),
  framing("NUL in a header name", [length, "X-\0: a"]),
  framing("CR in a header value", [length, "X-Cr: a\rb"]),
  framing("header without a name", [length, ": x"]),
  framing("header without a colon", [length, "nothing"]),
  framing("non-ASCII header name", [length, "X-\xe9: a"]),
];

const big = "v".repeat(40_000);
const overflow = { statuses: [400, 431], codes: ["invalid_request"], ...closes };
const sizeCases: readonly HostileCase[] = [
  { name: "one header of 40 KB", pieces: withHead([length, `X-Big: ${big}`], goodBody), ...overflow },
  {
    name: "a header of 40 KB that never ends",
    pieces: (key) => text(`${goodHead(key).join("\r\n")}\r\nX-Big: ${big}`),
    ...overflow,
  },
  {
    name: "3,000 headers",
    pieces: withHead([length, ...Array.from({ length: 3000 }, (_, index) => `X-${index}: v`)], goodBody),
    ...overflow,
  },
  {
    name: "3,000 shortest headers",
    pieces: withHead([length, ...Array.from({ length: 3000 }, () => "a:")], goodBody),
    ...overflow,
  },
  {
    name: "10,000 headers",
    pieces: withHead([length, ...Array.from({ length: 10_000 }, (_, index) => `X-${index}: v`)], goodBody),
    ...overflow,
  },
  {
    name: "target of 64 KB",
    pieces: () => text(head([`GET /${"p".repeat(65_536)} HTTP/1.1`, "Host: plaza"])),
    ...overflow,
  },
  { name: "method of 64 KB", pieces: () => text(`${"M".repeat(65_536)} / HTTP/1.1\r\n\r\n`), ...overflow },
  {
    name: "key of 16 KB",
    pieces: () =>
      text(
        head([
          `POST ${chatPath} HTTP/1.1`,
          "Host: plaza",
          `Authorization: Bearer sk-plaza-${"k".repeat(16_384)}`,
          "Content-Length: 0",
        ]),
      ),
    statuses: [401, 400, 431],
  },
];

const post = `POST ${chatPath} HTTP/1.1`;
const good = [
  "Host: plaza",
  "Authorization: Bearer KEY",
  "Content-Type: application/json",
  length,
  "Connection: close",
];
const refused = [400];
const headCases: readonly HostileCase[] = [
  line("two Hosts", [post, "Host: plaza", ...good], refused, goodBody),
  line("two different Hosts", [post, "Host: other", ...good], refused, goodBody),
  line("no Host", [post, ...good.slice(1)], refused, goodBody),
  line("Host with a path", [post, "Host: a/v1?x#", ...good.slice(1)], refused, goodBody),
  line("Host with a user", [post, "Host: user@plaza", ...good.slice(1)], refused, goodBody),
  line("empty Host", [post, "Host:", ...good.slice(1)], refused, goodBody),
  line("absolute-form target", [`POST http://plaza${chatPath} HTTP/1.1`, ...good], refused, goodBody),
  line(
    "absolute-form target elsewhere",
    ["GET http://169.254.169.254/latest HTTP/1.1", "Host: plaza"],
    refused,
  ),
  line("authority-form CONNECT", ["CONNECT plaza:443 HTTP/1.1", "Host: plaza:443"], [0, 400, 404, 405]),
  line("OPTIONS *", ["OPTIONS * HTTP/1.1", "Host: plaza"], [400, 404]),
  line("target without a slash", ["GET v1/models HTTP/1.1", "Host: plaza"], refused),
  line("NUL in the target", ["GET /v1/\0models HTTP/1.1", "Host: plaza"], refused),
  line("space in the target", ["GET /v1/ models HTTP/1.1", "Host: plaza"], refused),
  line("GET with a body", ["GET /v1/models HTTP/1.1", ...good], refused, goodBody),
  line(
    "GET with a chunked body",
    ["GET /healthz HTTP/1.1", "Host: plaza", "Transfer-Encoding: chunked"],
    refused,
    chunked,
  ),
  line("lower-case method", [`post ${chatPath} HTTP/1.1`, ...good], refused, goodBody),
  line("unknown method", [`BREW ${chatPath} HTTP/1.1`, ...good], refused, goodBody),
  line("HTTP/3.0", [`POST ${chatPath} HTTP/3.0`, ...good], [400], goodBody),
  line(
    "HTTP/1.0 with TE",
    [`POST ${chatPath} HTTP/1.0`, "Host: plaza", "Authorization: Bearer KEY", "Transfer-Encoding: chunked"],
    [400, 411, 415],
    chunked,
  ),
  { name: "HTTP/0.9", pieces: () => text(`GET ${chatPath}\r\n\r\n`), statuses: [400], ...closes },
  {
    name: "HTTP/2 preface",
    pieces: () => text("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    statuses: [505],
    ...closes,
  },
  {
    name: "HTTP/2 preface, byte by byte",
    pieces: () =>
      [..."PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"].map((byte) => ({ bytes: Buffer.from(byte), afterMs: 2 })),
    statuses: [505],
    ...closes,
  },
  line("HTTP/2.0 in words", [`POST ${chatPath} HTTP/2.0`, ...good], [505], goodBody),
  {
    name: "TLS hello",
    pieces: () => text("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
    statuses: [0, 400],
    ...closes,
  },
  {
    name: "lines ended by LF",
    pieces: (key) => text(`${[...goodHead(key), length].join("\n")}\n\n${goodBody}`),
    statuses: [400],
    ...closes,
  },
  {
    name: "lines ended by CR",
    pieces: (key) => text(`${[...goodHead(key), length].join("\r")}\r\r${goodBody}`),
    statuses: [400],
    ...closes,
  },
];

const routeCases: readonly HostileCase[] = [
  line(
    "no key",
    [post, "Host: plaza", "Content-Type: application/json", length, "Connection: close"],
    [401],
    goodBody,
  ),
  line(
    "basic authorization",
    [
      post,
      "Host: plaza",
      "Authorization: Basic YTpi",
      "Content-Type: application/json",
      length,
      "Connection: close",
    ],
    [401],
    goodBody,
  ),
  line(
    "wrong key",
    [
      post,
      "Host: plaza",
      "Authorization: Bearer sk-plaza-0000000000000000",
      "Content-Type: application/json",
      length,
      "Connection: close",
    ],
    [401],
    goodBody,
  ),
  line(
    "two Authorization headers",
    [post, "Authorization: Bearer sk-plaza-0000", ...good],
    [400, 401],
    goodBody,
  ),
  line(
    "GET of the endpoint",
    [`GET ${chatPath} HTTP/1.1`, "Host: plaza", "Authorization: Bearer KEY", "Connection: close"],
    [404, 405],
  ),
  line("PUT of the endpoint", [`PUT ${chatPath} HTTP/1.1`, ...good], [405], goodBody),
  line("unknown path", ["POST /v1/nothing HTTP/1.1", ...good], [404], goodBody),
  line("dot segments", ["POST /v1/../v1/chat/completions HTTP/1.1", ...good], [400, 404], goodBody),
  line(
    "encoded dot segments",
    ["POST /v1/%2e%2e/v1/chat/completions HTTP/1.1", ...good],
    [400, 404],
    goodBody,
  ),
  line("double slashes", ["POST //v1//chat/completions HTTP/1.1", ...good], [400, 404], goodBody),
  line(
    "broken percent encoding",
    ["GET /v1/models/%E0%A4%A HTTP/1.1", "Host: plaza", "Authorization: Bearer KEY", "Connection: close"],
    [400, 404],
  ),
  line(
    "files of the machine",
    ["GET /../../../../etc/passwd HTTP/1.1", "Host: plaza", "Connection: close"],
    [400, 404],
  ),
  line("Expect: 100-continue", [post, "Expect: 100-continue", ...good], [200], goodBody),
  line("Expect of something else", [post, "Expect: the-worst", ...good], [200, 400, 417], goodBody),
  line(
    "upgrade to websocket",
    [
      "GET /v1/models HTTP/1.1",
      "Host: plaza",
      "Authorization: Bearer KEY",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Key: x",
      "Sec-WebSocket-Version: 13",
    ],
    [200, 400, 426],
  ),
  line(
    "upgrade to h2c",
    [
      post,
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAAQAAP__",
      ...good.slice(0, -1),
      "Connection: Upgrade, HTTP2-Settings",
    ],
    [200, 400],
    goodBody,
  ),
  {
    name: "whole request, then half-close",
    pieces: withHead([length], goodBody),
    statuses: [0, 200],
    halfClose: true,
  },
  { name: "500 pipelined requests", pieces: () => text(smuggled.repeat(500)), statuses: [0, 200] },
  {
    name: "500 pipelined calls",
    pieces: (key) => text((head([...goodHead(key), length]) + goodBody).repeat(500)),
    statuses: [0, 200],
  },
  {
    name: "a second request that is garbage",
    pieces: (key) => text(`${head([...goodHead(key), length]) + goodBody}\0\0\0\r\n\r\n`),
    statuses: [200, 400],
  },
];

export const httpCases: readonly HostileCase[] = [...framingCases, ...sizeCases, ...headCases, ...routeCases];
