/**
 * The inside of JSON strings and numbers, byte by byte, for `scan.ts`: tables and the loop for short strings.
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
for (const digit of "0123456789abcdefABCDEF") {
  HEX[digit.charCodeAt(0)] = Number.parseInt(digit, 16) + 1;
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
