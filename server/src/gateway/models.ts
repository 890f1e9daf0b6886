/**
 * `GET /v1/models` and `GET /v1/models/{id}`: the plaza's facts as JSON, for the models this key may use. OpenAI's fields
 * first, ours beside them; unknown stays null, and a price is a decimal string of US dollars per million tokens.
 */

import type { Limits, Price } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { formatUsd } from "@plaza/contract/money.ts";
import type { Caller } from "./authenticate.ts";
import { isAllowed } from "./resolve.ts";
import type { LiveModel, Snapshot } from "./snapshot.ts";

/** One model on the wire. */
export interface ModelObject {
  readonly id: string;
  readonly object: "model";
  /** Unix seconds; 0 = unknown. */
  readonly created: number;
  readonly owned_by: string;
  readonly name: string;
  readonly description: string | null;
  readonly context_length: number | null;
  readonly max_output_tokens: number | null;
  readonly modalities: { readonly input: readonly string[]; readonly output: readonly string[] } | null;
  readonly pricing: Readonly<Record<string, string>> | null;
  readonly limits: {
    readonly requests_per_minute: number | null;
    readonly tokens_per_minute: number | null;
    readonly concurrency: number | null;
  };
  /** `available`: can be called now. `unpriced`: listed but not served, for want of a price. `unavailable`: nothing serves it. */
  readonly status: "available" | "unpriced" | "unavailable";
}

function pricing(price: Price): Record<string, string> {
  const shown: Record<string, string> = { input: formatUsd(price.input), output: formatUsd(price.output) };
  if (price.cachedInput !== undefined) shown["cached_input"] = formatUsd(price.cachedInput);
  if (price.cacheWrite !== undefined) shown["cache_write"] = formatUsd(price.cacheWrite);
  return { ...shown, unit: "USD per 1M tokens" };
}

function statusOf({ model, deployments }: LiveModel): ModelObject["status"] {
  if (model.price === undefined) return "unpriced";
  return deployments.length === 0 ? "unavailable" : "available";
}

function modelObject(live: LiveModel, limits: Limits, caller: Caller): ModelObject {
  const { model } = live;
  return {
    id: model.id,
    object: "model",
    created: Math.floor((model.createdAt ?? 0) / 1000),
    owned_by: "plaza",
    name: model.name,
    description: model.description ?? null,
    context_length: model.context ?? null,
    max_output_tokens: model.maxOutput ?? null,
    modalities: model.modalities ?? null,
    pricing: model.price === undefined ? null : pricing(model.price),
    limits: {
      requests_per_minute: caller.key.requestsPerMinute ?? limits.requestsPerMinute ?? null,
      tokens_per_minute: caller.key.tokensPerMinute ?? limits.tokensPerMinute ?? null,
      concurrency: caller.key.concurrency ?? limits.concurrency ?? null,
    },
    status: statusOf(live),
  };
}

/** Every model this caller may use, in the catalog's order. */
export function listModels(snapshot: Snapshot, caller: Caller): { object: "list"; data: ModelObject[] } {
  const data: ModelObject[] = [];
  for (const live of snapshot.models.values()) {
    if (isAllowed(caller, live.model.id)) data.push(modelObject(live, snapshot.limits, caller));
  }
  return { object: "list", data };
}

/** One model; `model_not_found` also for one outside the key's list, so that its existence is not given away. */
export function getModel(snapshot: Snapshot, caller: Caller, modelId: string): ModelObject {
  const live = isAllowed(caller, modelId) ? snapshot.models.get(modelId) : undefined;
  if (live === undefined) {
    throw new GatewayError("model_not_found", {
      message: `The model '${modelId}' does not exist or you do not have access to it. GET /v1/models lists the models of this key.`,
      param: "model",
    });
  }
  return modelObject(live, snapshot.limits, caller);
}
