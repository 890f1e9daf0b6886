/**
 * Which models match the filters, and how many would remain with each further value. Values of one facet are
 * alternatives; different facets must all match. What is not known never matches. Knows no React.
 */
import { statusNamed } from "@plaza/contract/catalog.ts";
import { nanosOf } from "../../../format/money.ts";
import { makerOf } from "../makers/makers.ts";
import type { PlazaModel } from "../models.ts";
import { type FacetName, type FlagName, facetNames, flagNames, type PlazaState } from "./state.ts";

/** The value for an unknown maker or family. */
export const unknownValue = "?";

/** Bounds of the ranges of the input price, in dollars per million tokens; each up to and with it. */
export const priceBounds = ["0", "0.5", "2", "10"] as const;
/** The range above the last bound. */
export const priceAbove = "more";

/** Least context windows to choose from, in tokens. */
export const contextBounds = ["8000", "32000", "128000", "200000", "1000000"] as const;

const nanoBounds = priceBounds.map((bound) => ({ bound, nanos: nanosOf(bound) ?? 0n }));

function priceRange({ price }: PlazaModel): readonly string[] {
  const nanos = price === null ? undefined : nanosOf(price.input);
  if (nanos === undefined) return [];
  return [nanoBounds.find((one) => nanos <= one.nanos)?.bound ?? priceAbove];
}

const valuesOf: Readonly<Record<FacetName, (model: PlazaModel) => readonly string[]>> = {
  maker: (model) => [makerOf(model)?.name ?? unknownValue],
  operation: ({ operations }) => operations,
  family: ({ family }) => [family ?? unknownValue],
  in: ({ modalities }) => modalities?.input ?? [],
  out: ({ modalities }) => modalities?.output ?? [],
  can: ({ capabilities }) => capabilities ?? [],
  price: priceRange,
  status: ({ status }) => [status],
};

type Values = Readonly<Record<FacetName, readonly string[]>>;

const known = new WeakMap<PlazaModel, Values>();

/** Each value once. Kept for as long as the model is the same object: it is counted with every filter. */
function facetsOf(model: PlazaModel): Values {
  let values = known.get(model);
  if (values === undefined) {
    const pairs = facetNames.map((name) => [name, [...new Set(valuesOf[name](model))]]);
    values = Object.fromEntries(pairs) as Values;
    known.set(model, values);
  }
  return values;
}

const flags: Readonly<Record<FlagName, (model: PlazaModel, nowMs: number) => boolean>> = {
  available: ({ status }) => status === "available" || status === "degraded",
  current: ({ deprecatedAt }, nowMs) => deprecatedAt === null || Date.parse(deprecatedAt) > nowMs,
  measured: ({ health }) => health !== null && health.requests > 0,
};

/** True when a rate is at most this. A model without a price has no rate. */
function isWithin(rate: string | undefined, most: bigint): boolean {
  const nanos = rate === undefined ? undefined : nanosOf(rate);
  return nanos !== undefined && nanos <= most;
}

interface Test {
  readonly name: string;
  readonly isMet: (model: PlazaModel) => boolean;
}

/** A URL of an earlier version may have a status by its former name. */
function chosenOf(state: PlazaState, name: FacetName): readonly string[] {
  return name === "status" ? state.status.map(statusNamed) : state[name];
}

function facetTest(state: PlazaState, name: FacetName): Test {
  const chosen = chosenOf(state, name);
  const isMet = state.every.includes(name)
    ? (model: PlazaModel) => chosen.every((one) => facetsOf(model)[name].includes(one))
    : (model: PlazaModel) => facetsOf(model)[name].some((one) => chosen.includes(one));
  return { name, isMet };
}

/** Only of filters that are set. A ceiling that cannot be read is none. */
function testsOf(state: PlazaState, nowMs: number): readonly Test[] {
  const context = Number(state.context);
  const [maxIn, maxOut] = [nanosOf(state.maxin), nanosOf(state.maxout)];
  const tests: Test[] = [
    ...facetNames.filter((name) => state[name].length > 0).map((name) => facetTest(state, name)),
    ...flagNames
      .filter((name) => state[name] === "1")
      .map((name) => ({ name, isMet: (model: PlazaModel) => flags[name](model, nowMs) })),
  ];
  if (context > 0)
    tests.push({ name: "context", isMet: (model) => model.context !== null && model.context >= context });
  if (maxIn !== undefined) tests.push({ name: "maxin", isMet: ({ price }) => isWithin(price?.input, maxIn) });
  if (maxOut !== undefined)
    tests.push({ name: "maxout", isMet: ({ price }) => isWithin(price?.output, maxOut) });
  return tests;
}

