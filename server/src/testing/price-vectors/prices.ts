/**
 * Promise P07, for tests: usage as reported by providers, its expected charge, and the prices used, in US
 * dollars per million tokens. Prices are realistic where the numbers matter.
 */
import type { Price } from "@plaza/contract/catalog.ts";
import { parseUsd } from "@plaza/contract/money.ts";
import type { Usage } from "@plaza/contract/usage.ts";

const usd = parseUsd;
const sonnet = {
  input: usd("3"),
  output: usd("15"),
  cachedInput: usd("0.3"),
  cacheWrite: usd("3.75"),
  longCacheWrite: usd("6"),
};

export const vectorPrices = {
  mini: { input: usd("0.25"), output: usd("2"), cachedInput: usd("0.025") },
  /** With a rate of its own for reasoning. */
  deep: { input: usd("20"), output: usd("80"), reasoning: usd("60") },
  audio: { input: usd("2.5"), output: usd("10"), audioInput: usd("40"), audioOutput: usd("80") },
  image: {
    input: usd("5"),
    output: usd("10"),
    cachedInput: usd("1.25"),
    imageInput: usd("10"),
    imageOutput: usd("40"),
  },
  /** Every class has a different rate. */
  every: {
    input: usd("1"),
    output: usd("2"),
    cachedInput: usd("3"),
    cacheWrite: usd("4"),
    longCacheWrite: usd("5"),
    reasoning: usd("6"),
    audioInput: usd("7"),
    audioOutput: usd("8"),
    imageInput: usd("9"),
    imageOutput: usd("10"),
  },
  /** Cache writes for thirty minutes and for twelve hours. */
  terra: {
    ...{ input: usd("1"), output: usd("5"), cachedInput: usd("0.05") },
    ...{ cacheWrite: usd("1.25"), longCacheWrite: usd("2.5") },
    tiers: [
      {
        ...{ abovePromptTokens: 272_000, input: usd("2"), output: usd("7.5") },
        ...{ cachedInput: usd("0.1"), cacheWrite: usd("2.5"), longCacheWrite: usd("5") },
      },
    ],
  },
  call: { input: usd("1"), output: usd("1"), perRequest: usd("0.005") },
  callTiny: { input: usd("0.000000001"), output: usd("0.000000003"), perRequest: usd("0.000000001") },
  free: { input: usd("0"), output: usd("0") },
  freeInput: { input: usd("0"), output: usd("15") },
  freeCache: { input: usd("1"), output: usd("2"), cachedInput: usd("0") },
  tiny: { input: usd("0.000000001"), output: usd("0.000000003") },
  most: { input: usd("1000000"), output: usd("1000000") },
  seek: { input: usd("0.27"), output: usd("1.1"), cachedInput: usd("0.07") },
  grok: { input: usd("3"), output: usd("15"), cachedInput: usd("0.75") },
  /** Two tiers, no rate for cached tokens. */
  steps: {
    input: usd("0.5"),
    output: usd("2"),
    tiers: [
      { abovePromptTokens: 32_000, input: usd("1"), output: usd("4") },
      { abovePromptTokens: 128_000, input: usd("2"), output: usd("8") },
    ],
  },
  pro: {
    input: usd("1.25"),
    output: usd("10"),
    cachedInput: usd("0.125"),
    tiers: [{ abovePromptTokens: 200_000, input: usd("2.5"), output: usd("15"), cachedInput: usd("0.25") }],
  },
  sonnet,
  long: {
    ...sonnet,
    tiers: [
      {
        abovePromptTokens: 200_000,
        input: usd("6"),
        output: usd("22.5"),
        cachedInput: usd("0.6"),
        cacheWrite: usd("7.5"),
        longCacheWrite: usd("12"),
      },
    ],
  },
  shortWrites: {
    input: usd("3"),
    output: usd("15"),
    cachedInput: usd("0.3"),
    cacheWrite: usd("3.75"),
  },
  plainSonnet: { input: usd("3"), output: usd("15") },
  freeHour: { ...sonnet, longCacheWrite: usd("0") },
  flash: { input: usd("0.3"), output: usd("2.5"), cachedInput: usd("0.075"), audioInput: usd("1") },
  banana: { input: usd("0.3"), output: usd("2.5"), imageOutput: usd("30") },
  speech: { input: usd("0.5"), output: usd("2"), audioOutput: usd("10") },
  nova: { input: usd("0.8"), output: usd("3.2"), cachedInput: usd("0.2"), cacheWrite: usd("0") },
} as const satisfies Record<string, Price>;

export type PriceName = keyof typeof vectorPrices;

/**
 * One case. The split into classes was done by hand from `docs/wire/`, and the sum with exact fractions
 * outside this code base, so that both are independent of the usage readers and `chargeFor`.
 */
export interface PriceVector {
  readonly name: string;
  readonly price: PriceName;
  /** The provider's usage object as JSON. */
  readonly usage: string;
  /** Tokens × US dollars per million tokens for each class; a term without × is the price per request. */
  readonly working: string;
  /** NanoUsd, rounded up once. */
  readonly charge: bigint;
}

/** The vectors of one form of usage reports. Providers have theirs in `priceSuites` of their `testing/`. */
export interface PriceSuite {
  readonly name: string;
  /** The reader of these reports; undefined for a report it cannot use. */
  read(usage: unknown): Usage | undefined;
  readonly vectors: readonly PriceVector[];
}
