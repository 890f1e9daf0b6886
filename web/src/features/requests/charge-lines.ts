/**
 * How a charge came about, line by line: tokens × price for each class, summed, rounded up once, plus the
 * amount per request. The same rule as `server/src/domain/money/price.ts`, which a test holds it to. Whole
 * numbers only: amounts are bigints of 10^-15 dollars. Pure.
 */
import type { Answer } from "../../api/routes.ts";
import { nanosOf } from "../../format/money.ts";

type Detail = Answer<"get /requests/{id}">;
type Price = NonNullable<NonNullable<Detail["price"]>["price"]>;
type Tier = NonNullable<Price["tiers"]>[number];

/** What a charge rests on; a request's detail has it. */
export type Charged = Pick<
  Detail,
  "inputTokens" | "cachedInputTokens" | "cacheWriteTokens" | "outputTokens" | "reasoningTokens" | "usageParts"
>;

export type TokenClass =
  | "input"
  | "audioInput"
  | "imageInput"
  | "cachedInput"
  | "cacheWrite"
  | "longCacheWrite"
  | "output"
  | "reasoning"
  | "audioOutput"
  | "imageOutput";

/** Tokens of one class, each counted in one line only. */
export interface ClassTokens {
  readonly class: TokenClass;
  readonly tokens: number;
}

/** The same with its price. */
export interface ChargeLine extends ClassTokens {
  /** Dollars per million tokens, a decimal string. */
  readonly rate: string;
  /** Dollars, exact, a decimal string. */
  readonly amount: string;
}

/** A charge as a sum. */
export interface ChargeSum {
  readonly lines: readonly ChargeLine[];
  /** The size of prompt above which these rates hold; undefined: the base rates. */
  readonly tierAbove: number | undefined;
  /** Of the lines, exact. */
  readonly sum: string;
  /** Rounding changed something. */
  readonly isRounded: boolean;
  /** Added once; undefined for none. */
  readonly perRequest: string | undefined;
  /** Sum rounded up, with the amount per request: a decimal string with nine decimals at most. */
  readonly charge: string;
}

const million = 1_000_000n;

/** 10^-15 dollars as a decimal string without trailing zeros. */
function written(femtos: bigint): string {
  const decimals = (femtos % 10n ** 15n).toString().padStart(15, "0").replace(/0+$/, "");
  return `${femtos / 10n ** 15n}${decimals === "" ? "" : `.${decimals}`}`;
}

function part(tokens: number | undefined, left: number): number {
  return Math.min(Math.max(tokens ?? 0, 0), left);
}

/** Every class that was used, in the order of a price list. */
export function classTokens(used: Charged): ClassTokens[] {
  const parts = used.usageParts;
  const audioInput = part(parts.audioInput, used.inputTokens);
  const imageInput = part(parts.imageInput, used.inputTokens - audioInput);
  const longCacheWrite = part(parts.longCacheWrite, used.cacheWriteTokens);
  const reasoning = part(used.reasoningTokens, used.outputTokens);
  const audioOutput = part(parts.audioOutput, used.outputTokens - reasoning);
  const imageOutput = part(parts.imageOutput, used.outputTokens - reasoning - audioOutput);
  const all: ClassTokens[] = [
    { class: "input", tokens: used.inputTokens - audioInput - imageInput },
    { class: "audioInput", tokens: audioInput },
    { class: "imageInput", tokens: imageInput },
    { class: "cachedInput", tokens: used.cachedInputTokens },
    { class: "cacheWrite", tokens: used.cacheWriteTokens - longCacheWrite },
    { class: "longCacheWrite", tokens: longCacheWrite },
    { class: "output", tokens: used.outputTokens - reasoning - audioOutput - imageOutput },
    { class: "reasoning", tokens: reasoning },
    { class: "audioOutput", tokens: audioOutput },
    { class: "imageOutput", tokens: imageOutput },
  ];
  return all.filter(({ tokens }) => tokens > 0);
}

function rateOf(rates: Price | Tier, name: TokenClass): string {
  switch (name) {
    case "longCacheWrite":
      return rates.longCacheWrite ?? rates.cacheWrite ?? rates.input;
    case "cachedInput":
    case "cacheWrite":
    case "audioInput":
    case "imageInput":
      return rates[name] ?? rates.input;
    case "reasoning":
    case "audioOutput":
    case "imageOutput":
      return rates[name] ?? rates.output;
    default:
      return rates[name];
  }
}

/** The tier a prompt of this many tokens falls into. */
function tierOf(price: Price, promptTokens: number): Tier | undefined {
  return price.tiers?.findLast((tier) => promptTokens > tier.abovePromptTokens);
}

/** What this usage costs at this price, as lines that add up. */
export function chargeSum(used: Charged, price: Price): ChargeSum {
  const tier = tierOf(price, used.inputTokens + used.cachedInputTokens + used.cacheWriteTokens);
  let femtos = 0n;
  const lines = classTokens(used).map((line): ChargeLine => {
    const rate = rateOf(tier ?? price, line.class);
    const amount = BigInt(line.tokens) * (nanosOf(rate) ?? 0n);
    femtos += amount;
    return { ...line, rate, amount: written(amount) };
  });
  const nanos = (femtos + million - 1n) / million;
  const perRequest = nanosOf(price.perRequest ?? "0") ?? 0n;
  return {
    lines,
    tierAbove: tier?.abovePromptTokens,
    sum: written(femtos),
    isRounded: nanos * million !== femtos,
    perRequest: perRequest === 0n ? undefined : price.perRequest,
    charge: written((nanos + perRequest) * million),
  };
}
