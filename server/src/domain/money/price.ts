/**
 * Pure: usage × price → charge, and which price applies when. Every token is priced in exactly one class; the
 * sum is exact and rounded up once. Knows nothing of balances or of whether a request is charged at all.
 */
import type { Price, PriceRow, Rates } from "@plaza/contract/catalog.ts";
import { type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { Usage } from "@plaza/contract/usage.ts";

const million = 1_000_000n;

/** The rates for a prompt of this many tokens, cached and written ones included. */
function ratesFor(price: Price, promptTokens: number): Rates {
  const { tiers } = price;
  if (tiers === undefined) return price;
  let rates: Rates = price;
  for (const tier of tiers) {
    if (promptTokens > tier.abovePromptTokens) rates = tier;
  }
  return rates;
}

/** Most requests use few of the classes, so one without tokens costs nothing to price. */
function priced(tokens: number, rate: NanoUsd): bigint {
  return tokens > 0 ? BigInt(tokens) * rate : 0n;
}

/** How much of `left` is of a kind; a part larger than what is left of its whole is cut down to it. */
function part(tokens: number | undefined, left: number): number {
  return tokens === undefined || !(tokens > 0) ? 0 : Math.min(tokens, left);
}

/**
 * What a request with this usage costs at this price: tokens × rate summed over the classes,
 * divided by a million once and rounded up, plus `perRequest`. Never negative. Counts must be whole
 * numbers; negative ones count as 0. That a request is charged at all is for the caller to know:
 * without any usage this is still `perRequest`.
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
 * The row in force at a time (Unix milliseconds): the greatest `validFrom` that is not later, the newest row
 * among equal ones. Before all of them it is the one that begins first, so that a clock which runs behind
 * the one that wrote the row does not take the model out of service. undefined only without rows; a row
 * whose price is undefined says "no price".
 */
export function priceAt(rows: readonly PriceRow[], nowMs: number): PriceRow | undefined {
  let found: PriceRow | undefined;
  for (const row of rows) {
    if (found === undefined || isOverruled(found, row, nowMs)) found = row;
  }
  return found;
}

/** True when `other` applies at a time rather than `row`. */
function isOverruled(row: PriceRow, other: PriceRow, nowMs: number): boolean {
  if (row.validFrom === other.validFrom) return other.id > row.id;
  const isOtherLater = other.validFrom > row.validFrom;
  // Of two that have begun the later one applies, of two that have not the earlier one.
  return isOtherLater ? other.validFrom <= nowMs : row.validFrom > nowMs;
}
