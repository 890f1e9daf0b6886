/**
 * The most a request may cost, and how far its output must be limited when the balance is too low. Pure. The
 * rule (`docs/call/billing.md`): estimated input and the most output the request may produce, at the current
 * price. The token classes are not known in advance, so each token counts at the highest rate it may have.
 */
import type { Price, Rates } from "@plaza/contract/catalog.ts";

/** What is known about a request before it is sent. */
export interface HoldInput {
  readonly price: Price;
  /** Estimated tokens of the whole prompt. */
  readonly inputTokens: number;
  /** Most output tokens of one choice. */
  readonly outputTokens: number;
  /** Tokens per choice in addition, which no limit covers; absent: none. */
  readonly furtherTokens?: number | undefined;
  /** Number of requested answers. */
  readonly answers: number;
  /** True when prompt or output may contain such tokens; their rates then count. */
  readonly hasAudio: boolean;
  readonly hasImages: boolean;
}

/**
 * The least output worth a call when more was requested; below it the request is refused instead of limited.
 */
export const usefulOutputTokens = 256;

const million = 1_000_000n;

const dearest = (rates: readonly (bigint | undefined)[]): bigint =>
  rates.reduce<bigint>((most, rate) => (rate !== undefined && rate > most ? rate : most), 0n);

/** NanoUsd per million tokens: the highest rate of a prompt token and of an output token. */
interface DearestRates {
  readonly input: bigint;
  readonly output: bigint;
}

/** Cached by price object: nearly all requests with a price are text and need the same values. */
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

/** The most this request may cost, in NanoUsd, if every choice has `outputTokens`. */
export function holdFor(request: HoldInput): bigint {
  const { price, inputTokens, outputTokens, furtherTokens = 0, answers } = request;
  const { input, output } = dearestRates(request);
  const sum = BigInt(inputTokens) * input + BigInt(outputTokens + furtherTokens) * BigInt(answers) * output;
  return (sum + million - 1n) / million + (price.perRequest ?? 0n);
}

/** The smallest useful hold, in NanoUsd: the prompt and a useful amount of output. */
export function leastHoldFor(input: HoldInput): bigint {
  const outputTokens = Math.min(input.outputTokens, usefulOutputTokens);
  return holdFor({ ...input, outputTokens });
}

/** Output tokens per choice that `held` NanoUsd can pay for; at most the requested number. */
export function affordableOutput(request: HoldInput, held: bigint): number {
  const { price, inputTokens, outputTokens, furtherTokens = 0, answers } = request;
  const rates = dearestRates(request);
  const perToken = rates.output * BigInt(answers);
  // In millionths, so that only the result is rounded.
  const sure = BigInt(inputTokens) * rates.input + BigInt(furtherTokens) * perToken;
  const left = (held - (price.perRequest ?? 0n)) * million - sure;
  if (left < 0n) return 0;
  if (perToken === 0n) return outputTokens;
  const tokens = left / perToken;
  return tokens >= BigInt(outputTokens) ? outputTokens : Number(tokens);
}