/** A value of a facet. */
export interface FacetValue {
  readonly value: string;
  /** Models that would be shown with it. */
  readonly count: number;
  /** Models that have it at all: the order in which values are offered. */
  readonly all: number;
}

/** What the rail shows. */
export interface Facets {
  readonly values: Readonly<Record<FacetName, readonly FacetValue[]>>;
  /** By bound: models that would be shown with at least this context. */
  readonly context: Readonly<Record<string, number>>;
  readonly flags: Readonly<Record<FlagName, number>>;
}

/** What matches, in the order given, and the counts. */
export interface Matches {
  readonly found: readonly PlazaModel[];
  readonly facets: Facets;
}

/** Looks at every model once; `isSearched` says what the search found. */
export function matchModels(
  models: readonly PlazaModel[],
  state: PlazaState,
  isSearched: (at: number) => boolean,
  nowMs = Date.now(),
): Matches {
  const tests = testsOf(state, nowMs);
  const bitOf = new Map(tests.map(({ name }, at) => [name, 1 << at]));
  const found: PlazaModel[] = [];
  const counts = facetNames.map((name) => ({
    name,
    all: new Map<string, number>(),
    shown: new Map<string, number>(),
  }));
  const context = Object.fromEntries(contextBounds.map((bound) => [bound, 0]));
  const flagCounts = Object.fromEntries(flagNames.map((name) => [name, 0])) as Record<FlagName, number>;
  for (const [at, model] of models.entries()) {
    let failed = 0;
    for (const [bit, { isMet }] of tests.entries()) if (!isMet(model)) failed |= 1 << bit;
    const isSeen = isSearched(at);
    if (isSeen && failed === 0) found.push(model);
    // With one more value, a facet of alternatives shows what only it hides now.
    const isAlone = (name: string) => isSeen && (failed & ~(bitOf.get(name) ?? 0)) === 0;
    const values = facetsOf(model);
    for (const { name, all, shown } of counts) {
      const isShown = state.every.includes(name) ? isSeen && failed === 0 : isAlone(name);
      for (const value of values[name]) {
        all.set(value, (all.get(value) ?? 0) + 1);
        if (isShown) shown.set(value, (shown.get(value) ?? 0) + 1);
      }
    }
    if (model.context !== null && isAlone("context"))
      for (const bound of contextBounds)
        if (model.context >= Number(bound)) context[bound] = (context[bound] ?? 0) + 1;
    for (const name of flagNames) if (isAlone(name) && flags[name](model, nowMs)) flagCounts[name] += 1;
  }
  return { found, facets: { values: valuesFrom(counts, state), context, flags: flagCounts } };
}

/** Ranges of prices are offered from the lowest; other values by how many models have them. */
function rangeOrder(name: FacetName, value: string): number {
  if (name !== "price") return 0;
  const at = (priceBounds as readonly string[]).indexOf(value);
  return at < 0 ? priceBounds.length : at;
}

function valuesFrom(
  counts: readonly {
    readonly name: FacetName;
    readonly all: Map<string, number>;
    readonly shown: Map<string, number>;
  }[],
  state: PlazaState,
): Facets["values"] {
  return Object.fromEntries(
    counts.map(({ name, all, shown }) => {
      // What a link names is offered, too, so that it can be unchecked.
      for (const value of chosenOf(state, name)) if (!all.has(value)) all.set(value, 0);
      const values = [...all].map(([value, count]) => ({ value, count: shown.get(value) ?? 0, all: count }));
      return [
        name,
        values.sort(
          (left, right) =>
            rangeOrder(name, left.value) - rangeOrder(name, right.value) ||
            Number(left.value === unknownValue) - Number(right.value === unknownValue) ||
            right.all - left.all ||
            left.value.localeCompare(right.value),
        ),
      ];
    }),
  ) as unknown as Facets["values"];
}
