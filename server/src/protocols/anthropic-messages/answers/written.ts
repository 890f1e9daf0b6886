/**
 * Counts the model's output in a message, in bytes of text: from parsed blocks, or from a delta's bytes
 * without parsing. The input is from an upstream and untrusted.
 */
import { isRecord } from "../../../lib/record.ts";
import { type ContentSize, sizeOfText } from "../../content-size.ts";

/** Members whose texts are names or opaque data, not output. */
const unwritten: ReadonlySet<string> = new Set([
  "id",
  "type",
  "signature",
  "data",
  "citations",
  "citation",
  "caller",
  "content",
]);

/** The size of every output text in these blocks or deltas, at any depth. */
export function writtenIn(blocks: unknown): ContentSize {
  let contentBytes = 0;
  let images = 0;
  const waiting: unknown[] = [blocks];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") {
      const size = sizeOfText(next);
      contentBytes += size.contentBytes;
      images += size.images;
    } else if (Array.isArray(next)) for (const one of next) waiting.push(one);
    else if (isRecord(next))
      for (const [name, value] of Object.entries(next)) if (!unwritten.has(name)) waiting.push(value);
  }
  return { contentBytes, images };
}

const delta = Buffer.from('"delta"');
const quote = 0x22;
const backslash = 0x5c;
const closing = 0x7d;
const letterE = 0x65;
const letterH = 0x68;
const letterU = 0x75;

/** The closing quote of the text whose first byte is at `from`. */
function endOfText(bytes: Buffer, from: number, end: number): number {
  let at = bytes.indexOf(quote, from);
  while (at >= 0 && at < end) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return at;
    at = bytes.indexOf(quote, at + 1);
  }
  return end;
}

/** Bytes of the text between its quotes. Escapes count roughly as the bytes they stand for. */
function textBytes(bytes: Buffer, from: number, end: number): number {
  const first = bytes.indexOf(backslash, from);
  if (first < 0 || first >= end) return end - from;
  let count = first - from;
  for (let at = first; at < end; at += 1) {
    count += 1;
    if (bytes[at] !== backslash) continue;
    at += 1;
    if (bytes[at] !== letterU) continue;
    // A `\u` escape has six bytes (a surrogate pair twelve) and counts as two, which is right to within one
    // byte of UTF-8.
    at += 4;
    count += 1;
  }
  return count;
}

/**
 * Recognizes `text`, `thinking` and `partial_json` by length and one letter; no other member of a delta
 * matches.
 */
function isWritten(bytes: Buffer, from: number, length: number): boolean {
  const second = bytes[from + 1];
  return (length === 4 && second === letterE) || (length === 8 && second === letterH) || length === 12;
}

/**
 * The offset of the output text in an event's delta, whatever the order of its members; -1 when there is
 * none.
 */
export function textAt(bytes: Buffer, dataStart: number, end: number): number {
  const found = bytes.indexOf(delta, dataStart);
  if (found < 0 || found >= end) return -1;
  let at = found + delta.length;
  for (;;) {
    const name = bytes.indexOf(quote, at);
    const over = bytes.indexOf(closing, at);
    if (name < 0 || name >= end || (over >= 0 && over < name)) return -1;
    const nameEnd = endOfText(bytes, name + 1, end);
    const value = bytes.indexOf(quote, nameEnd + 1);
    if (value < 0 || value >= end) return -1;
    if (isWritten(bytes, name + 1, nameEnd - name - 1)) return value + 1;
    at = endOfText(bytes, value + 1, end) + 1;
  }
}

/** Bytes of the text that starts at `from`. */
export const textBytesAt = (bytes: Buffer, from: number, end: number): number =>
  textBytes(bytes, from, endOfText(bytes, from, end));

/** Texts up to this length are scanned byte by byte; a native search costs more. */
const shortMax = 32;

/** Like `textBytesAt`, for a text that nearly always ends at `end`. */
export function nearTextBytes(bytes: Buffer, from: number, end: number): number {
  if (end - from > shortMax) return textBytesAt(bytes, from, end);
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === quote) return at - from;
    if (byte === backslash) return textBytesAt(bytes, from, end);
  }
  return end - from;
}
