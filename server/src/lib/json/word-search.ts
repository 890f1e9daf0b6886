/**
 * Finds which kinds of words occur in bytes, ignoring case, in one pass that skips most bytes. Does not know
 * what the words mean.
 */

/** Words prepared for the search (Horspool's algorithm for several words). */
export interface Words {
  /** In lower case, each with the bits of its kinds. */
  readonly patterns: readonly { readonly bytes: Uint8Array; readonly kinds: number }[];
  /** Length of the shortest word, which is the size of the sliding window. */
  readonly window: number;
  /** By the window's last byte: how far it may move; 0 when a word may end here. */
  readonly shifts: Uint8Array;
  /** By the last two bytes in lower case: 1 when some word ends with them. */
  readonly ends: Uint8Array;
  /** The bits of all kinds. */
  readonly all: number;
}

/** Every byte in ASCII lower case. */
const small = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte,
);

/** Prepares words of 3 to 200 lower-case ASCII characters, each with the bits of its kinds. */
export function compileWords(words: readonly (readonly [word: string, kinds: number])[]): Words {
  const patterns = words.map(([word, kinds]) => ({ bytes: Buffer.from(word, "latin1"), kinds }));
  const window = Math.min(...patterns.map(({ bytes }) => bytes.length));
  if (window < 3 || patterns.some(({ bytes }) => bytes.length > 200)) {
    throw new RangeError("words of 3 to 200 characters");
  }
  const shifts = new Uint8Array(256).fill(window);
  const ends = new Uint8Array(65_536);
  for (const { bytes } of patterns) {
    ends[((bytes[window - 2] as number) << 8) | (bytes[window - 1] as number)] = 1;
    for (let at = 0; at < window; at += 1) {
      const byte = bytes[at] as number;
      shifts[byte] = Math.min(shifts[byte] as number, window - 1 - at);
    }
  }
  for (let byte = 0x41; byte <= 0x5a; byte += 1) shifts[byte] = shifts[byte + 32] as number;
  return { patterns, window, shifts, ends, all: patterns.reduce((bits, { kinds }) => bits | kinds, 0) };
}

/** The bits of the kinds that occur. */
export function findWords({ patterns, window, shifts, ends, all }: Words, bytes: Uint8Array): number {
  const { length } = bytes;
  let found = 0;
  let last = window - 1;
  while (last < length) {
    const byte = bytes[last] as number;
    const shift = shifts[byte] as number;
    if (shift !== 0) {
      last += shift;
      continue;
    }
    const before = small[bytes[last - 1] as number] as number;
    if (ends[(before << 8) | (small[byte] as number)] === 1) {
      for (let p = 0; p < patterns.length; p += 1) {
        const pattern = patterns[p] as Words["patterns"][number];
        if (isAt(pattern.bytes, bytes, last - window + 1)) found |= pattern.kinds;
      }
      if (found === all) return found;
    }
    last += 1;
  }
  return found;
}

function isAt(pattern: Uint8Array, bytes: Uint8Array, start: number): boolean {
  if (start + pattern.length > bytes.length) return false;
  for (let i = 0; i < pattern.length; i += 1) {
    if (small[bytes[start + i] as number] !== pattern[i]) return false;
  }
  return true;
}
