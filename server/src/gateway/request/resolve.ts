/**
 * Finds the model a request asks for and checks that the key may use it. A key with a model list gets the
 * same error for every model outside it, whether that model exists or not, so it cannot probe for names.
 */

import type { Model, Price } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
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

/** True when the caller may see and use the model. */
export function isAllowed(caller: Caller, modelId: string): boolean {
  return caller.models === undefined || caller.models.has(modelId);
}

function notFound(modelId: string, param: string): GatewayError {
  return new GatewayError("model_not_found", {
    message: message("call.modelUnknown", { model: modelId }),
    param,
  });
}

/** The error of a model that only its operator can make callable, so that a retry is useless. */
const notCallable = (reason: Message | undefined): GatewayError =>
  new GatewayError("no_available_upstream", {
    ...(reason === undefined ? {} : { message: reason }),
    shouldRetry: false,
  });

/** The error names the path that serves the model, or says that no path does yet. */
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

/** A model with the price to charge. */
export interface PricedModel {
  readonly model: LiveModel;
  /**
   * The price in force at admission. It applies to the whole request, even if the catalog changes meanwhile.
   */
  readonly price: Price;
  readonly priceId: number;
}

/**
 * Returns the model and its price. Throws `model_not_allowed` (403), `model_not_found` (404),
 * `wrong_endpoint` (400) when the model does not support the operation, or `no_available_upstream` when it
 * is disabled or has no price or no deployment.
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
  if (found === undefined) {
    if (snapshot.disabled?.has(modelId) !== true) throw notFound(modelId, param);
    throw notCallable(message("call.modelDisabled", { model: modelId }));
  }
  if (!isFor(found.model, operation)) throw wrongEndpoint(found.model, param);
  const row = priceAt(found.model.priceRows ?? [], nowMs);
  if (row?.price === undefined) {
    throw notCallable(message("call.modelNotPriced", { model: modelId }));
  }
  const model = found.byOperation?.[operation] ?? found;
  if (model.deployments.length === 0) {
    const isLacking = found.deployments.length > 0;
    throw notCallable(
      isLacking ? message("call.operationLacking", { model: modelId, operation }) : undefined,
    );
  }
  return { model, price: row.price, priceId: row.id };
}

/** Bounds the work per request; far fewer attempts are ever made. */
const othersMax = 32;

function isNoUpstream(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.code === "no_available_upstream";
}

/** The models that a body names: `model`, and what its list `models` adds. */
interface NamedModels {
  readonly model: string;
  readonly otherModels: readonly string[] | undefined;
}

/** The catalog's fallbacks of a model, which need not be callable itself. */
export const fallbacksOf = ({ models, disabled }: Snapshot, modelId: string): readonly string[] =>
  disabled?.get(modelId) ?? models.get(modelId)?.model.fallbacks ?? [];

/**
 * Returns the model to try first: the one asked for. Where that is disabled, or has no price or no
 * deployment, the first of `resolveOthers`. Throws as `resolve`, and as `resolveOthers`; where no model can
 * be called, the error of the one asked for.
 */
export function resolveFirst(
  snapshot: Snapshot,
  caller: Caller,
  named: NamedModels,
  nowMs: number,
  operation: Operation,
): PricedModel {
  try {
    return resolve(snapshot, caller, named.model, nowMs, operation);
  } catch (error) {
    if (!isNoUpstream(error)) throw error;
    const { model: first, otherModels: listed } = named;
    const further = { first, listed, fallbacks: fallbacksOf(snapshot, first) };
    const [next] = resolveOthers(snapshot, caller, further, nowMs, operation);
    if (next === undefined) throw error;
    return next;
  }
}

/** Models by id that may replace the one that is tried first. */
interface FurtherModels {
  readonly first: string;
  /** Those of the caller; undefined: the body has no list. */
  readonly listed: readonly string[] | undefined;
  /** The catalog's fallbacks of the model asked for. */
  readonly fallbacks: readonly string[];
}

/**
 * Returns the models that may replace the first one, in order: first those the caller lists, then the
 * catalog's fallbacks. A listed model that is forbidden, unknown or for another operation throws the same
 * error as `model` would; a fallback like that is skipped. Models that cannot be served now are skipped too.
 * Empty for operations without substitutes.
 */
export function resolveOthers(
  snapshot: Snapshot,
  caller: Caller,
  { first, listed, fallbacks }: FurtherModels,
  nowMs: number,
  operation: Operation,
): readonly PricedModel[] {
  if ((listed === undefined && fallbacks.length === 0) || !hasSubstitutes(operation)) return [];
  const others: PricedModel[] = [];
  const names = new Set([...(listed ?? []), ...fallbacks]);
  names.delete(first);
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
