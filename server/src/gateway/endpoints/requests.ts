/**
 * `GET /v1/requests/{id}`: one recorded request with usage, price, charge and attempts. Does not name
 * upstreams. Only requests of the caller's own key are visible: another key of the same account may belong to
 * other people and use other models.
 */

import type { PriceRow } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { formatUsd } from "@plaza/contract/money.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { RequestState } from "@plaza/contract/usage.ts";
import { type PriceObject, priceObject } from "../../domain/catalog/model-facts.ts";
import { type Outcome, triesOf } from "../../domain/routing/attempt-outcome.ts";
import { isPrivateFault } from "../../domain/routing/fault.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { RequestsStore, StoredRequest } from "../../store/requests/shapes.ts";
import type { Caller } from "../request/authenticate.ts";

export interface RequestsContext {
  readonly store: Pick<RequestsStore, "findRequest">;
  readonly log: Log;
}

export interface AttemptObject {
  readonly outcome: Outcome;
  /**
   * HTTP status of the upstream; null when it would reveal a problem of Plaza's own, such as its credential.
   */
  readonly status: number | null;
  /** Milliseconds from the request's arrival; null for requests recorded before Plaza kept it. */
  readonly start_ms: number | null;
  readonly duration_ms: number;
}

export interface UsageObject {
  /** `exact`: reported by the upstream. `estimated`: estimated by Plaza. */
  readonly source: "exact" | "estimated";
  readonly input: number;
  readonly cached_input: number;
  readonly cache_write: number;
  readonly output: number;
  readonly reasoning: number;
  readonly audio_input?: number;
  readonly image_input?: number;
  readonly audio_output?: number;
  readonly image_output?: number;
  readonly long_cache_write?: number;
}

export interface RequestObject {
  readonly id: string;
  readonly object: "request";
  /** Unix seconds. */
  readonly created: number;
  readonly model: string | null;
  /** The operation of the path called. */
  readonly operation: Operation;
  readonly stream: boolean;
  /** HTTP status sent; 499 when the caller disconnected before one was sent. */
  readonly status: number;
  readonly state: RequestState;
  readonly error_code: string | null;
  /** null when nothing was used. */
  readonly usage: UsageObject | null;
  /** null when nothing was charged for. Rates are US dollars per million tokens. */
  readonly price: ({ readonly id: number; readonly valid_from: string } & PriceObject) | null;
  /** US dollars. */
  readonly charge: string;
  /** Part of the charge that the balance did not cover. */
  readonly covered_by_operator?: string;
  readonly attempts: readonly AttemptObject[];
  /**
   * Milliseconds from the arrival to the start of the first attempt; null without one, and for requests
   * recorded before Plaza kept it.
   */
  readonly queue_ms: number | null;
  readonly first_token_ms: number | null;
  readonly duration_ms: number;
}

function attemptObjects(request: StoredRequest): AttemptObject[] {
  return triesOf(request).map(({ attempt, outcome, startMs, durationMs }) => ({
    outcome,
    status: isPrivateFault(attempt.fault) ? null : attempt.status,
    start_ms: startMs,
    duration_ms: durationMs,
  }));
}

function usageObject(request: StoredRequest): UsageObject | null {
  const { usageSource, usageParts } = request;
  if (usageSource === "none") return null;
  const { audioInput, imageInput, audioOutput, imageOutput, longCacheWrite } = usageParts ?? {};
  return {
    source: usageSource,
    input: request.inputTokens,
    cached_input: request.cachedInputTokens,
    cache_write: request.cacheWriteTokens,
    output: request.outputTokens,
    reasoning: request.reasoningTokens,
    ...(audioInput ? { audio_input: audioInput } : {}),
    ...(imageInput ? { image_input: imageInput } : {}),
    ...(audioOutput ? { audio_output: audioOutput } : {}),
    ...(imageOutput ? { image_output: imageOutput } : {}),
    ...(longCacheWrite ? { long_cache_write: longCacheWrite } : {}),
  };
}

function requestObject(request: StoredRequest, price: PriceRow | undefined): RequestObject {
  return {
    id: request.id,
    object: "request",
    created: Math.floor(request.createdAt / 1000),
    model: request.modelId,
    operation: request.operation,
    stream: request.isStream,
    status: request.status,
    state: request.state,
    error_code: request.errorCode,
    usage: usageObject(request),
    price:
      price?.price === undefined
        ? null
        : { id: price.id, valid_from: new Date(price.validFrom).toISOString(), ...priceObject(price.price) },
    charge: formatUsd(request.charge),
    ...(request.loss > 0n ? { covered_by_operator: formatUsd(request.loss) } : {}),
    attempts: attemptObjects(request),
    queue_ms: request.queueMs,
    first_token_ms: request.firstTokenMs,
    duration_ms: request.durationMs,
  };
}

/**
 * Throws `not_found` for an unknown id and, with the same message, for another key's request;
 * `ledger_unavailable` when the store fails.
 */
export async function getRequest(
  { store, log }: RequestsContext,
  caller: Caller,
  id: string,
): Promise<RequestObject> {
  const found = await store.findRequest(id).catch((error: Error) => {
    log.warn("request_not_read", { error: error.message });
    throw new GatewayError("ledger_unavailable", {
      message: message("call.requestUnread"),
    });
  });
  if (found?.request.keyId !== caller.key.id) {
    throw new GatewayError("not_found", {
      message: message("call.requestUnknown"),
    });
  }
  return requestObject(found.request, found.price);
}
