/**
 * Counters, gauges and histograms of one process. A series is looked up once and kept by the caller; counting
 * is then only an addition, without text or allocation. Knows no metric by name; the text is built on
 * request.
 *
 * The number of values per label is limited. Further values are counted under `other`, so that input from
 * outside cannot create unlimited series.
 */
import {
  type FamilyText,
  formatNumber,
  headText,
  joinLabels,
  labelText,
  metricsType,
  sampleText,
} from "./metrics-text.ts";

export { type FamilyText, metricsType };

/** The value for label values beyond the limit. */
export const otherValue = "other";

/** Most distinct values of a label whose rule sets no limit. */
const valuesMaxUsual = 64;

/** Longest value of a label, in characters. */
const valueLengthMax = 200;

export interface LabelRule {
  readonly name: string;
  /** Most distinct values, not counting `other`. */
  readonly valuesMax?: number;
}

/** Options of a family. Its name contains the unit: `_seconds`, `_bytes`, and `_total` for counters. */
export interface FamilyOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly LabelRule[];
}

export class Counter {
  value = 0;
  add(amount = 1): void {
    this.value += amount;
  }
}

/** For integers that must be exact, such as money in its smallest unit. */
export class ExactCounter {
  value = 0n;
  add(amount: bigint): void {
    if (amount !== 0n) this.value += amount;
  }
}

export class Histogram {
  readonly bounds: readonly number[];
  /** One count per bucket, and one for larger values. */
  readonly counts: Float64Array;
  sum = 0;

  /** `bounds`: ascending; each is the highest value of its bucket. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  /** NaN is not counted, because it would make the sum NaN for ever. */
  observe(value: number): void {
    if (Number.isNaN(value)) return;
    const { bounds, counts } = this;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index += 1;
    counts[index] = (counts[index] as number) + 1;
    this.sum += value;
  }
}

/** The series of one name. */
export interface Family<S> {
  /**
   * The series for these label values, in the order of the labels; created when new. Keep the result: the
   * look-up is slow.
   */
  with(...values: string[]): S;
}

/** Sets a gauge's series while it is read. */
export type SetGauge = (value: number | string, ...values: string[]) => void;

/** A series and the values of its labels, in their order. */
export interface ListedSeries<S> {
  readonly values: readonly string[];
  readonly series: S;
}

/** The kinds of series that are counted into. */
export type CountedSeries = Counter | ExactCounter | Histogram;

export interface Registry {
  counter(options: FamilyOptions): Family<Counter>;
  /** A counter of bigints; `format` returns the decimal number. */
  exactCounter(options: FamilyOptions & { format: (value: bigint) => string }): Family<ExactCounter>;
  histogram(options: FamilyOptions & { bounds: readonly number[] }): Family<Histogram>;
  /** A gauge whose values are read at every scrape. */
  gauge(options: FamilyOptions & { read: (set: SetGauge) => void }): void;
  /** A counter kept elsewhere, read at every scrape. */
  readCounter(options: FamilyOptions & { read: (set: SetGauge) => void }): void;
  /** All families as text. `constant`: labels of all series, from `labelText`. */
  families(constant: string): FamilyText[];
  /** The series of a counted family now; empty for an unknown name. */
  series(name: string): readonly ListedSeries<CountedSeries>[];
}

/** Limits the number of values of each label. */
function createBound(rules: readonly LabelRule[]): (values: readonly string[]) => string[] {
  const seen = rules.map(() => new Set<string>());
  return (values) =>
    rules.map(({ valuesMax }, index) => {
      const value = (values[index] ?? "").slice(0, valueLengthMax);
      const known = seen[index] as Set<string>;
      if (known.has(value) || value === otherValue) return value;
      if (known.size >= (valuesMax ?? valuesMaxUsual)) return otherValue;
      known.add(value);
      return value;
    });
}

function createFamily<S>(
  labels: readonly LabelRule[],
  create: () => S,
): Family<S> & { series: Map<string, S>; listed: ListedSeries<S>[] } {
  const bound = createBound(labels);
  const names = labels.map(({ name }) => name);
  /** By label text, which is unique because values are escaped. */
  const series = new Map<string, S>();
  const listed: ListedSeries<S>[] = [];
  return {
    series,
    listed,
    with(...values) {
      const bounded = bound(values);
      const key = labelText(names, bounded);
      let found = series.get(key);
      if (found === undefined) {
        found = create();
        series.set(key, found);
        listed.push({ values: bounded, series: found });
      }
      return found;
    },
  };
}

function histogramText(name: string, labels: string, { bounds, counts, sum }: Histogram): string {
  const lead = `${name}_bucket{${labels === "" ? "" : `${labels},`}le="`;
  let text = "";
  let count = 0;
  for (let index = 0; index < bounds.length; index += 1) {
    count += counts[index] as number;
    text += `${lead}${bounds[index]}"} ${count}\n`;
  }
  count += counts[bounds.length] as number;
  return `${text}${lead}+Inf"} ${count}\n${sampleText(`${name}_sum`, labels, formatNumber(sum))}${sampleText(`${name}_count`, labels, String(count))}`;
}

export function createRegistry(): Registry {
  const families: { name: string; head: string; text: (constant: string) => string }[] = [];
  const counted = new Map<string, readonly ListedSeries<CountedSeries>[]>();

  function add(
    { name, help }: FamilyOptions,
    type: "counter" | "gauge" | "histogram",
    text: (constant: string) => string,
  ): void {
    if (families.some((family) => family.name === name)) throw new Error(`metric ${name} is there already`);
    families.push({ name, head: headText(name, help, type), text });
  }

  function addSeries<S extends CountedSeries>(
    options: FamilyOptions,
    type: "counter" | "histogram",
    create: () => S,
    text: (name: string, labels: string, series: S) => string,
  ): Family<S> {
    const family = createFamily(options.labels ?? [], create);
    counted.set(options.name, family.listed);
    add(options, type, (constant) => {
      let body = "";
      for (const [labels, one] of family.series)
        body += text(options.name, joinLabels(labels, constant), one);
      return body;
    });
    return family;
  }

  function addRead(
    options: FamilyOptions & { read: (set: SetGauge) => void },
    type: "counter" | "gauge",
  ): void {
    const labels = options.labels ?? [];
    const names = labels.map(({ name }) => name);
    const { read } = options;
    add(options, type, (constant) => {
      // New at every scrape: limited within one scrape, and removed values disappear.
      const bound = createBound(labels);
      const lines = new Map<string, string>();
      read((value, ...values) => {
        const key = joinLabels(labelText(names, bound(values)), constant);
        lines.set(key, typeof value === "string" ? value : formatNumber(value));
      });
      let body = "";
      for (const [key, value] of lines) body += sampleText(options.name, key, value);
      return body;
    });
  }

  return {
    counter: (options) =>
      addSeries(
        options,
        "counter",
        () => new Counter(),
        (name, labels, { value }) => sampleText(name, labels, formatNumber(value)),
      ),
    exactCounter: (options) =>
      addSeries(
        options,
        "counter",
        () => new ExactCounter(),
        (name, labels, { value }) => sampleText(name, labels, options.format(value)),
      ),
    histogram: (options) =>
      addSeries(options, "histogram", () => new Histogram(options.bounds), histogramText),
    gauge: (options) => addRead(options, "gauge"),
    readCounter: (options) => addRead(options, "counter"),
    families: (constant) => families.map(({ name, head, text }) => ({ name, head, body: text(constant) })),
    series: (name) => counted.get(name) ?? [],
  };
}
