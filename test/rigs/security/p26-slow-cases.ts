/**
 * P26, slow clients: headers and bodies sent byte by byte, unfinished, or with a wrong length. All must be
 * disconnected within 5.5 s.
 */
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { RawPiece } from "../harness/raw-client.ts";
import { goodBody, goodHead, type HostileCase, head } from "./p26-case.ts";

const goneMs = 5500;
const dripMs = 200;
/** More bytes than any case can send in its time. */
const dripBytes = 60;

function drip(first: string, byte: string): readonly RawPiece[] {
  const drops = Array.from({ length: dripBytes }, () => ({ bytes: Buffer.from(byte), afterMs: dripMs }));
  return [{ bytes: Buffer.from(first), afterMs: 0 }, ...drops];
}

function once(first: string): readonly RawPiece[] {
  return [{ bytes: Buffer.from(first), afterMs: 0 }];
}

/** The first half of a compressed body. */
function packed(key: string, coding: string, body: Buffer): readonly RawPiece[] {
  const top = head([...goodHead(key), `Content-Encoding: ${coding}`, `Content-Length: ${body.length}`]);
  return [{ bytes: Buffer.concat([Buffer.from(top), body.subarray(0, body.length >> 1)]), afterMs: 0 }];
}

const gone = { statuses: [0, 408], closesWithinMs: goneMs };
const length = `Content-Length: ${goodBody.length}`;

/** All slow cases; they run in parallel. */
export const slowCases: readonly HostileCase[] = [
  { name: "connects and says nothing", pieces: () => [], ...gone },
  { name: "one byte, then nothing", pieces: () => once("P"), ...gone },
  {
    name: "request line, then nothing",
    pieces: () => once("POST /v1/chat/completions HTTP/1.1\r\n"),
    ...gone,
  },
  { name: "head drips", pieces: (key) => drip(`${goodHead(key).join("\r\n")}\r\nX-Slow: `, "x"), ...gone },
  {
    name: "head drips a header at a time",
    pieces: (key) => drip(`${goodHead(key).join("\r\n")}\r\n`, "a: b\r\n"),
    ...gone,
  },
  { name: "blank lines drip", pieces: () => drip("", "\r\n"), ...gone },
  { name: "head, then no body", pieces: (key) => once(head([...goodHead(key), length])), ...gone },
  {
    name: "half a body, then nothing",
    pieces: (key) => once(head([...goodHead(key), length]) + goodBody.slice(0, 20)),
    ...gone,
  },
  {
    name: "half a gzip body, then nothing",
    pieces: (key) => packed(key, "gzip", gzipSync(goodBody)),
    ...gone,
  },
  {
    name: "half a zstd body, then nothing",
    pieces: (key) => packed(key, "zstd", zstdCompressSync(Buffer.from(goodBody))),
    ...gone,
  },
  {
    name: "length too long by 1,000",
    pieces: (key) => once(head([...goodHead(key), "Content-Length: 1065"]) + goodBody),
    ...gone,
  },
  {
    name: "body drips",
    pieces: (key) => drip(head([...goodHead(key), "Content-Length: 10000"]), " "),
    ...gone,
  },
  {
    name: "chunked body drips",
    pieces: (key) => drip(head([...goodHead(key), "Transfer-Encoding: chunked"]), "1\r\n \r\n"),
    ...gone,
  },
  {
    name: "chunk size drips",
    pieces: (key) => drip(head([...goodHead(key), "Transfer-Encoding: chunked"]), "0"),
    ...gone,
  },
  {
    name: "body refused by its head, then drips",
    pieces: (key) =>
      drip(head([...goodHead(key).slice(0, 3), "Content-Type: text/plain", "Content-Length: 10000"]), " "),
    statuses: [415],
    closesWithinMs: goneMs,
  },
  {
    name: "body without a key, then drips",
    pieces: () => drip(head([...goodHead("none"), "Content-Length: 10000"]), " "),
    statuses: [401],
    closesWithinMs: goneMs,
  },
  {
    name: "body to an unknown path drips",
    pieces: () => drip(head(["POST /nothing HTTP/1.1", "Host: plaza", "Content-Length: 10000"]), " "),
    statuses: [404],
    closesWithinMs: goneMs,
  },
  {
    name: "half a body, then half-close",
    pieces: (key) => once(head([...goodHead(key), length]) + goodBody.slice(0, 20)),
    statuses: [0, 400, 408],
    closesWithinMs: goneMs,
    halfClose: true,
  },
  {
    name: "half a head, then half-close",
    pieces: () => once("POST /v1/chat/comp"),
    statuses: [0, 400, 408],
    closesWithinMs: goneMs,
    halfClose: true,
  },
];
