/**
 * P26, compressed bodies: invalid ones, ones that decompress to something hostile, and unsupported encodings,
 * each with its expected status. Limits apply to the decompressed body as to plain bodies.
 */
import { gzipSync, zstdCompressSync } from "node:zlib";
import { goodBody, type HostileCase, posted } from "./p26-case.ts";

const mebibyte = 1024 * 1024;
const refused = { statuses: [400], codes: ["invalid_request"] };
const tooLarge = { statuses: [413], codes: ["request_too_large"] };
const wrongType = { statuses: [415], codes: ["unsupported_media_type"] };
const accepted = { statuses: [200] };

const start = '{"model":"rig-model","messages":[{"role":"user","content":"hi"}],';
const deep = `${start}"x":${"[".repeat(100_000)}`;
const values = `${start}"x":[${"0,".repeat(1_000_000)}0]}`;

const coded = (body: Buffer | string, coding: string): HostileCase["pieces"] =>
  posted(body, { more: [`Content-Encoding: ${coding}`] });
const gzipped = (body: Buffer | string): HostileCase["pieces"] => coded(gzipSync(body), "gzip");
const zstded = (body: Buffer | string): HostileCase["pieces"] =>
  coded(zstdCompressSync(typeof body === "string" ? Buffer.from(body) : body), "zstd");
const many = (one: Buffer): Buffer => Buffer.concat(Array<Buffer>(100_000).fill(one));

/** A frame header with a window of 2 GiB, and an empty last block. */
const wideFrame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00]);

/** Hexadecimal digits, which compress to a half; deterministic. */
function digits(bytes: number): string {
  let state = 1;
  const parts: string[] = [];
  for (let length = 0; length < bytes; length += 8) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    parts.push(state.toString(16).padStart(8, "0"));
  }
  return parts.join("");
}

/** Refused or small cases. */
export const codingCases: readonly HostileCase[] = [
  { name: "gzip body", pieces: gzipped(goodBody), ...accepted },
  { name: "zstd body", pieces: zstded(goodBody), ...accepted },
  { name: "gzip body cut short", pieces: coded(gzipSync(goodBody).subarray(0, -9), "gzip"), ...refused },
  {
    name: "zstd body cut short",
    pieces: coded(zstdCompressSync(Buffer.from(goodBody)).subarray(0, -2), "zstd"),
    ...refused,
  },
  { name: "no gzip, though it says so", pieces: coded(goodBody, "gzip"), ...refused },
  { name: "gzip without saying so", pieces: posted(gzipSync(goodBody)), ...refused },
  { name: "no bytes at all", pieces: coded("", "zstd"), ...refused },
  {
    name: "text behind gzip",
    pieces: coded(Buffer.concat([gzipSync(goodBody), Buffer.from("x")]), "gzip"),
    ...refused,
  },
  { name: "100,000 empty gzip members", pieces: coded(many(gzipSync("")), "gzip"), ...refused },
  {
    name: "100,000 empty zstd frames",
    pieces: coded(many(zstdCompressSync(Buffer.alloc(0))), "zstd"),
    ...refused,
  },
  { name: "zstd frame with a window of 2 GiB", pieces: coded(wideFrame, "zstd"), ...tooLarge },
  { name: "gzip bomb", pieces: gzipped(Buffer.alloc(50 * mebibyte, 0x20)), ...tooLarge },
  { name: "zstd bomb", pieces: zstded(Buffer.alloc(300 * mebibyte, 0x20)), ...tooLarge },
  { name: "gzip bomb of values", pieces: gzipped(values), ...tooLarge },
  { name: "depth inside gzip", pieces: gzipped(deep), ...tooLarge },
  { name: "values inside zstd", pieces: zstded(values), ...tooLarge },
  { name: "34 MiB inside gzip", pieces: gzipped(`${start}"x":"${digits(34 * mebibyte)}"}`), ...tooLarge },
  { name: "deflate body", pieces: coded("x", "deflate"), ...wrongType },
  { name: "brotli body", pieces: coded("x", "br"), ...wrongType },
  { name: "unknown encoding", pieces: coded("x", "gzip, gzip, zstd"), ...wrongType },
];

/** Large but allowed: served, without slowing other callers. */
export const heavyCodingCases: readonly HostileCase[] = [
  { name: "20 MiB inside gzip", pieces: gzipped(`${start}"x":"${digits(20 * mebibyte)}"}`), ...accepted },
  { name: "20 MiB inside zstd", pieces: zstded(`${start}"x":"${digits(20 * mebibyte)}"}`), ...accepted },
];
