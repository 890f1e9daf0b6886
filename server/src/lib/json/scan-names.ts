/**
 * The wanted key names of a scan, prepared so that a key is looked up by its bytes. Does not know where keys
 * are.
 */

interface Wanted {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The same in ASCII lower case. */
  readonly small: Uint8Array;
}

export interface Names {
  /** Index: length in bytes, from 0 to `lengthMax`. */
  readonly byLength: readonly (readonly Wanted[])[];
  readonly lengthMax: number;
  /** Most bytes of a key that can spell a name, with every character as an escape. */
  readonly foldedMax: number;
  readonly byFolded: ReadonlyMap<string, string>;
}

const BACKSLASH = 0x5c;
const ESCAPE_BYTES = 6;

/** Every byte in ASCII lower case. */
const SMALL = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte,
);

/** The text with case folded: equal for texts that a case-insensitive reader considers equal. */
export const foldCase = (text: string): string => text.toUpperCase().toLowerCase();

function smallOf(name: string, bytes: Uint8Array): Uint8Array {
  return /[A-Z]/.test(name) ? Uint8Array.from(bytes, (byte) => SMALL[byte] as number) : bytes;
}

/** Compiles the names; each must occur once. */
export function compileNames(names: readonly string[]): Names {
  if (new Set(names).size !== names.length) throw new RangeError("a wanted name is given twice");
  const byLength: Wanted[][] = [[]];
  for (const name of names) {
    const bytes = Buffer.from(name, "utf8");
    while (byLength.length <= bytes.length) byLength.push([]);
    byLength[bytes.length]?.push({ name, bytes, small: smallOf(name, bytes) });
  }
  const lengthMax = byLength.length - 1;
  const byFolded = new Map(names.map((name) => [foldCase(name), name]));
  return { byLength, lengthMax, foldedMax: lengthMax * ESCAPE_BYTES, byFolded };
}

/** The wanted name equal to `length` bytes from `from` on. */
export function findName(names: Names, bytes: Uint8Array, from: number, length: number): string | undefined {
  if (length > names.lengthMax) return undefined;
  const candidates = names.byLength[length] as readonly Wanted[];
  for (let c = 0; c < candidates.length; c++) {
    const wanted = candidates[c] as Wanted;
    let i = 0;
    while (i < length && bytes[from + i] === wanted.bytes[i]) i++;
    if (i === length) return wanted.name;
  }
  return undefined;
}

/** For other bytes: the name they spell after decoding escapes and folding case. */
export function findFolded(
  names: Names,
  bytes: Uint8Array,
  from: number,
  length: number,
): string | undefined {
  if (length > names.foldedMax) return undefined;
  for (let i = 0; i < length; i++) {
    const byte = bytes[from + i] as number;
    if (byte < 0x80 && byte !== BACKSLASH) continue;
    const text = Buffer.from(bytes.subarray(from, from + length)).toString("utf8");
    return names.byFolded.get(foldCase(JSON.parse(`"${text}"`) as string));
  }
  return findSmall(names, bytes, from, length);
}

/** The name spelled without escapes, in any ASCII case. */
export function findSmall(names: Names, bytes: Uint8Array, from: number, length: number): string | undefined {
  if (length > names.lengthMax) return undefined;
  const candidates = names.byLength[length] as readonly Wanted[];
  for (let c = 0; c < candidates.length; c++) {
    const { name, small } = candidates[c] as Wanted;
    let i = 0;
    while (i < length && SMALL[bytes[from + i] as number] === small[i]) i++;
    if (i === length) return name;
  }
  return undefined;
}
