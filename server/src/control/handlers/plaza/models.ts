/** Models for the plaza: catalog facts, the visitor's limits, and measured health. Pure. */

import type { modelHealth, plazaModel } from "@plaza/contract/api/plaza.ts";
import type { Limits, Model, PriceRow } from "@plaza/contract/catalog.ts";
import { message, textOf } from "@plaza/contract/messages/message.ts";
import { operationsOf } from "@plaza/contract/operations.ts";
import type { z } from "zod";
import { capabilitiesOf, least, pricesNow, statusOf } from "../../../domain/catalog/model-facts.ts";
import type { Measured } from "../../../domain/catalog/model-status.ts";
import { priceAt } from "../../../domain/money/price.ts";
import type { AccountLimits } from "../../../store/accounts/account-shapes.ts";
import type { ModelNumbers } from "../../../store/usage/usage.ts";
import { priceDocument } from "../../catalog/show.ts";

type PlazaModel = z.output<typeof plazaModel>;
type Health = z.output<typeof modelHealth>;

const timeText = (ms: number): string => new Date(ms).toISOString();
const timeOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : timeText(ms));

/** Measurements rounded for display; null: no requests. */
function healthOf(numbers: ModelNumbers | undefined): Health | null {
  if (numbers === undefined || numbers.requests === 0) return null;
  const { requests, complete, unserved, streamTokens, streamMs } = numbers;
  const { firstTokenP50Ms: p50, firstTokenP95Ms: p95 } = numbers;
  const counted = complete + unserved;
  return {
    requests,
    counted,
    successRate: counted === 0 ? null : Math.floor((complete / counted) * 10_000) / 10_000,
    firstTokenMs: p50 === null || p95 === null ? null : { p50, p95 },
    outputTokensPerSecond: streamMs === 0 ? null : Math.round((streamTokens / streamMs) * 10_000) / 10,
  };
}

/** Whose limits are shown: an account's with the default limits, or only the model's. */
export interface Looking {
  readonly account: AccountLimits | undefined;
  readonly defaults: Limits;
}

function limitsOf(model: Model, { account, defaults }: Looking): PlazaModel["myLimits"] {
  const limitOf = (kind: keyof Limits): number | null =>
    least([account === undefined ? null : (account[kind] ?? defaults[kind]), model.limits?.[kind]]);
  return {
    requestsPerMinute: limitOf("requestsPerMinute"),
    tokensPerMinute: limitOf("tokensPerMinute"),
    concurrency: limitOf("concurrency"),
  };
}

/** A model at a time (Unix milliseconds). */
/** The description of the built-in demo until an operator changes it. */
const ofDemo = message("provider.demo");

export function showModel(
  model: Model,
  looking: Looking,
  { numbers, measured }: { readonly numbers: ModelNumbers | undefined; readonly measured: Measured },
  nowMs: number,
): PlazaModel {
  const { modalities } = model;
  const { price, scheduledPrices } = pricesNow(model, nowMs);
  const capabilities = capabilitiesOf(model);
  return {
    id: model.id,
    name: model.name,
    operations: [...operationsOf(model)],
    family: model.family ?? null,
    description: model.description ?? null,
    descriptionMessage: model.description === textOf(ofDemo) ? ofDemo : null,
    createdAt: timeOrNull(model.createdAt),
    context: model.context ?? null,
    maxOutput: model.maxOutput ?? null,
    modalities:
      modalities === undefined ? null : { input: [...modalities.input], output: [...modalities.output] },
    capabilities: capabilities === undefined ? null : [...capabilities],
    deprecatedAt: timeOrNull(model.deprecatedAt),
    status: statusOf(model, nowMs, measured),
    price: price === undefined ? null : priceDocument(price),
    scheduledPrices: (scheduledPrices ?? []).map((one) => ({
      validFrom: timeText(one.validFrom),
      price: priceDocument(one.price),
    })),
    myLimits: limitsOf(model, looking),
    health: healthOf(numbers),
  };
}

/**
 * Price rows that were, are or will be in force, newest first; rows overruled before they began are left out.
 */
export function showHistory(rows: readonly PriceRow[], nowMs: number) {
  const current = priceAt(rows, nowMs);
  const last = new Map<number, PriceRow>();
  for (const row of rows) {
    const other = last.get(row.validFrom);
    if (other === undefined || row.id > other.id) last.set(row.validFrom, row);
  }
  return [...last.values()]
    .sort((one, other) => other.validFrom - one.validFrom)
    .map((row) => ({
      validFrom: timeText(row.validFrom),
      price: row.price === undefined ? null : priceDocument(row.price),
      when:
        row === current
          ? ("now" as const)
          : row.validFrom > nowMs
            ? ("scheduled" as const)
            : ("past" as const),
    }));
}
