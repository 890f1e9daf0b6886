/**
 * What another price does: to the margin over what the upstream charges, and to what the last days' tokens
 * would have brought. Whole billionths in bigints, never floats. Pure.
 */
import type { PriceDocument } from "@plaza/contract/api/catalog.ts";
import { decimalOf, nanosOf } from "../../../format/money.ts";
import { rateNames } from "../values.ts";

const million = 1_000_000n;
/** A percentage has nine decimals here, too. */
const hundredPercent = 100n * 1_000_000_000n;

type Rates = { readonly [Name in (typeof rateNames)[number]]?: string | undefined };

/** `rate` × `percent` / 100, rounded half up to a billionth. */
function scaledAmount(amount: string, percentNanos: bigint): string {
  const nanos = nanosOf(amount);
  return nanos === undefined
    ? amount
    : decimalOf((nanos * percentNanos + hundredPercent / 2n) / hundredPercent);
}

function scaledRates<Given extends Rates>(rates: Given, percentNanos: bigint): Given {
  const scaled = { ...rates } as Record<string, unknown>;
  for (const name of rateNames) {
    const rate = rates[name];
    if (rate !== undefined) scaled[name] = scaledAmount(rate, percentNanos);
  }
  return scaled as Given;
}

/** The whole price at so many percent of it, as in "110"; undefined when that is no percentage. */
export function scaledPrice(price: PriceDocument, percent: string): PriceDocument | undefined {
  const percentNanos = nanosOf(percent);
  if (percentNanos === undefined || percentNanos < 0n) return undefined;
  return {
    ...scaledRates(price, percentNanos),
    ...(price.perRequest === undefined ? {} : { perRequest: scaledAmount(price.perRequest, percentNanos) }),
    ...(price.tiers === undefined
      ? {}
      : { tiers: price.tiers.map((tier) => scaledRates(tier, percentNanos)) }),
  };
}

/** Tenths of a percent, rounded half away from zero; written with a sign. */
function tenths(part: bigint, whole: bigint): bigint {
  const times = part * 1_000n * 2n;
  const size = ((times < 0n ? -times : times) + whole) / (2n * whole);
  return times < 0n ? -size : size;
}

/** A share in percent with one decimal, as in "+12.5" or "−3.0"; null where the whole is 0. */
export function percentText(part: bigint, whole: bigint): string | null {
  if (whole <= 0n) return null;
  const value = tenths(part, whole);
  const size = value < 0n ? -value : value;
  return `${value < 0n ? "−" : "+"}${size / 10n}.${size % 10n}`;
}

/** How one rate moves; each null where a side is unknown or 0. */
export interface RateEffect {
  /** New against old, in percent. */
  readonly change: string | null;
  /** New against what the upstream charges, in percent of that. */
  readonly markup: string | null;
  /** True when the upstream charges more. */
  readonly isLoss: boolean;
}

/** The effect on one rate. */
export function rateEffect(before: string | null, after: string, cost: string | null): RateEffect {
  const [old, next, paid] = [before, after, cost].map((text) => (text === null ? undefined : nanosOf(text)));
  const against = (whole: bigint | undefined) =>
    whole === undefined || next === undefined ? null : percentText(next - whole, whole);
  return {
    change: against(old),
    markup: against(paid),
    isLoss: paid !== undefined && next !== undefined && next < paid,
  };
}

/** Tokens by class, as the usage of a model has them. */
export interface UsedTokens {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Part of the output. */
  readonly reasoningTokens: number;
  readonly requests: number;
}

const count = (tokens: number): bigint => (Number.isSafeInteger(tokens) && tokens > 0 ? BigInt(tokens) : 0n);

/**
 * What these tokens come to at a price, in billionths: every class at its rate, or what it falls back to,
 * summed and rounded up once. Tiers and kinds of media are not known of sums, so that it is an estimate.
 */
export function amountAt(price: PriceDocument, used: UsedTokens): bigint {
  const rate = (own: string | undefined, other: string) => nanosOf(own ?? other) ?? 0n;
  const output = count(used.outputTokens);
  const reasoning = count(Math.min(used.reasoningTokens, used.outputTokens));
  const sum =
    count(used.inputTokens) * rate(undefined, price.input) +
    count(used.cachedInputTokens) * rate(price.cachedInput, price.input) +
    count(used.cacheWriteTokens) * rate(price.cacheWrite, price.input) +
    (output - reasoning) * rate(undefined, price.output) +
    reasoning * rate(price.reasoning, price.output);
  return (sum + million - 1n) / million + count(used.requests) * (nanosOf(price.perRequest ?? "0") ?? 0n);
}
