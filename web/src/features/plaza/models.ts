/** A model as the plaza has it, the paths of its pages, search in models. Knows no React. */

import type { Answer } from "../../api/routes.ts";
import { pageTo } from "../../shell/page-search.ts";
import { makerOf } from "./makers/makers.ts";
import { createSearch, type Search } from "./search/search.ts";
import { compacted, folded } from "./search/words.ts";

/** A model as the plaza has it. */
export type PlazaModel = Answer<"get /plaza">["models"][number];

/** The page of a model. */
export function modelPath(id: string): string {
  return `/models/${encodeURIComponent(id)}`;
}

/** Most models that are compared: more do not fit beside each other. */
export const comparedMax = 4;

/** The page that compares these models. */
export function comparePath(ids: readonly string[]): string {
  return pageTo("/compare", { model: ids });
}

const searches = new WeakMap<readonly PlazaModel[], Search>();

/** The search in these models, prepared once. */
export function searchIn(models: readonly PlazaModel[]): Search {
  let search = searches.get(models);
  if (search === undefined) {
    search = createSearch(
      models.map((model) => {
        const maker = makerOf(model);
        return {
          id: model.id,
          name: model.name,
          also: `${model.family ?? ""} ${maker?.name ?? ""} ${maker?.also ?? ""}`,
          description: model.description ?? "",
        };
      }),
    );
    searches.set(models, search);
  }
  return search;
}

function pairsOf(text: string): Set<string> {
  const plain = compacted(folded(text));
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, at) => plain.slice(at, at + 2)));
}

/** Models with similar ids, for a mistyped id: it may name a model that never was, which a search misses. */
export function similarModels(models: readonly PlazaModel[], id: string, most = 5): readonly PlazaModel[] {
  const wanted = pairsOf(id.slice(0, 300));
  return models
    .map((model) => {
      const pairs = pairsOf(model.id);
      const shared = [...pairs].filter((pair) => wanted.has(pair)).length;
      return { model, likeness: shared === 0 ? 0 : (2 * shared) / (pairs.size + wanted.size) };
    })
    .filter(({ likeness }) => likeness >= 0.45)
    .sort((left, right) => right.likeness - left.likeness)
    .slice(0, most)
    .map(({ model }) => model);
}
