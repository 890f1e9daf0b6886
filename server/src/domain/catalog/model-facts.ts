/**
 * A model's facts as JSON, the same wherever they are shown: OpenAI's fields first, ours beside them; unknown
 * stays null, and a price is a decimal string of US dollars per million tokens.
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
 * Dollars per million tokens by class; a class that is not listed costs what its
 * fallback does (docs/operate/catalog.md).
 */
type RatesObject = { readonly [Key in (typeof rateKeys)[keyof Rates]]?: string };

interface TierObject extends RatesObject {
  readonly above_prompt_tokens: number;
}

/** A price on the wire: every class with a rate of its own, and what comes on top or instead. */
export interface PriceObject extends RatesObject {
  /** Dollars added to every charged request. */
  readonly per_request?: string;
  /** In ascending order; above its size of prompt a tier's rates replace all others. */
  readonly tiers?: readonly TierObject[];
}

interface Pricing extends PriceObject {
  readonly unit: "USD per 1M tokens";
  /** Prices that take over at a time (ISO 8601, UTC), ascending; left out when there are none. */
  readonly scheduled?: readonly (PriceObject & { readonly valid_from: string })[];
}

/** One model on the wire. */
export interface ModelObject {
  readonly id: string;
  readonly object: "model";
  /** Unix seconds; 0 = unknown. */
  readonly created: number;
  readonly owned_by: string;
  readonly name: string;
  readonly description: string | null;
  /** What it is for; never empty. */
  readonly operations: readonly Operation[];
  readonly context_length: number | null;
  readonly max_output_tokens: number | null;
  readonly modalities: { readonly input: readonly string[]; readonly output: readonly string[] } | null;
  /** Who made it; null = unknown, and so for the next two. */
  readonly family: string | null;
  readonly capabilities: readonly Capability[] | null;
  /** ISO 8601, UTC: from then on it is not to be relied on. */
  readonly deprecated: string | null;
  readonly pricing: Pricing | null;
  /**
   * What this caller may use of this model: the tightest of key, account and
   * model, each for itself; null = no limit.
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

/** What a model costs from a time on: by the store's rows, or as the catalog says where there are none. */
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

/** Whether it can be called at a time (Unix milliseconds), and why not. */
export const statusOf = (model: Model, nowMs: number, measured: Measured): ModelStatus =>
  statusAt(model, pricesNow(model, nowMs).price, measured);

/** What the model can do; undefined = unknown. Image input also means vision. */
export function capabilitiesOf({ capabilities, modalities }: Model): readonly Capability[] | undefined {
  const isSeeing = modalities?.input.includes("image") === true;
  if (capabilities === undefined || !isSeeing || capabilities.includes("vision")) return capabilities;
  return [...capabilities, "vision"];
}

/**
 * The facts at a time (Unix milliseconds). `measured`: what is known against it. `limitOf`: what applies to
 * whoever is shown them, the model's own included; null = no limit.
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

/** The least of some limits; null = none of them is one. */
export function least(limits: readonly (number | null | undefined)[]): number | null {
  const given = limits.filter((limit) => limit !== null && limit !== undefined);
  return given.length === 0 ? null : Math.min(...given);
}
