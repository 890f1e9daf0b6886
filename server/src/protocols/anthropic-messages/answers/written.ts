/**
 * How much of a message is what the model wrote, in bytes of text: of parsed blocks, and of a delta by its
 * own bytes, which are found and not parsed. Everything read here is an upstream's.
 */
import { isRecord } from "../../../lib/record.ts";

/** Texts that name things, or hold what nobody reads, rather than say something. */
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

/** Bytes of every text in these blocks or deltas that says something; as deep as an upstream likes. */
export function writtenBytesIn(blocks: unknown): number {
  let bytes = 0;
  const waiting: unknown[] = [blocks];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") bytes += Buffer.byteLength(next);
    else if (Array.isArray(next)) for (const one of next) waiting.push(one);
    else if (isRecord(next))
      for (const [name, value] of Object.entries(next)) if (!unwritten.has(name)) waiting.push(value);
  }
  return bytes;
}

const delta = Buffer.from('"delta"');
const quote = 0x22;
const backslash = 0x5c;
const closing = 0x7d;
const letterE = 0x65;
const letterH = 0x68;
const letterU = 0x75;

/** The quote that ends the text whose first byte is at `from`. */
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

/** Bytes of a text between its quotes; escapes count as what they stand for, nearly. */
function textBytes(bytes: Buffer, from: number, end: number): number {
  const first = bytes.indexOf(backslash, from);
  if (first < 0 || first >= end) return end - from;
  let count = first - from;
  for (let at = first; at < end; at += 1) {
    count += 1;
    if (bytes[at] !== backslash) continue;
    at += 1;
    if (bytes[at] !== letterU) continue;
    // Six bytes, or half of a pair of them, for two in UTF-8, give or take one.
    at += 4;
    count += 1;
  }
  return count;
}

/** `text`, `thinking`, `partial_json`: by length and a letter, as no other name of a delta is like them. */
function isWritten(bytes: Buffer, from: number, length: number): boolean {
  const second = bytes[from + 1];
  return (length === 4 && second === letterE) || (length === 8 && second === letterH) || length === 12;
}

/**
 * Where the text begins that the delta in an event's data says: its members are gone through, whatever their
 * order. -1: it says nothing.
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

/** Bytes of the text that begins there. */
export const textBytesAt = (bytes: Buffer, from: number, end: number): number =>
  textBytes(bytes, from, endOfText(bytes, from, end));

/** Up to here a text is looked through byte by byte; a search costs more. */
const shortMax = 32;

/** As `textBytesAt`, of a text that nearly always ends at `end`. */
export function nearTextBytes(bytes: Buffer, from: number, end: number): number {
  if (end - from > shortMax) return textBytesAt(bytes, from, end);
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === quote) return at - from;
    if (byte === backslash) return textBytesAt(bytes, from, end);
  }
  return end - from;
}
