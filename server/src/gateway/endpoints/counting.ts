/**
 * Requests that only ask how many tokens they have: they cost nothing, and only some upstreams can say it. A
 * guess is not given: clients make their own where the path is not there.
 */
import type { Price } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { countersOf } from "../../providers/codec-of.ts";
import type { WorstCase } from "../money/worst-case.ts";
import type { PricedModel } from "../request/resolve.ts";
import type { LiveDeployment, LiveModel } from "../snapshot.ts";
import type { Endpoint } from "./endpoint.ts";

const free: Price = { input: nanoUsd(0n), output: nanoUsd(0n) };

/** What such a request uses: a place among the requests of a minute. */
export const nothingUsed: WorstCase = {
  inputTokens: 0,
  sentTokens: 0,
  outputTokens: 0,
  furtherTokens: 0,
  answers: 1,
  isAsked: true,
  outputLimit: undefined,
  hasAudio: false,
  hasImages: false,
};

const canCount = ({ deployment, live: { provider } }: LiveDeployment): boolean =>
  provider.transport === "http"
    ? countersOf(provider, deployment).length > 0
    : provider.counter !== undefined;

const counting = new WeakMap<LiveModel, LiveModel>();

/** The model with those deployments alone that count; another model's count is of no use. */
function countingModel(live: LiveModel): LiveModel {
  let found = counting.get(live);
  if (found === undefined) {
    const model = { ...live.model, fallbacks: undefined };
    found = { model, deployments: live.deployments.filter(canCount) };
    counting.set(live, found);
  }
  return found;
}

/** True when some upstream of the model counts the tokens of a chat. */
export const isCounted = (live: LiveModel): boolean =>
  countingModel(live.byOperation?.chat ?? live).deployments.length > 0;

/** The error for a model none of whose upstreams counts tokens. */
export const uncounted = (model: string): GatewayError =>
  new GatewayError("not_found", { message: message("call.tokensUncounted", { model }) });

/**
 * The model as it is asked for a count, where the endpoint asks for one. Throws `not_found` when no upstream
 * of it counts.
 */
export function countedBy({ protocol }: Pick<Endpoint, "protocol">, resolved: PricedModel): PricedModel {
  if (protocol.writeCount === undefined) return resolved;
  const model = countingModel(resolved.model);
  if (model.deployments.length === 0) throw uncounted(model.model.id);
  return { ...resolved, model, price: free };
}
