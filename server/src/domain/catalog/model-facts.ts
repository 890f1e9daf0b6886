/**
 * A model's facts as JSON, the same everywhere: the fields of OpenAI and Anthropic first, then Plaza's.
 * Unknown values are null, and prices are decimal strings of US dollars per million tokens.
 */
import type { Capability, Limits, Model, ModelStatus, Price, Rates } from "@plaza/contract/catalog.ts";
import { formatUsd } from "@plaza/contract/money.ts";
import { type Operation, operationsOf } from "@plaza/contract/operations.ts";
import { rateNames } from "../money/price-classes.ts";
import { pricesFrom, pricesOfRows } from "../money/price-schedule.ts";
import { type Measured, statusAt } from "./model-status.ts";

const rateKeys = {
  input: "input",
  output: "output",
  cachedInput: "cached_input",
  cacheWrite: "cache_write",
  longCacheWrite: "long_cache_write",
  reasoning: "reasoning",
  audioInput: "audio_input",
  audioOutput: "audio_output",
  imageInput: "image_input",
  imageOutput: "image_output",
} as const satisfies Record<keyof Rates, string>;

/**
 * Dollars per million tokens by class; a missing class costs what its fallback does
 * (docs/operate/catalog.md).
 */
type RatesObject = { readonly [Key in (typeof rateKeys)[keyof Rates]]?: string };

interface TierObject extends RatesObject {
  readonly above_prompt_tokens: number;
}

/** A price in JSON: every class with its own rate, and further charges. */
export interface PriceObject extends RatesObject {
  /** Dollars added to every charged request. */
  readonly per_request?: string;
  /** In ascending order; for prompts larger than its size, a tier's rates replace all others. */
  readonly tiers?: readonly TierObject[];
}

interface Pricing extends PriceObject {
  readonly unit: "USD per 1M tokens";
  /** Prices that apply from a time on (ISO 8601, UTC), ascending; absent when there are none. */
  readonly scheduled?: readonly (PriceObject & { readonly valid_from: string })[];
}

/** One model in JSON, for the SDKs of both OpenAI and Anthropic. */
export interface ModelObject {
  readonly id: string;
  readonly object: "model";
  /** Anthropic's, like the next two. */
  readonly type: "model";
  readonly display_name: string;
  /** ISO 8601, UTC; the epoch: unknown. */
  readonly created_at: string;
  /** Unix seconds; 0: unknown. */
  readonly created: number;
  readonly owned_by: string;
  readonly name: string;
  readonly description: string | null;
  /** Its operations; never empty. */
  readonly operations: readonly Operation[];
  readonly context_length: number | null;
  readonly max_output_tokens: number | null;
  readonly modalities: { readonly input: readonly string[]; readonly output: readonly string[] } | null;
  /** The vendor; null: unknown, also for the next two. */
  readonly family: string | null;
  readonly capabilities: readonly Capability[] | null;
  /** ISO 8601, UTC: when it becomes deprecated. */
  readonly deprecated: string | null;
  readonly pricing: Pricing | null;
  /**
   * The caller's limits for this model: for each kind the lowest of key, account and model; null: no limit.
   */
  readonly limits: {
    readonly requests_per_minute: number | null;
    readonly tokens_per_minute: number | null;
    readonly concurrency: number | null;
  };
  readonly status: ModelStatus;
}

function ratesObject(rates: Rates): RatesObject {
  const amounts = rateNames.flatMap((name) => {
    const rate = rates[name];
    return rate === undefined ? [] : [[rateKeys[name], formatUsd(rate)]];
  });
  return Object.fromEntries(amounts) as RatesObject;
}

/** A price as `pricing` shows it. */
export function priceObject(price: Price): PriceObject {
  const { perRequest, tiers } = price;
  const shown = tiers?.map((tier) => ({
    above_prompt_tokens: tier.abovePromptTokens,
    ...ratesObject(tier),
  }));
  return {
    ...ratesObject(price),
    ...(perRequest === undefined ? {} : { per_request: formatUsd(perRequest) }),
    ...(shown === undefined ? {} : { tiers: shown }),
  };
}

/** A model's prices from a time on: from the store's rows, or from the catalog when there are none. */
export function pricesNow(model: Model, nowMs: number): Pick<Model, "price" | "scheduledPrices"> {
  return model.priceRows === undefined ? pricesFrom(model, nowMs) : pricesOfRows(model.priceRows, nowMs);
}

function pricing({ price, scheduledPrices }: Pick<Model, "price" | "scheduledPrices">): Pricing | null {
  if (price === undefined) return null;
  const scheduled = scheduledPrices?.map((one) => ({
    valid_from: new Date(one.validFrom).toISOString(),
    ...priceObject(one.price),
  }));
  return {
    ...priceObject(price),
    unit: "USD per 1M tokens",
    ...(scheduled === undefined ? {} : { scheduled }),
  };
}

/** The model's status at a time (Unix milliseconds). */
export const statusOf = (model: Model, nowMs: number, measured: Measured): ModelStatus =>
  statusAt(model, pricesNow(model, nowMs).price, measured);

/** The model's capabilities; undefined: unknown. Image input implies vision. */
export function capabilitiesOf({ capabilities, modalities }: Model): readonly Capability[] | undefined {
  const isSeeing = modalities?.input.includes("image") === true;
  if (capabilities === undefined || !isSeeing || capabilities.includes("vision")) return capabilities;
  return [...capabilities, "vision"];
}

/**
 * The facts at a time (Unix milliseconds). `measured`: problems measured. `limitOf`: the limit of a kind for
 * the reader, including the model's own; null: no limit.
 */
export function modelObject(
  model: Model,
  limitOf: (kind: keyof Limits) => number | null,
  nowMs: number,
  measured: Measured,
): ModelObject {
  const prices = pricesNow(model, nowMs);
  return {
    id: model.id,
    object: "model",
    type: "model",
    display_name: model.name,
    created_at: new Date(model.createdAt ?? 0).toISOString(),
    created: Math.floor((model.createdAt ?? 0) / 1000),
    owned_by: "plaza",
    name: model.name,
    description: model.description ?? null,
    operations: operationsOf(model),
    context_length: model.context ?? null,
    max_output_tokens: model.maxOutput ?? null,
    modalities: model.modalities ?? null,
    family: model.family ?? null,
    capabilities: capabilitiesOf(model) ?? null,
    deprecated: model.deprecatedAt === undefined ? null : new Date(model.deprecatedAt).toISOString(),
    pricing: pricing(prices),
    limits: {
      requests_per_minute: limitOf("requestsPerMinute"),
      tokens_per_minute: limitOf("tokensPerMinute"),
      concurrency: limitOf("concurrency"),
    },
    status: statusAt(model, prices.price, measured),
  };
}

/** Models in JSON: always all of them on one page, for either SDK. */
export interface ModelList {
  readonly object: "list";
  readonly data: readonly ModelObject[];
  readonly has_more: false;
  readonly first_id: string | null;
  readonly last_id: string | null;
}

export const modelList = (data: readonly ModelObject[]): ModelList => ({
  object: "list",
  data,
  has_more: false,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
});

/** The lowest limit; null when there is none. */
export function least(limits: readonly (number | null | undefined)[]): number | null {
  const given = limits.filter((limit) => limit !== null && limit !== undefined);
  return given.length === 0 ? null : Math.min(...given);
}
