/**
 * Separate upstreams for failing calls: a rate-limited or ejected upstream gets no calls for a while, so the
 * next fault could not be tested on it.
 */
import type { RigCatalog, RigModel } from "../catalog.ts";

/** The id of a copied model and of its upstream. */
export const freshModel = (like: string, index: number): string => `${like}-${index}`;

/**
 * Adds `count` copies of a model to the catalog, each with a separate copy of its first upstream. Fallbacks
 * stay shared.
 */
export function addFresh(catalog: RigCatalog, like: string, count: number): RigCatalog {
  const model = catalog.models.find(({ id }) => id === like);
  const [first, ...others] = model?.deployments ?? [];
  const upstream = catalog.upstreams.find(({ id }) => id === first?.upstream);
  if (first === undefined || upstream === undefined) throw new RangeError(`no model "${like}" to copy`);
  const ids = Array.from({ length: count }, (_, index) => freshModel(like, index));
  return {
    upstreams: [...catalog.upstreams, ...ids.map((id) => ({ ...upstream, id }))],
    models: [
      ...catalog.models,
      ...ids.map((id): RigModel => ({ id, deployments: [{ ...first, upstream: id }, ...others] })),
    ],
  };
}
