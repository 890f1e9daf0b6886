/**
 * Step 3, resolve: the model asked for → what serves it, if this key may use it. A key with a list
 * of models is refused everything outside it with the same words, whether such a model exists or
 * not, so it learns nothing about the others.
 */

import type { Model, Price } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { operationsMessage } from "@plaza/contract/messages/operations.ts";
import {
  hasSubstitutes,
  isFor,
  type Operation,
  operationPaths,
  operationsOf,
} from "@plaza/contract/operations.ts";
import { priceAt } from "../../domain/money/price.ts";
import type { LiveModel, Snapshot } from "../snapshot.ts";
import type { Caller } from "./authenticate.ts";

/** May this caller see and use a model? */
export function isAllowed(caller: Caller, modelId: string): boolean {
  return caller.models === undefined || caller.models.has(modelId);
}

function notFound(modelId: string, param: string): GatewayError {
  return new GatewayError("model_not_found", {
    message: message("call.modelUnknown", { model: modelId }),
    param,
  });
}

/** Names the path of this version that serves the model, or says that none does. */
function wrongEndpoint(model: Model, param: string): GatewayError {
  const operations = operationsOf(model);
  const what = operationsMessage(operations);
  const served = operations.map((name) => operationPaths[name]).find(({ isServed }) => isServed);
  const refusal =
    served === undefined
      ? message("call.modelNotServedYet", { model: model.id, operations: what })
      : message("call.wrongEndpoint", { model: model.id, operations: what, path: served.path });
  return new GatewayError("wrong_endpoint", { message: refusal, param });
}

/** What a request is served by and charged with. */
export interface PricedModel {
  readonly model: LiveModel;
  /** The price in force at admission: it applies to the whole request, whatever changes meanwhile. */
  readonly price: Price;
  readonly priceId: number;
}

/**
 * Throws `model_not_allowed` (403), `model_not_found` (404), `wrong_endpoint` (400) for a model that is not
 * for the operation of the path or, for a model that cannot be served at all, `no_available_upstream`.
 */
export function resolve(
  snapshot: Snapshot,
  caller: Caller,
  modelId: string,
  nowMs: number,
  operation: Operation,
  param = "model",
): PricedModel {
  if (!isAllowed(caller, modelId)) {
    throw new GatewayError("model_not_allowed", {
      message: message("call.modelNotAllowed", { model: modelId }),
      param,
    });
  }
  const found = snapshot.models.get(modelId);
  if (found === undefined) throw notFound(modelId, param);
  if (!isFor(found.model, operation)) throw wrongEndpoint(found.model, param);
  const row = priceAt(found.model.priceRows ?? [], nowMs);
  if (row?.price === undefined) {
    throw new GatewayError("no_available_upstream", {
      message: message("call.modelNotPriced", { model: modelId }),
      shouldRetry: false,
    });
  }
  const model = found.byOperation?.[operation] ?? found;
  if (model.deployments.length === 0) {
    const isLacking = found.deployments.length > 0;
    throw new GatewayError("no_available_upstream", {
      ...(isLacking ? { message: message("call.operationLacking", { model: modelId, operation }) } : {}),
      shouldRetry: false,
    });
  }
  return { model, price: row.price, priceId: row.id };
}

/** Models that may take the place of the one asked for, at most; more attempts than a few are never made. */
const othersMax = 32;

function isNoUpstream(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.code === "no_available_upstream";
}

/**
 * What may serve a request in place of the model asked for, in order: the models the caller lists, then the
 * fallbacks the catalog has for the one asked for. A listed one the key may not use, that does not exist or
 * that is for something else is refused as `model` would be. One that cannot be served now is left out, and
 * so is a fallback that the key may not use or that is for something else. Nothing takes the place of a model
 * for an operation without substitutes.
 */
export function resolveOthers(
  snapshot: Snapshot,
  caller: Caller,
  asked: { readonly resolved: PricedModel; readonly listed: readonly string[] | undefined },
  nowMs: number,
  operation: Operation,
): readonly PricedModel[] {
  const { model } = asked.resolved.model;
  const { listed } = asked;
  const fallbacks = model.fallbacks ?? [];
  if ((listed === undefined && fallbacks.length === 0) || !hasSubstitutes(operation)) return [];
  const others: PricedModel[] = [];
  const names = new Set([...(listed ?? []), ...fallbacks]);
  names.delete(model.id);
  for (const name of names) {
    if (others.length >= othersMax) break;
    const isListed = listed?.includes(name) === true;
    if (!isListed && !isAllowed(caller, name)) continue;
    try {
      others.push(resolve(snapshot, caller, name, nowMs, operation, "models"));
    } catch (error) {
      if (isListed && !isNoUpstream(error)) throw error;
    }
  }
  return others;
}
