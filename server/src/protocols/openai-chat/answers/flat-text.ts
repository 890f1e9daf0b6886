/**
 * Measures a long text in a delta's bytes without creating strings: parsing an event of many kilobytes leaves
 * several times its size on the heap. Knows only JSON strings. When it cannot decide, the caller parses the
 * event.
 */
import { isWritten } from "./written-text.ts";

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const openBrace = 0x7b;
const letterU = 0x75;
const letterD = 0x64;
const zero = 0x30;
const eight = 0x38;

/** Most members looked at: a role, a name, the text. */
const membersMax = 4;

/** Skips one `mark` and the whitespace around it; -1 when it is not there. */
function pass(bytes: Buffer, from: number, mark: number): number {
  let at = from;
  let isPassed = false;
  for (;;) {
    const byte = bytes[at];
    if (byte === mark && !isPassed) isPassed = true;
    else if (byte !== 0x20 && byte !== 0x09) return isPassed ? at : -1;
    at += 1;
  }
}

/** Bytes by which the escape at `at` is longer than its character in UTF-8. */
export function escapeExcess(bytes: Buffer, at: number): number {
  if (bytes[at + 1] !== letterU) return 1;
  const first = bytes[at + 2] as number;
  const second = bytes[at + 3] as number;
  // Half of a surrogate pair: two halves are one character of four bytes.
  if ((first | 0x20) === letterD && second >= eight) return 4;
  if (first !== zero) return 3;
  if (second === zero && (bytes[at + 4] as number) < eight) return 5;
  return second < eight && second >= zero ? 4 : 3;
}

/** Decoded bytes of the text that begins at `start`, if it ends after `raw` bytes; -1 otherwise. */
function textBytes(bytes: Buffer, start: number, raw: number): number {
  const end = start + raw;
  if (bytes[end] !== quote) return -1;
  const firstQuote = bytes.indexOf(quote, start);
  // A native search for text without escapes, as most texts are.
  const firstEscape = bytes.subarray(start, end).indexOf(backslash);
  if (firstEscape < 0) return firstQuote === end ? raw : -1;
  let at = start + firstEscape;
  if (firstQuote < at) return -1;
  let excess = 0;
  while (at < end) {
    const byte = bytes[at];
    if (byte === quote) return -1;
    if (byte === backslash) {
      excess += escapeExcess(bytes, at);
      at += 2;
    } else at += 1;
  }
  return at === end ? raw - excess : -1;
}

/**
 * Decoded bytes of the text with `raw` bytes in a delta, if the delta is an object whose members up to that
 * text are plain strings. `from`: where the delta's value begins. -1: it is no such delta.
 */
export function flatTextBytes(bytes: Buffer, from: number, raw: number): number {
  let at = pass(bytes, from, openBrace);
  for (let member = 0; member < membersMax && bytes[at] === quote; member += 1) {
    const nameEnd = bytes.indexOf(quote, at + 1);
    if (nameEnd < 0) return -1;
    const value = pass(bytes, nameEnd + 1, colon);
    if (bytes[value] !== quote) return -1;
    const text = textBytes(bytes, value + 1, raw);
    if (text >= 0) return isWritten(bytes.subarray(at + 1, nameEnd).toString("latin1")) ? text : -1;
    const end = bytes.indexOf(quote, value + 1);
    if (end < 0 || bytes[end - 1] === backslash) return -1;
    at = pass(bytes, end + 1, comma);
  }
  return -1;
}
