/** Seeded random numbers: the same seed gives the same run. */

/** A seeded source; every draw advances it. */
export interface Random {
  readonly seed: number;
  /** A number in [0, 1). */
  next(): number;
  /** An integer in [least, most]. */
  int(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  /** True with the given probability. */
  chance(probability: number): boolean;
  shuffle<T>(items: readonly T[]): T[];
  /** An independent source for one case, so that cases may run in any order. */
  fork(label: string): Random;
}

/** The seed of this run: the argument, else `SEED`, else the current time. */
export function chooseSeed(given?: number | undefined): number {
  const fromEnvironment = process.env["SEED"];
  if (given !== undefined) return given >>> 0;
  if (fromEnvironment !== undefined && fromEnvironment !== "") return Number(fromEnvironment) >>> 0;
  return Date.now() >>> 0;
}

/** A mulberry32 generator. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    seed,
    next,
    int,
    pick<T>(items: readonly T[]): T {
      const item = items[int(0, items.length - 1)];
      if (item === undefined) throw new RangeError("pick from an empty list");
      return item;
    },
    chance: (probability) => next() < probability,
    shuffle<T>(items: readonly T[]): T[] {
      const copy = [...items];
      for (let index = copy.length - 1; index > 0; index--) {
        const other = int(0, index);
        [copy[index], copy[other]] = [copy[other] as T, copy[index] as T];
      }
      return copy;
    },
    fork: (label) => seededRandom(mix(seed, label)),
  };
}

/** Hashes the label with FNV-1a into the seed. */
function mix(seed: number, label: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const character of label) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash >>> 0;
}
