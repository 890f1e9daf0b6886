/**
 * Which stretches of a long period are read for percentiles. The period is cut into strata, each stratum into
 * as many cells as one request in so many is to be read, and one cell of each stratum is read whole: every
 * request is in exactly one cell, so that busy and quiet times count as much as they are. The choice is the
 * same for the same question. Pure.
 */

/** Unix milliseconds, `toMs` exclusive. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A cell that is read. `part`: which tenth of the sample it belongs to, for the error of what is read. */
export interface Cell extends Stretch {
  readonly part: number;
}

/** Parts of a sample. The spread of their percentiles tells how far off those of the whole sample may be. */
export const sampleParts = 10;

/** Most cells, each a query of its own; and the length below which cells would read more than they keep. */
const strataMax = 100;
const cellMsMin = 60_000;

/** The share of the golden ratio: multiples of it spread the chosen cells over the strata evenly. */
const golden = 0.618_033_988_749_895;

/** The cells to read of a period so that about one request in `oneIn` is read. */
export function sampleOf({ fromMs, toMs }: Stretch, oneIn: number): Cell[] {
  const lengthMs = toMs - fromMs;
  const strata = Math.min(strataMax, Math.max(sampleParts, Math.floor(lengthMs / (oneIn * cellMsMin))));
  const edge = (cell: number): number => fromMs + Math.floor((cell * lengthMs) / (strata * oneIn));
  return Array.from({ length: strata }, (_, stratum) => {
    const chosen = stratum * oneIn + Math.floor((((stratum + 1) * golden) % 1) * oneIn);
    return { fromMs: edge(chosen), toMs: edge(chosen + 1), part: stratum % sampleParts };
  });
}
