/**
 * The length of a long text in the bytes of a delta, without making strings of it: an event of many
 * kilobytes would leave several times its size on the heap. Knows JSON's texts and no more; what it cannot
 * tell for certain is parsed by the caller.
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

/** Members looked at: a role, a name, the text. */
const membersMax = 4;

/** Passes `mark` once and the blanks around it; -1 where it does not stand there. */
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

/** How many bytes the escape at `at` has more than the character it stands for in UTF-8. */
export function escapeExcess(bytes: Buffer, at: number): number {
  if (bytes[at + 1] !== letterU) return 1;
  const first = bytes[at + 2] as number;
  const second = bytes[at + 3] as number;
  // Half of a pair: two such are one character of four bytes.
  if ((first | 0x20) === letterD && second >= eight) return 4;
  if (first !== zero) return 3;
  if (second === zero && (bytes[at + 4] as number) < eight) return 5;
  return second < eight && second >= zero ? 4 : 3;
}

/** Bytes of what the text says that begins at `start`, if it ends after `raw` bytes; -1 if it does not. */
function textBytes(bytes: Buffer, start: number, raw: number): number {
  const end = start + raw;
  if (bytes[end] !== quote) return -1;
  const firstQuote = bytes.indexOf(quote, start);
  // Native search where there are no escapes, as in most texts.
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
 * Bytes of what a delta says in one text of `raw` bytes, when it is an object whose members up to that one
 * are plain texts. `from`: where its value begins. -1: it is no such delta.
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
