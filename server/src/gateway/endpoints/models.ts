/**
 * `GET /v1/models` and `GET /v1/models/{id}`: the models this key may use, with their facts
 * (`domain/catalog/model-facts.ts`) and the limits that apply to the key.
 */

import type { Limits, Model } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import {
  least,
  type ModelList,
  type ModelObject,
  modelList,
  modelObject,
} from "../../domain/catalog/model-facts.ts";
import type { Measured } from "../../domain/catalog/model-status.ts";
import type { Caller } from "../request/authenticate.ts";
import { isAllowed } from "../request/resolve.ts";
import type { Snapshot } from "../snapshot.ts";

/** A time in Unix milliseconds, and the models' health at that time. */
export interface Moment {
  readonly nowMs: number;
  readonly measuredOf: (modelId: string) => Measured;
}

/**
 * A model with the smallest limits of key, account and model. `defaults`: limits of accounts without their
 * own.
 */
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

/** Returns the models this caller may use, in catalog order, with current prices and status. */
export function listModels(snapshot: Snapshot, caller: Caller, moment: Moment): ModelList {
  const data: ModelObject[] = [];
  for (const live of snapshot.models.values()) {
    if (isAllowed(caller, live.model.id)) data.push(shownTo(caller, live.model, snapshot.limits, moment));
  }
  return modelList(data);
}

/**
 * Returns one model. Throws `model_not_found` also for a model the key may not use, so that its existence
 * stays private.
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
