/**
 * Finds key names in the bytes of a JSON text without parsing it, by looking at every few bytes only. It must
 * not know where the bytes come from. A hint, not a verdict: what it reports is parsed by the caller.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const LETTER_N = 0x6e;

const HASH_SIZE = 4096;
const hash = (first: number, second: number): number => (first ^ (second << 5)) & (HASH_SIZE - 1);

/** Names prepared for the search (the Wu-Manber method, on pairs of bytes). */
export interface Marks {
  /** Each name with its quotes. */
  readonly patterns: readonly Uint8Array[];
  /** Length of the shortest pattern: the window that slides over the text. */
  readonly window: number;
  /**
   * By the last pair of bytes in the window: how far it may move on; 0
   * when a pattern may end its window here.
   */
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
 * Bit i of the answer: somewhere in `[from, end)` stands the i-th name as a JSON key with a value that does
 * not begin with `n` (is not null) and is no empty text. A name whose opening quote is escaped, or that is
 * spelled with escapes, does not count.
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
