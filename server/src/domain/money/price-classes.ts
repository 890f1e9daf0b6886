/**
 * Pure: the classes that may have a rate, in the order in which they are shown and compared. A new class is a
 * field of `Usage` and `Rates`, a line here, a term of `chargeFor`, and a column of the store.
 */
import type { Price, Rates } from "@plaza/contract/catalog.ts";

export const rateNames = [
  "input",
  "output",
  "cachedInput",
  "cacheWrite",
  "longCacheWrite",
  "reasoning",
  "audioInput",
  "audioOutput",
  "imageInput",
  "imageOutput",
] as const satisfies readonly (keyof Rates)[];

const ratesText = (rates: Rates): string => rateNames.map((name) => rates[name] ?? "-").join();

/**
 * Two prices are equal when these texts are equal; "" for none. An explicit 0 differs from a missing rate.
 */
export function priceText(price: Price | undefined): string {
  if (price === undefined) return "";
  const tiers = (price.tiers ?? []).map((tier) => `${tier.abovePromptTokens}:${ratesText(tier)}`);
  return [ratesText(price), price.perRequest ?? "-", ...tiers].join(";");
}
