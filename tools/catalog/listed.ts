/**
 * One package's data on one model in the catalog's terms, with figures converted to prices. An invalid figure
 * is reported as a fault and never changed.
 */
import { nanoUsd, parseUsd, type UsdFault, usdFault } from "@plaza/contract/money.ts";
import type {
  Capabilities,
  CatalogPrice,
  CatalogRates,
  CatalogTier,
  LaterPrice,
} from "../../server/src/domain/catalog/model-catalog.ts";
import { rateNames } from "../../server/src/domain/money/price-classes.ts";
import { plainDecimal } from "./decimal.ts";
import type { SourceName } from "./packages.ts";

export type RateName = (typeof rateNames)[number];

/** One model as one package lists it. */
export interface Listed {
  readonly source: SourceName;
  readonly id: string;
  readonly name?: string | undefined;
  /** "chat", or another kind. */
  readonly kind: string;
  readonly aliases?: readonly string[] | undefined;
  readonly isDeprecated?: boolean | undefined;
  readonly input?: readonly string[] | undefined;
  readonly output?: readonly string[] | undefined;
  readonly context?: number | undefined;
  readonly maxOutput?: number | undefined;
  readonly capabilities?: Capabilities | undefined;
  readonly price?: CatalogPrice | undefined;
  readonly laterPrices?: readonly LaterPrice[] | undefined;
  /** True when input and output cost 0, which means free or unknown. */
  readonly isZero?: boolean | undefined;
  /** Data that was dropped or that a row cannot express. */
  readonly faults: readonly string[];
}

/** The figures of a price or tier by class, as in the source. */
export type Figures = { readonly [Name in RateName]?: string | undefined };

const perMillionMax = parseUsd("1000000");

const reasons: Partial<Record<UsdFault, string>> = {
  negative: "is negative",
  too_many_decimals: "has more than nine decimals",
  too_large: "is too large",
};

/** Converts a figure to a price; "" for an invalid one, which is added to `faults`. */
export function amountOf(figure: string, what: string, faults: string[], shift = 0): string {
  const plain = plainDecimal(figure, shift) ?? figure;
  const fault = usdFault(plain, perMillionMax);
  if (fault === undefined) return plain;
  faults.push(`${what} ${figure} ${reasons[fault] ?? "is no price"}`);
  return "";
}

/** True when the first decimal is greater. */
export const isMore = (one: string, other: string): boolean => parseUsd(one) > parseUsd(other);
const isZero = (amount: string): boolean => parseUsd(amount) === nanoUsd(0n);

/**
 * The rates of all classes, or undefined when none can be charged. In all sources, 0 in a class besides input
 * and output means that the class does not exist; it must not become a rate of 0.
 */
function ratesOf(figures: Figures, what: string, faults: string[]): CatalogRates | undefined {
  if (figures.input === undefined || figures.output === undefined) return undefined;
  const input = amountOf(figures.input, `${what}input`, faults);
  const output = amountOf(figures.output, `${what}output`, faults);
  if (input === "" || output === "") return undefined;
  if (isZero(input) !== isZero(output)) {
    faults.push(`${what}price ${input}/${output} charges one direction only`);
    return undefined;
  }
  const rates: { -readonly [Name in keyof CatalogRates]: string } = { input, output };
  for (const name of rateNames) {
    const figure = figures[name];
    if (name === "input" || name === "output" || figure === undefined) continue;
    const amount = amountOf(figure, `${what}${name}`, faults);
    if (amount === "" || isZero(amount)) continue;
    if (name === "cachedInput" && isMore(amount, input))
      faults.push(`${what}cachedInput ${amount} is more than input`);
    else rates[name] = amount;
  }
  return rates;
}

/** A price from its base figures and those of its tiers; undefined when the base or a tier is invalid. */
export function priceOf(
  figures: Figures,
  tiers: readonly { readonly above: number; readonly figures: Figures }[],
  faults: string[],
): CatalogPrice | undefined {
  const base = ratesOf(figures, "", faults);
  if (base === undefined) return undefined;
  const read: CatalogTier[] = [];
  for (const { above, figures: tierFigures } of [...tiers].sort((a, b) => a.above - b.above)) {
    const rates = ratesOf(tierFigures, `above ${above} `, faults);
    // A price without its tier would undercharge large prompts.
    if (rates === undefined) return undefined;
    read.push({ abovePromptTokens: above, ...rates });
  }
  return read.length === 0 ? base : { ...base, tiers: read };
}

/** Kinds other than chat that are paid per token, so that their rows have prices. */
export const pricedKinds: ReadonlySet<string> = new Set(["completion", "embedding"]);

/**
 * The price of a model of these kinds. Embeddings charge input only; a 0 does not tell whether they are free.
 */
export function otherPriceOf(kind: string, figures: Figures, faults: string[]): CatalogPrice | undefined {
  if (kind === "completion") {
    const price = priceOf(figures, [], faults);
    return price === undefined || isFree(price) ? undefined : price;
  }
  if (figures.input === undefined) return undefined;
  const input = amountOf(figures.input, "input", faults);
  return input === "" || isZero(input) ? undefined : { input, output: "0" };
}

/** True when both main rates are 0. */
export const isFree = (price: CatalogPrice): boolean => isZero(price.input) && isZero(price.output);
