/** What the list shows for a state of the URL: searched, filtered, sorted, counted. Knows no React. */
import { type PlazaModel, searchIn } from "../models.ts";
import type { Search } from "../search/search.ts";
import { type Matches, matchModels } from "./facets.ts";
import { orderOf, sortModels } from "./order.ts";
import type { PlazaState } from "./state.ts";

/** Without an order of its own a search has the best match first, and the list the catalog's order. */
export function findModels(
  models: readonly PlazaModel[],
  state: PlazaState,
  /** Gives the search in the same models in the same order; it takes long the first time. */
  searchOf: () => Search = () => searchIn(models),
): Matches {
  const hasSearch = state.q.trim() !== "";
  const ranks = hasSearch ? searchOf()(state.q) : undefined;
  const { found, facets } = matchModels(models, state, (at) => ranks === undefined || ranks.has(at));
  const order = orderOf(state.sort);
  if (order !== undefined) return { found: sortModels(found, order), facets };
  if (ranks === undefined) return { found, facets };
  const placeOf = new Map(models.map((model, at) => [model, at]));
  const rankOf = (model: PlazaModel) => ranks.get(placeOf.get(model) ?? -1) ?? Number.POSITIVE_INFINITY;
  return { found: [...found].sort((left, right) => rankOf(left) - rankOf(right)), facets };
}
