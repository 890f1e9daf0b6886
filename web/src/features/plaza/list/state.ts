/** What the list of models shows, all of it in the URL. Knows no model. */
import type { Filters } from "../../../ui/filter-bar.tsx";

/** The facets of which several values may be chosen. */
export const facetNames = ["maker", "operation", "in", "out", "can", "price", "status", "family"] as const;
export type FacetName = (typeof facetNames)[number];

/** Facets of which a model has several values, so that all of the chosen ones may be asked for. */
export const manyValued: readonly FacetName[] = ["operation", "in", "out", "can"];

/** Switches: "1" is on. */
export const flagNames = ["available", "current", "measured"] as const;
export type FlagName = (typeof flagNames)[number];

/** State of the list. */
export const plazaDefaults = {
  q: "",
  maker: [] as string[],
  operation: [] as string[],
  /** Only in links of earlier versions; a facet while it is set. */
  family: [] as string[],
  in: [] as string[],
  out: [] as string[],
  can: [] as string[],
  price: [] as string[],
  /** Facets of which a model must have every chosen value, instead of any. */
  every: [] as string[],
  /** Tokens, at least. */
  context: "",
  /** Dollars per million tokens, at most. */
  maxin: "",
  maxout: "",
  status: [] as string[],
  available: "",
  current: "",
  measured: "",
  sort: "",
  view: "",
  /** Axes of the chart. */
  x: "",
  y: "",
  compare: [] as string[],
};

/** The filters as `useFilters(plazaDefaults)` gives them. */
export type PlazaFilters = Filters<typeof plazaDefaults>;
export type PlazaState = PlazaFilters["values"];

const notFilters = ["sort", "view", "x", "y", "compare", "every"] as const;

/** What is set back by "Clear filters": everything but order, view, axes and comparison. */
export function cleared(state: PlazaState): PlazaState {
  const { sort, view, x, y, compare } = state;
  return { ...plazaDefaults, sort, view, x, y, compare };
}

/** Number of filters that are set, without the search. */
export function countFilters(state: PlazaState): number {
  let count = 0;
  for (const [name, value] of Object.entries(state)) {
    if (name === "q" || notFilters.some((one) => one === name)) continue;
    count += typeof value === "string" ? Number(value !== "") : value.length;
  }
  return count;
}

const views = ["", "table", "chart"] as const;

/** The view that the URL names; cards for one that there is not. */
export function viewOf(text: string): (typeof views)[number] {
  return views.find((view) => view === text) ?? "";
}
