/**
 * The inside of JSON strings and numbers, byte by byte, for `scan.ts`: tables and the two hot loops.
 * Stateless; knows nothing of structure, limits or chunk borders.
 */

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;

/** 1 for every byte that ends plain text in a string: the quote, the backslash, control bytes. */
const STOPS = new Uint8Array(256);
STOPS.fill(1, 0, 0x20);
STOPS[QUOTE] = 1;
STOPS[BACKSLASH] = 1;

/** By the byte after a backslash: 0 invalid, 1 complete, 2 followed by four hex digits. */
export const ESCAPES = new Uint8Array(256);
for (const letter of '"\\/bfnrt') ESCAPES[letter.charCodeAt(0)] = 1;
ESCAPES["u".charCodeAt(0)] = 2;

/** For hex digits their value plus one; 0 for all other bytes. */
export const HEX = new Uint8Array(256);
const IS_HEX = new Uint8Array(256);
for (const digit of "0123456789abcdefABCDEF") {
  HEX[digit.charCodeAt(0)] = Number.parseInt(digit, 16) + 1;
  IS_HEX[digit.charCodeAt(0)] = 1;
}

/**
 * Number grammar as a table: `NUMBER_NEXT[(state << 8) | byte]`; 0 when the byte is not part of the number.
 */
export const NUMBER_NEXT = new Uint8Array(9 << 8);
export const NUMBER_START = 0;
const MINUS = 1;
const ZERO = 2;
const INTEGER = 3;
const DOT = 4;
const FRACTION = 5;
const EXPONENT_MARK = 6;
const EXPONENT_SIGN = 7;
const EXPONENT = 8;

function allow(state: number, bytes: string, next: number): void {
  for (const byte of bytes) NUMBER_NEXT[(state << 8) | byte.charCodeAt(0)] = next;
}
allow(NUMBER_START, "-", MINUS);
for (const state of [NUMBER_START, MINUS]) {
  allow(state, "0", ZERO);
  allow(state, "123456789", INTEGER);
}
allow(INTEGER, "0123456789", INTEGER);
for (const state of [ZERO, INTEGER]) allow(state, ".", DOT);
for (const state of [DOT, FRACTION]) allow(state, "0123456789", FRACTION);
for (const state of [ZERO, INTEGER, FRACTION]) allow(state, "eE", EXPONENT_MARK);
allow(EXPONENT_MARK, "+-", EXPONENT_SIGN);
for (const state of [EXPONENT_MARK, EXPONENT_SIGN, EXPONENT]) allow(state, "0123456789", EXPONENT);

/** True when the digits so far are a complete number. */
export function isNumberState(state: number): boolean {
  return state === ZERO || state === INTEGER || state === FRACTION || state === EXPONENT;
}

/**
 * The first index in `[from, end)` of a quote, a backslash or a control byte; `end` when there is none. Two
 * bytes per step.
 */
export function plainEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  for (; at + 1 < end; at += 2) {
    if (STOPS[bytes[at] as number] !== 0) return at;
    if (STOPS[bytes[at + 1] as number] !== 0) return at + 1;
  }
  return at < end && STOPS[bytes[at] as number] === 0 ? at + 1 : at;
}

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** A view for `plainEndByWords`, created once per chunk with a long string. */
export function wordsOf(bytes: Uint8Array): Int32Array {
  return new Int32Array(bytes.buffer, 0, bytes.buffer.byteLength >>> 2);
}

/**
 * Like `plainEnd`, with four bytes per step: three times faster on prose. `words` is `wordsOf(bytes)`.
 *
 * Per byte x below 0x80: `x ^ 2 < 0x21` is true exactly for control bytes and the quote, `x ^ 0x5c < 1`
 * exactly for the backslash; a subtraction that borrows sets the byte's top bit. A borrow only affects bytes
 * above a real match, so the lowest marked byte is always correct. Bytes before `from` are replaced by 0xff,
 * which never matches.
 */
function plainEndByWords(bytes: Uint8Array, words: Int32Array, from: number, end: number): number {
  const base = bytes.byteOffset;
  let index = (base + from) >>> 2;
  const indexEnd = (base + end) >>> 2;
  if (index >= indexEnd || !isLittleEndian) return plainEnd(bytes, from, end);
  let word = (words[index] as number) | ~(-1 << (((base + from) & 3) << 3));
  for (;;) {
    const marks = ((word ^ 0x02020202) - 0x21212121) | ((word ^ 0x5c5c5c5c) - 0x01010101);
    const hits = marks & ~word & 0x80808080;
    if (hits !== 0) return (index << 2) - base + ((31 - Math.clz32(hits & -hits)) >>> 3);
    if (++index === indexEnd) return plainEnd(bytes, (index << 2) - base, end);
    word = words[index] as number;
  }
}

/**
 * Skips a string's text and its complete escapes. Returns the index of what the caller must decide: the
 * closing quote, an invalid byte, or the backslash of an escape that is invalid, truncated or may be a
 * letter; `end` when everything was text.
 */
export function textStop(bytes: Uint8Array, words: Int32Array, from: number, end: number): number {
  let at = from;
  for (;;) {
    at = plainEndByWords(bytes, words, at, end);
    // Escapes come in runs (`\u` for every character of a script), so the next byte is tested before the next
    // word.
    while (at + 1 < end && bytes[at] === BACKSLASH) {
      const rule = ESCAPES[bytes[at + 1] as number] as number;
      if (rule === 1) at += 2;
      else if (rule !== 2 || at + 6 > end || !isHex4(bytes, at + 2)) return at;
      else if (bytes[at + 2] === 0x30 && isNearLetter(bytes, at + 2)) return at;
      else at += 6;
    }
    if (at >= end || STOPS[bytes[at] as number] !== 0) return at;
  }
}

function isHex4(bytes: Uint8Array, at: number): boolean {
  const first = (IS_HEX[bytes[at] as number] as number) & (IS_HEX[bytes[at + 1] as number] as number);
  const last = (IS_HEX[bytes[at + 2] as number] as number) & (IS_HEX[bytes[at + 3] as number] as number);
  return (first & last) === 1;
}

/** True when the hex digits at `at`, of which the first is 0, begin with 004 to 007, as for ASCII letters. */
function isNearLetter(bytes: Uint8Array, at: number): boolean {
  if (bytes[at + 1] !== 0x30) return false;
  const digit = bytes[at + 2] as number;
  return digit >= 0x34 && digit <= 0x37;
}
