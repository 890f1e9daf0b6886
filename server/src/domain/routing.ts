/**
 * Pure: in which order the deployments of a model are tried. Lower priority number first; within a priority a weighted
 * draw, so that traffic is shared by weight; weight 0 comes after all others of its priority.
 */

/** Anything with a place in the order. */
export interface Routable {
  readonly deployment: { readonly priority: number; readonly weight: number };
}

/** `random` gives numbers in [0, 1). The common case of one deployment allocates nothing. */
export function orderDeployments<Item extends Routable>(
  deployments: readonly Item[],
  random: () => number,
): readonly Item[] {
  if (deployments.length < 2) return deployments;
  return deployments
    .map((item) => ({ item, draw: drawFor(item.deployment.weight, random) }))
    .sort((a, b) => a.item.deployment.priority - b.item.deployment.priority || b.draw - a.draw)
    .map(({ item }) => item);
}

/** Efraimidis–Spirakis: the largest of u^(1/w) is a draw with probability proportional to w. */
function drawFor(weight: number, random: () => number): number {
  return weight <= 0 ? -1 : random() ** (1 / weight);
}
