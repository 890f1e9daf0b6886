/**
 * Separate upstreams for failing calls: a rate-limited or ejected upstream gets no calls for a while, so the
 * next fault would never be tested.
 */
import type { RigCatalog, RigModel } from "../catalog.ts";

/** The id of one of them, and of the model on it. */
export const freshModel = (like: string, index: number): string => `${like}-${index}`;

/**
 * The catalog with `count` more models like one it has, each with a copy of its first upstream that no other
 * model uses. What it falls back to stays the same one.
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
