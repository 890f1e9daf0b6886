/** Figures: measured results of a rig compared with their targets, and how they are printed. */

/** One measured promise. */
export interface Figure {
  /** `P09` and so on, as in `docs/promises.md`. */
  readonly promise: string;
  readonly name: string;
  /** The measured value, with unit and count, as text. */
  readonly reached: string;
  readonly wanted: string;
  readonly ok: boolean;
  /** Timing figures depend on the machine: the command asserts them, the test run only prints them. */
  readonly kind: "correct" | "timing";
  /** The first misses, most informative first; at most 10. */
  readonly misses?: readonly string[] | undefined;
}

export type DatabaseKind = "sqlite" | "postgres";

export interface RigOptions {
  readonly size: "short" | "long";
  readonly seed: number;
  /** Used by the money rigs only; default SQLite. */
  readonly database?: DatabaseKind | undefined;
  /** Duration of P30's long form; default 60. */
  readonly minutes?: number | undefined;
}

export type Rig = (options: RigOptions) => Promise<Figure[]>;

/** Nearest-rank percentile of the samples; NaN without samples. */
export function percentile(samples: readonly number[], percent: number): number {
  if (samples.length === 0) return Number.NaN;
  const sorted = [...samples].sort((left, right) => left - right);
  const rank = Math.min(sorted.length, Math.max(1, Math.ceil((percent / 100) * sorted.length)));
  return sorted[rank - 1] ?? Number.NaN;
}

export function showMs(milliseconds: number): string {
  return `${milliseconds.toFixed(milliseconds < 10 ? 2 : 1)} ms`;
}

export function showMegabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

/** A figure of the form "n of n cases", with its misses. */
export function countFigure(promise: string, name: string, cases: number, misses: readonly string[]): Figure {
  const good = cases - misses.length;
  const share = cases === 0 ? 0 : Math.floor((good / cases) * 10_000) / 100;
  return {
    promise,
    name,
    reached: `${share} % of ${cases}`,
    wanted: "100 %",
    ok: cases > 0 && misses.length === 0,
    kind: "correct",
    misses: misses.slice(0, 10),
  };
}

/** A figure of the form "no hit in n places", with the hits. With 0 places it counts as missed. */
export function zeroFigure(promise: string, name: string, places: number, hits: readonly string[]): Figure {
  return {
    promise,
    name,
    reached: `${hits.length} hits in ${places}`,
    wanted: "0 hits",
    ok: places > 0 && hits.length === 0,
    kind: "correct",
    misses: [...new Set(hits)].slice(0, 10),
  };
}

/** A figure with an upper bound in milliseconds. */
export function boundFigure(promise: string, name: string, reachedMs: number, wantedMs: number): Figure {
  return {
    promise,
    name,
    reached: showMs(reachedMs),
    wanted: `≤ ${wantedMs} ms`,
    ok: reachedMs <= wantedMs,
    kind: "timing",
  };
}

/** One printed line per figure, misses indented below it. */
export function printFigure(figure: Figure, seed: number): string {
  const mark = figure.ok ? "ok  " : "MISS";
  const head = `${mark} ${figure.promise} ${figure.name}: ${figure.reached} (wanted ${figure.wanted}; seed ${seed})`;
  return [head, ...(figure.misses ?? []).map((miss) => `       - ${miss}`)].join("\n");
}
