/**
 * What a call would cost at a price, in the same arithmetic as the charge: tokens × rate summed over the
 * classes, rounded up once. Bigints only. How many tokens a text has is estimated by its bytes, as the
 * gateway does before a call. Knows no React.
 */
import { nanosOf } from "../../format/money.ts";
import type { ShownPrice } from "./price-rows.ts";

const million = 1_000_000n;
/** Bytes that count as one token, in the gateway's estimate of a prompt. */
const bytesPerToken = 4;

/**
 * An estimate of a text's tokens: its UTF-8 bytes by four, rounded up. A
 * model's own tokenizer counts otherwise.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / bytesPerToken);
}

/** Tokens of one request, by class. */
export interface AskedTokens {
  readonly prompt: number;
  /** How many of the prompt are read from a cache. */
  readonly cached: number;
  readonly output: number;
}

/** A cost and what it is made of; decimal dollars. */
export interface Cost {
  readonly total: string;
  readonly input: string;
  readonly cached: string;
  readonly output: string;
  /** What is added to each request. */
  readonly perRequest: string;
  /** The size of prompt above which the tier that applied begins; null = no tier. */
  readonly tier: number | null;
}

function textOf(nanos: bigint): string {
  const rest = (nanos % 1_000_000_000n).toString().padStart(9, "0").replace(/0+$/, "");
  return `${nanos / 1_000_000_000n}${rest === "" ? "" : `.${rest}`}`;
}

function whole(tokens: number): bigint {
  return Number.isFinite(tokens) && tokens > 0 ? BigInt(Math.floor(tokens)) : 0n;
}

function roundedUp(sum: bigint): bigint {
  return (sum + million - 1n) / million;
}

/** The cost of so many requests of these tokens each. */
export function costOf(price: ShownPrice, tokens: AskedTokens, requests = 1): Cost {
  const tier = (price.tiers ?? []).findLast((one) => tokens.prompt > one.abovePromptTokens);
  const rates = tier ?? price;
  const nanos = (rate: string): bigint => nanosOf(rate) ?? 0n;
  const cached = whole(Math.min(tokens.cached, tokens.prompt));
  const input = (whole(tokens.prompt) - cached) * nanos(rates.input);
  const cachedSum = cached * nanos(rates.cachedInput ?? rates.input);
  const output = whole(tokens.output) * nanos(rates.output);
  const perRequest = nanos(price.perRequest ?? "0");
  const times = whole(requests);
  const one = roundedUp(input + cachedSum + output) + perRequest;
  return {
    total: textOf(one * times),
    input: textOf(roundedUp(input * times)),
    cached: textOf(roundedUp(cachedSum * times)),
    output: textOf(roundedUp(output * times)),
    perRequest: textOf(perRequest * times),
    tier: tier?.abovePromptTokens ?? null,
  };
}

/** Seven days' amount at the same pace for thirty; an estimate, rounded to a billionth. */
export function monthlyOf(week: string): string {
  return textOf(((nanosOf(week) ?? 0n) * 30n) / 7n);
}
