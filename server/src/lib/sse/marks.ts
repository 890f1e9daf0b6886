/**
 * Finds key names in the bytes of JSON without parsing it, looking at few of the bytes. The result is a hint:
 * the caller parses what it reports.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const LETTER_N = 0x6e;

const HASH_SIZE = 4096;
const hash = (first: number, second: number): number => (first ^ (second << 5)) & (HASH_SIZE - 1);

/** Names prepared for the search (the Wu-Manber algorithm on pairs of bytes). */
export interface Marks {
  /** Each name including its quotes. */
  readonly patterns: readonly Uint8Array[];
  /** Length of the shortest pattern, which is the size of the sliding window. */
  readonly window: number;
  /** By the window's last two bytes: how far it may move; 0 when a pattern may end here. */
  readonly shifts: Uint8Array;
}

/** Prepares at most 24 names of 1 to 200 bytes each. */
export function compileMarks(names: readonly string[]): Marks {
  const patterns = names.map((name) => Buffer.from(`"${name}"`, "utf8"));
  const window = Math.min(...patterns.map((pattern) => pattern.length), 202);
  if (names.length > 24 || window < 3 || patterns.some((pattern) => pattern.length > 202)) {
    throw new RangeError("at most 24 marks of 1 to 200 bytes");
  }
  const shifts = new Uint8Array(HASH_SIZE).fill(window - 1);
  for (const pattern of patterns) {
    for (let i = 1; i < window; i++) {
      const key = hash(pattern[i - 1] as number, pattern[i] as number);
      shifts[key] = Math.min(shifts[key] as number, window - 1 - i);
    }
  }
  return { patterns, window, shifts };
}

/**
 * Bit i of the result is set when the i-th name is in `[from, end)` as a JSON key with a value that does not
 * begin with `n` (is not null) and is not an empty string. Names with escapes, or with an escaped opening
 * quote, are not found.
 */
export function findMarks(marks: Marks, bytes: Uint8Array, from: number, end: number): number {
  const { patterns, shifts } = marks;
  let found = 0;
  let last = from + marks.window - 1;
  while (last < end) {
    const shift = shifts[hash(bytes[last - 1] as number, bytes[last] as number)] as number;
    if (shift !== 0) {
      last += shift;
      continue;
    }
    const start = last - marks.window + 1;
    if (bytes[start] === QUOTE && (start === from || bytes[start - 1] !== BACKSLASH)) {
      for (let p = 0; p < patterns.length; p++) {
        if (isKeyAt(patterns[p] as Uint8Array, bytes, start, end)) found |= 1 << p;
      }
    }
    last++;
  }
  return found;
}

function isKeyAt(pattern: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const length = pattern.length;
  if (start + length >= end) return false;
  for (let i = 1; i < length; i++) if (bytes[start + i] !== pattern[i]) return false;
  let at = skipSpace(bytes, start + length, end);
  if (at >= end || bytes[at] !== COLON) return false;
  at = skipSpace(bytes, at + 1, end);
  if (at >= end || bytes[at] === LETTER_N) return false;
  return bytes[at] !== QUOTE || bytes[at + 1] !== QUOTE || at + 1 >= end;
}

function skipSpace(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) break;
    at++;
  }
  return at;
}
