/**
 * Converts prices to rows and back. Pure. Every price class has its column. Tiers, which are few and always
 * read together, and costs of deployments are JSON with amounts as decimal strings of nano-dollars.
 */
import type { Price, PriceRow, PriceTier, Rates } from "@plaza/contract/catalog.ts";
import { type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { Insertable, Selectable } from "kysely";
import { rateNames } from "../../domain/money/price-classes.ts";
import type { PricesTable } from "../sql/schema.ts";

type RateName = (typeof rateNames)[number];

const rateColumns = {
  input: "input_nanos",
  output: "output_nanos",
  cachedInput: "cached_input_nanos",
  cacheWrite: "cache_write_nanos",
  longCacheWrite: "long_cache_write_nanos",
  reasoning: "reasoning_nanos",
  audioInput: "audio_input_nanos",
  audioOutput: "audio_output_nanos",
  imageInput: "image_input_nanos",
  imageOutput: "image_output_nanos",
} as const satisfies Record<RateName, keyof PricesTable>;

/** The rates that are set. Unset ones are absent, so that stored and loaded prices compare as equal. */
function ratesOf(read: (name: RateName) => bigint | null | undefined): Rates {
  const rates: { -readonly [Name in RateName]?: NanoUsd } = {};
  for (const name of rateNames) {
    const nanos = read(name);
    if (nanos !== null && nanos !== undefined) rates[name] = nanoUsd(nanos);
  }
  return rates as Rates;
}

/** Amounts in JSON are strings of digits; everything else is a number. */
type RatesJson = Readonly<Partial<Record<RateName, string>>>;
type TierJson = RatesJson & { readonly abovePromptTokens: number };
type PriceJson = RatesJson & { readonly perRequest?: string; readonly tiers?: readonly TierJson[] };

function ratesJson(rates: Rates): RatesJson {
  const amounts = rateNames.flatMap((name) => {
    const rate = rates[name];
    return rate === undefined ? [] : [[name, rate.toString()]];
  });
  return Object.fromEntries(amounts) as RatesJson;
}

const ratesOfJson = (json: RatesJson): Rates =>
  ratesOf((name) => {
    const digits = json[name];
    return digits === undefined ? undefined : BigInt(digits);
  });

const tiersJson = (tiers: readonly PriceTier[]): TierJson[] =>
  tiers.map((tier) => ({ abovePromptTokens: tier.abovePromptTokens, ...ratesJson(tier) }));

const toTiers = (tiers: readonly TierJson[]): PriceTier[] =>
  tiers.map((json) => ({ abovePromptTokens: json.abovePromptTokens, ...ratesOfJson(json) }));

/** A whole price as JSON, for prices without a row. */
export function priceJson(price: Price): string {
  const { perRequest, tiers = [] } = price;
  const json: PriceJson = {
    ...ratesJson(price),
    ...(perRequest === undefined ? {} : { perRequest: perRequest.toString() }),
    ...(tiers.length === 0 ? {} : { tiers: tiersJson(tiers) }),
  };
  return JSON.stringify(json);
}

/** Parses a price from that JSON. */
export function priceOfJson(text: string): Price {
  const json = JSON.parse(text) as PriceJson;
  const { perRequest, tiers } = json;
  return {
    ...ratesOfJson(json),
    ...(perRequest === undefined ? {} : { perRequest: nanoUsd(BigInt(perRequest)) }),
    ...(tiers === undefined ? {} : { tiers: toTiers(tiers) }),
  };
}

/** Undefined for a row that means "no price any more". */
function toPrice(row: Selectable<PricesTable>): Price | undefined {
  if (row.input_nanos === null) return undefined;
  return {
    ...ratesOf((name) => row[rateColumns[name]]),
    ...(row.per_request_nanos === null ? {} : { perRequest: nanoUsd(row.per_request_nanos) }),
    ...(row.tiers === null ? {} : { tiers: toTiers(JSON.parse(row.tiers) as TierJson[]) }),
  };
}

export function toPriceRow(row: Selectable<PricesTable>): PriceRow {
  return { id: row.id, validFrom: row.valid_from, price: toPrice(row) };
}

/** The row for a price, or for none, that applies from a time on (Unix milliseconds). */
export function newPriceRow(
  modelId: string,
  price: Price | undefined,
  validFrom: number,
): Insertable<PricesTable> {
  const tiers = price?.tiers ?? [];
  return {
    model_id: modelId,
    valid_from: validFrom,
    input_nanos: price?.input ?? null,
    output_nanos: price?.output ?? null,
    cached_input_nanos: price?.cachedInput ?? null,
    cache_write_nanos: price?.cacheWrite ?? null,
    long_cache_write_nanos: price?.longCacheWrite ?? null,
    reasoning_nanos: price?.reasoning ?? null,
    audio_input_nanos: price?.audioInput ?? null,
    audio_output_nanos: price?.audioOutput ?? null,
    image_input_nanos: price?.imageInput ?? null,
    image_output_nanos: price?.imageOutput ?? null,
    per_request_nanos: price?.perRequest ?? null,
    tiers: tiers.length === 0 ? null : JSON.stringify(tiersJson(tiers)),
  };
}
