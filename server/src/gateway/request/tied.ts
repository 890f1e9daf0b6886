/**
 * Keeps a call that names things at an upstream with the deployments of that upstream: another one does not
 * have them. Knows nothing of what the things are.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { Tie } from "../endpoints/endpoint.ts";
import type { LiveDeployment, LiveModel } from "../snapshot.ts";
import type { Resolved } from "./phases.ts";
import type { PricedModel } from "./resolve.ts";

/** Kept, because health plans and bounds are remembered by model. */
const narrowed = new WeakMap<LiveModel, Map<string, LiveModel>>();

/** The model with its deployments at this upstream alone; undefined: it has none there. */
export function onlyAt(resolved: PricedModel, upstream: string): PricedModel | undefined {
  const { model: live } = resolved;
  const known = narrowed.get(live) ?? new Map<string, LiveModel>();
  let model = known.get(upstream);
  if (model === undefined) {
    const deployments = live.deployments.filter((one) => one.live.upstream.id === upstream);
    if (deployments.length === 0) return undefined;
    model = { model: live.model, deployments };
    known.set(upstream, model);
    narrowed.set(live, known);
  }
  return { ...resolved, model };
}

/** A deployment as it is stored: the id of its upstream, and its model there. */
export const deploymentNameOf = ({ live, deployment }: LiveDeployment): string =>
  `${live.upstream.id} ${deployment.model}`;

const upstreamOf = ({ deployment }: Tie): string => deployment.split(" ", 1)[0] ?? "";

/**
 * The call at the upstream that made what it names; its credentials belong to one organisation. Throws
 * `not_found` where the model is not served there, or where two upstreams made it.
 */
export function tiedTo(phase: Resolved, ties: readonly Tie[]): Resolved {
  const [first] = ties;
  if (first === undefined) return phase;
  const upstream = upstreamOf(first);
  const resolved = onlyAt(phase.resolved, upstream);
  const parted = resolved === undefined ? first : ties.find((tie) => upstreamOf(tie) !== upstream);
  if (parted === undefined && resolved !== undefined)
    return { ...phase, resolved, read: { ...phase.read, upstream } };
  const { param } = parted ?? first;
  throw new GatewayError("not_found", { message: message("call.upstreamParted", { param }), param });
}
