/**
 * How much a request may cost at most, and how far its output must be cut when the balance does not
 * reach. Pure. Rule (`docs/call/billing.md`): estimated input, and the most output the request may
 * produce, at the price in force. The classes of the tokens are not known beforehand, so each
 * counts at the dearest rate it may meet.
 */
import type { Price, Rates } from "@plaza/contract/catalog.ts";

/** What is known of a request before it is sent. */
export interface HoldInput {
  readonly price: Price;
  /** Estimated tokens of the whole prompt. */
  readonly inputTokens: number;
  /** Most output tokens of one choice. */
  readonly outputTokens: number;
  /** Tokens of a choice that come on top and that no bound touches; absent = none. */
  readonly furtherTokens?: number | undefined;
  /** How many answers are asked for. */
  readonly answers: number;
  /** True when tokens of these kinds may occur in the prompt or the output: then their rates count. */
  readonly hasAudio: boolean;
  readonly hasImages: boolean;
}

/**
 * Output that is worth a call even if more was asked for; less than this is refused instead of clamped to.
 */
export const usefulOutputTokens = 256;

const million = 1_000_000n;

const dearest = (rates: readonly (bigint | undefined)[]): bigint =>
  rates.reduce<bigint>((most, rate) => (rate !== undefined && rate > most ? rate : most), 0n);

/** NanoUsd per million tokens: the most a token of the prompt and one of the output may cost. */
interface DearestRates {
  readonly input: bigint;
  readonly output: bigint;
}

/**
 * Prices live as long as the catalog they are of; nearly every request of
 * theirs is of text and asks for the same.
 */
const dearestTextRates = new WeakMap<Rates, DearestRates>();

function dearestText(rates: Rates): DearestRates {
  let found = dearestTextRates.get(rates);
  if (found === undefined) {
    const { input, cachedInput, cacheWrite, longCacheWrite, output, reasoning } = rates;
    found = {
      input: dearest([input, cachedInput, cacheWrite, longCacheWrite]),
      output: dearest([output, reasoning]),
    };
    dearestTextRates.set(rates, found);
  }
  return found;
}

function dearestOf(rates: Rates, { hasAudio, hasImages }: HoldInput): DearestRates {
  const text = dearestText(rates);
  if (!hasAudio && !hasImages) return text;
  const { audioInput, audioOutput, imageInput, imageOutput } = rates;
  return {
    input: dearest([text.input, hasAudio ? audioInput : undefined, hasImages ? imageInput : undefined]),
    output: dearest([text.output, hasAudio ? audioOutput : undefined, hasImages ? imageOutput : undefined]),
  };
}

/** Over the base rates and those of every tier that a prompt of at most this many tokens may fall into. */
function dearestRates(request: HoldInput): DearestRates {
  const { price, inputTokens } = request;
  let most = dearestOf(price, request);
  for (const tier of price.tiers ?? []) {
    if (inputTokens <= tier.abovePromptTokens) continue;
    const { input, output } = dearestOf(tier, request);
    most = { input: dearest([most.input, input]), output: dearest([most.output, output]) };
  }
  return most;
}

/** The most this request may cost when every choice has `outputTokens`. NanoUsd. */
export function holdFor(request: HoldInput): bigint {
  const { price, inputTokens, outputTokens, furtherTokens = 0, answers } = request;
  const { input, output } = dearestRates(request);
  const sum = BigInt(inputTokens) * input + BigInt(outputTokens + furtherTokens) * BigInt(answers) * output;
  return (sum + million - 1n) / million + (price.perRequest ?? 0n);
}

/** The least that is worth setting aside: the prompt and a useful amount of output. NanoUsd. */
export function leastHoldFor(input: HoldInput): bigint {
  const outputTokens = Math.min(input.outputTokens, usefulOutputTokens);
  return holdFor({ ...input, outputTokens });
}

/** Output tokens per choice that `held` NanoUsd pay for, to the last one; at most what was asked. */
export function affordableOutput(request: HoldInput, held: bigint): number {
  const { price, inputTokens, outputTokens, furtherTokens = 0, answers } = request;
  const rates = dearestRates(request);
  const perToken = rates.output * BigInt(answers);
  // In millionths, so that nothing is rounded before the end.
  const sure = BigInt(inputTokens) * rates.input + BigInt(furtherTokens) * perToken;
  const left = (held - (price.perRequest ?? 0n)) * million - sure;
  if (left < 0n) return 0;
  if (perToken === 0n) return outputTokens;
  const tokens = left / perToken;
  return tokens >= BigInt(outputTokens) ? outputTokens : Number(tokens);
}
