/**
 * How much a request may cost at most, and how far its output must be cut when the balance does not reach. Pure.
 * Rule (DESIGN.md section 6): estimated input, and the most output the request may produce, at the price in force.
 */
import type { Price } from "@plaza/contract/catalog.ts";
import { ratesFor } from "./price.ts";

/** What is known of a request before it is sent. */
export interface HoldInput {
  readonly price: Price;
  /** Estimated tokens of the whole prompt. */
  readonly inputTokens: number;
  /** Most output tokens of one choice. */
  readonly outputTokens: number;
  /** How many choices are asked for. */
  readonly choices: number;
}

/** Output that is worth a call even if more was asked for; less than this is refused instead of clamped to. */
export const usefulOutputTokens = 256;

const million = 1_000_000n;

/** NanoUsd per million tokens of the dearer of two classes. */
const dearer = (a: bigint, b: bigint | undefined): bigint => (b !== undefined && b > a ? b : a);

/** The most this request may cost when every choice has `outputTokens`. NanoUsd. */
export function holdFor({ price, inputTokens, outputTokens, choices }: HoldInput): bigint {
  const rates = ratesFor(price, inputTokens);
  const input = dearer(dearer(rates.input, rates.cacheWrite), rates.longCacheWrite);
  const output = dearer(rates.output, rates.reasoning);
  const sum = BigInt(inputTokens) * input + BigInt(outputTokens * choices) * output;
  return (sum + million - 1n) / million + (price.perRequest ?? 0n);
}

/** The least that is worth setting aside: the prompt and a useful amount of output. NanoUsd. */
export function leastHoldFor(input: HoldInput): bigint {
  const outputTokens = Math.min(input.outputTokens, usefulOutputTokens);
  return holdFor({ ...input, outputTokens });
}

/** Output tokens per choice that `held` NanoUsd pay for; at most what was asked. */
export function affordableOutput(input: HoldInput, held: bigint): number {
  const { price, inputTokens, outputTokens, choices } = input;
  const rates = ratesFor(price, inputTokens);
  const output = dearer(rates.output, rates.reasoning) * BigInt(choices);
  if (output === 0n) return outputTokens;
  const prompt = holdFor({ ...input, outputTokens: 0 });
  const left = held > prompt ? (held - prompt) * million : 0n;
  const tokens = left / output;
  return tokens >= BigInt(outputTokens) ? outputTokens : Number(tokens);
}
