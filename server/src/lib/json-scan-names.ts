/** The wanted key names of a scan, prepared once so that a key is looked up by its bytes alone. It must not know where keys stand. */

export interface Wanted {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** A bit of its own in a mask of names. */
  readonly bit: number;
}

export interface Names {
  /** Index: length in bytes, from 0 to `lengthMax`. */
  readonly byLength: readonly (readonly Wanted[])[];
  readonly lengthMax: number;
}

/** At most 31 names, each once: they share a bit mask. */
export function compileNames(names: readonly string[]): Names {
  if (names.length > 31) throw new RangeError("at most 31 wanted names");
  if (new Set(names).size !== names.length) throw new RangeError("a wanted name is given twice");
  const byLength: Wanted[][] = [[]];
  names.forEach((name, index) => {
    const bytes = Buffer.from(name, "utf8");
    while (byLength.length <= bytes.length) byLength.push([]);
    byLength[bytes.length]?.push({ name, bytes, bit: 1 << index });
  });
  return { byLength, lengthMax: byLength.length - 1 };
}

/** The wanted name that is spelled by `length` bytes from `from` on. */
export function findName(names: Names, bytes: Uint8Array, from: number, length: number): Wanted | undefined {
  if (length > names.lengthMax) return undefined;
  const candidates = names.byLength[length] as readonly Wanted[];
  for (let c = 0; c < candidates.length; c++) {
    const wanted = candidates[c] as Wanted;
    let i = 0;
    while (i < length && bytes[from + i] === wanted.bytes[i]) i++;
    if (i === length) return wanted;
  }
  return undefined;
}
