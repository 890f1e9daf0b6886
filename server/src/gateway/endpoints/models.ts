/**
 * `GET /v1/models` and `GET /v1/models/{id}`: the plaza's facts (`domain/catalog/model-facts.ts`) of the
 * models this key may use, with what the key, its account and the model allow.
 */

import type { Limits, Model } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { least, type ModelObject, modelObject } from "../../domain/catalog/model-facts.ts";
import type { Measured } from "../../domain/catalog/model-status.ts";
import type { Caller } from "../request/authenticate.ts";
import { isAllowed } from "../request/resolve.ts";
import type { Snapshot } from "../snapshot.ts";

/** When (Unix milliseconds), and what is known against a model then. */
export interface Moment {
  readonly nowMs: number;
  readonly measuredOf: (modelId: string) => Measured;
}

/** A model with the least of what key, account and model allow; `defaults` are every account's. */
function shownTo(
  { key, accountLimits }: Caller,
  model: Model,
  defaults: Limits,
  { nowMs, measuredOf }: Moment,
): ModelObject {
  const limitOf = (kind: keyof Limits): number | null =>
    least([key[kind], accountLimits[kind] ?? defaults[kind], model.limits?.[kind]]);
  return modelObject(model, limitOf, nowMs, measuredOf(model.id));
}

/** Every model this caller may use, in the catalog's order, with its prices and status at a moment. */
export function listModels(
  snapshot: Snapshot,
  caller: Caller,
  moment: Moment,
): { object: "list"; data: ModelObject[] } {
  const data: ModelObject[] = [];
  for (const live of snapshot.models.values()) {
    if (isAllowed(caller, live.model.id)) data.push(shownTo(caller, live.model, snapshot.limits, moment));
  }
  return { object: "list", data };
}

/**
 * One model; `model_not_found` also for one outside the key's list, so that its existence is not given away.
 */
export function getModel(snapshot: Snapshot, caller: Caller, modelId: string, moment: Moment): ModelObject {
  const live = isAllowed(caller, modelId) ? snapshot.models.get(modelId) : undefined;
  if (live === undefined) {
    throw new GatewayError("model_not_found", {
      message: message("call.modelUnknown", { model: modelId }),
      param: "model",
    });
  }
  return shownTo(caller, live.model, snapshot.limits, moment);
}
