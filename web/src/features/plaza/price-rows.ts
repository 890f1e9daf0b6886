/**
 * A price as table rows: every class with its own rate, and the tiers. Knows no React and no currency sign.
 */
import { compareMoney, nanosOf } from "../../format/money.ts";
import type { PlazaModel } from "./models.ts";

/** A price of the plaza. */
export type ShownPrice = NonNullable<PlazaModel["price"]>;
type Tier = NonNullable<ShownPrice["tiers"]>[number];
type Rates = Omit<Tier, "abovePromptTokens">;

/** The classes in the order they are shown. */
export const rateNames = [
  "input",
  "cachedInput",
  "cacheWrite",
  "longCacheWrite",
  "output",
  "reasoning",
  "audioInput",
  "audioOutput",
  "imageInput",
  "imageOutput",
] as const satisfies readonly (keyof Rates)[];
export type RateName = (typeof rateNames)[number];

/** One class: its rate without a tier, then in each tier; undefined = as its fallback. */
export interface PriceRow {
  readonly name: RateName;
  readonly rates: readonly (string | undefined)[];
}

/** Classes for which any part of the price has its own rate. */
export function priceRows(price: ShownPrice): readonly PriceRow[] {
  const parts: readonly Rates[] = [price, ...(price.tiers ?? [])];
  return rateNames
    .map((name) => ({ name, rates: parts.map((part) => part[name]) }))
    .filter(({ rates }) => rates.some((rate) => rate !== undefined));
}

/** Free only when every rate there is, and what each request costs, is an explicit 0. */
export function isFree(price: ShownPrice): boolean {
  const amounts = priceRows(price).flatMap(({ rates }) => rates.filter((rate) => rate !== undefined));
  return [...amounts, ...(price.perRequest === undefined ? [] : [price.perRequest])].every(isZero);
}

/** An explicit 0. */
export function isZero(amount: string): boolean {
  return nanosOf(amount) === 0n;
}

/**
 * The differences between two prices. `part`: 0 for the base rates, then tiers from 1; `undefined`: no rate
 * of its own.
 */
interface PriceDifference {
  readonly name: RateName | "perRequest";
  readonly part: number;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function same(left: string | undefined, right: string | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return compareMoney(left, right) === 0;
}

/** True when both have tiers at the same sizes of prompt. */
function haveSameTiers(left: ShownPrice, right: ShownPrice): boolean {
  const sizes = (price: ShownPrice) => (price.tiers ?? []).map((tier) => tier.abovePromptTokens).join();
  return sizes(left) === sizes(right);
}

/** What changed from one price to the next. */
interface PriceChange {
  readonly differences: readonly PriceDifference[];
  /** Tiers began at other sizes of prompt: they are not compared one by one. */
  readonly hasOtherTiers: boolean;
}

/** Compares two prices class by class, and tier by tier where both have the same tiers. */
export function priceChange(former: ShownPrice, next: ShownPrice): PriceChange {
  const hasOtherTiers = !haveSameTiers(former, next);
  const differences: PriceDifference[] = [];
  const tiers = hasOtherTiers ? [] : (former.tiers ?? []);
  const pairs: readonly (readonly [Rates, Rates])[] = [
    [former, next],
    ...tiers.map((tier, at) => [tier, next.tiers?.[at] ?? tier] as const),
  ];
  for (const [part, [before, after]] of pairs.entries()) {
    for (const name of rateNames) {
      if (same(before[name], after[name])) continue;
      differences.push({ name, part, before: before[name], after: after[name] });
    }
  }
  if (!same(former.perRequest, next.perRequest)) {
    differences.push({ name: "perRequest", part: 0, before: former.perRequest, after: next.perRequest });
  }
  return { differences, hasOtherTiers };
}
