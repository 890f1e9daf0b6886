/** A model as the plaza has it, the paths of its pages, search in models. Knows no React. */
import type { Answer } from "../../api/routes.ts";
import { pageTo } from "../../shell/page-search.ts";
import { makerOf } from "./makers/makers.ts";
import { createSearch, type Search } from "./search/search.ts";

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
