/**
 * Pure: usage × price → charge, and which price applies at a time. Every token is priced in exactly one
 * class; the sum is exact and rounded up once. Does not decide whether a request is charged.
 */
import type { Price, PriceRow, Rates } from "@plaza/contract/catalog.ts";
import { type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { Usage } from "@plaza/contract/usage.ts";

const million = 1_000_000n;

/** The rates for a prompt of this many tokens, including cached and written ones. */
function ratesFor(price: Price, promptTokens: number): Rates {
  const { tiers } = price;
  if (tiers === undefined) return price;
  let rates: Rates = price;
  for (const tier of tiers) {
    if (promptTokens > tier.abovePromptTokens) rates = tier;
  }
  return rates;
}

/** Skips classes without tokens, because most requests use few classes. */
function priced(tokens: number, rate: NanoUsd): bigint {
  return tokens > 0 ? BigInt(tokens) * rate : 0n;
}

/** The part of `left` that is of a kind; limited to `left`. */
function part(tokens: number | undefined, left: number): number {
  return tokens === undefined || !(tokens > 0) ? 0 : Math.min(tokens, left);
}

/**
 * The price of a request with this usage: the sum of tokens × rate, divided by a million and rounded up once,
 * plus `perRequest`. Never negative. Counts must be whole numbers; negative ones count as 0. The caller
 * decides whether to charge: without usage the result is still `perRequest`.
 */
export function chargeFor(usage: Usage, price: Price): NanoUsd {
  const { input, cachedInput, cacheWrite, output } = usage;
  const rates = ratesFor(price, input + cachedInput + cacheWrite);
  const writeRate = rates.cacheWrite ?? rates.input;

  const audioInput = part(usage.audioInput, input);
  const imageInput = part(usage.imageInput, input - audioInput);
  const longWrite = part(usage.longCacheWrite, cacheWrite);
  const reasoning = part(usage.reasoning, output);
  const audioOutput = part(usage.audioOutput, output - reasoning);
  const imageOutput = part(usage.imageOutput, output - reasoning - audioOutput);

  const sum =
    priced(input - audioInput - imageInput, rates.input) +
    priced(audioInput, rates.audioInput ?? rates.input) +
    priced(imageInput, rates.imageInput ?? rates.input) +
    priced(cachedInput, rates.cachedInput ?? rates.input) +
    priced(cacheWrite - longWrite, writeRate) +
    priced(longWrite, rates.longCacheWrite ?? writeRate) +
    priced(output - reasoning - audioOutput - imageOutput, rates.output) +
    priced(reasoning, rates.reasoning ?? rates.output) +
    priced(audioOutput, rates.audioOutput ?? rates.output) +
    priced(imageOutput, rates.imageOutput ?? rates.output);
  return nanoUsd((sum + million - 1n) / million + (price.perRequest ?? 0n));
}

/**
 * The row in force at a time (Unix milliseconds): the latest `validFrom` that has passed, the newest row if
 * equal. Before all rows it is the first one, so that a clock behind the writer's does not take the model out
 * of service. Undefined only without rows; a row with an undefined price means "no price".
 */
export function priceAt(rows: readonly PriceRow[], nowMs: number): PriceRow | undefined {
  let found: PriceRow | undefined;
  for (const row of rows) {
    if (found === undefined || isOverruled(found, row, nowMs)) found = row;
  }
  return found;
}

/** True when `other` applies at a time instead of `row`. */
function isOverruled(row: PriceRow, other: PriceRow, nowMs: number): boolean {
  if (row.validFrom === other.validFrom) return other.id > row.id;
  const isOtherLater = other.validFrom > row.validFrom;
  // Of two that have begun the later one applies, of two that have not the earlier one.
  return isOtherLater ? other.validFrom <= nowMs : row.validFrom > nowMs;
}
