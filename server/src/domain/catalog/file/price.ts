/**
 * The `price` or `prices` of a model, and the `cost` of a deployment: US dollars as quoted decimals → NanoUsd. Knows no other
 * field and no clock: whether a scheduled price has begun is not its business.
 */
import type { Model, Price, PriceTier, Rates, ScheduledPrice } from "@plaza/contract/catalog.ts";
import { type NanoUsd, nanoUsd, parseUsd, type UsdFault, usdFault } from "@plaza/contract/money.ts";
import { quote } from "../../../lib/quote.ts";
import { rateNames } from "../../money/price-classes.ts";
import {
  fault,
  missing,
  type Reading,
  readFields,
  readList,
  readText,
  readWhole,
  type Spot,
} from "./reading.ts";
import { readTimeMs } from "./time.ts";

const tiersMax = 16;
const pricesMax = 100;
const promptTokensMax = 1_000_000_000;

/** What an amount may be, and how that is said. */
interface AmountForm {
  readonly max: string;
  readonly text: string;
}
const perMillion: AmountForm = {
  max: "1000000",
  text: 'US dollars per million tokens in quotes, from "0" to "1000000" with at most nine decimals, like "0.25"',
};
const perRequest: AmountForm = {
  max: "1000",
  text: 'US dollars per request in quotes, from "0" to "1000" with at most nine decimals, like "0.001"',
};

/** Why a text is no price, in the terms of the one who wrote it. */
function reasonAgainst(fault: UsdFault, form: AmountForm): string {
  switch (fault) {
    case "negative":
      return "is negative";
    case "signed":
      return "has a sign";
    case "not_a_number":
      return "is not a number";
    case "not_decimal":
      return "is not written in decimal digits";
    case "exponent":
      return "has an exponent";
    case "currency":
      return "has a currency or a word in it";
    case "comma":
      return "has a comma instead of a point";
    case "too_many_decimals":
      return "has more than nine decimals";
    case "too_large":
      return `is more than ${form.max}`;
    case "form":
      return "is not a price";
  }
}

/** One amount; 0 after a fault. */
function readAmount(reading: Reading, spot: Spot, form: AmountForm): NanoUsd {
  const { part } = spot;
  if (part.kind === "other" && typeof part.value === "number") {
    const example = /^\d+(\.\d+)?$/.test(part.source) ? `: ${quote(part.source)}` : `; give ${form.text}`;
    fault(reading, spot, `write the price in quotes, so that no digit is lost${example}`);
    return nanoUsd(0n);
  }
  const read = readText(reading, spot, form.text);
  if (read === undefined) return nanoUsd(0n);
  const wrong = usdFault(read.text, parseUsd(form.max));
  if (wrong === undefined) return parseUsd(read.text);
  fault(reading, spot, `${read.shown} ${reasonAgainst(wrong, form)}; give ${form.text}`);
  return nanoUsd(0n);
}

type RateSpots = { readonly [Name in (typeof rateNames)[number]]?: Spot };

/** The rates of a price or a tier that are given; input and output must be. */
function readRates(reading: Reading, parent: Spot, fields: RateSpots): Rates {
  const rates: { -readonly [Name in keyof Rates]: NanoUsd } = { input: nanoUsd(0n), output: nanoUsd(0n) };
  for (const name of rateNames) {
    const field = fields[name];
    if (field !== undefined) rates[name] = readAmount(reading, field, perMillion);
    else if (name === "input" || name === "output") missing(reading, parent, name, `give ${perMillion.text}`);
  }
  return rates;
}

function readTier(reading: Reading, spot: Spot): PriceTier | undefined {
  const fields = readFields(reading, spot, ["abovePromptTokens", ...rateNames]);
  if (fields === undefined) return undefined;
  if (fields.abovePromptTokens === undefined) {
    missing(reading, spot, "abovePromptTokens", "give the size of prompt above which the tier applies");
  }
  const above = fields.abovePromptTokens;
  return {
    abovePromptTokens: above === undefined ? 0 : readWhole(reading, above, 1, promptTokensMax),
    ...readRates(reading, spot, fields),
  };
}

/** Tiers in ascending order; 0 stands for a size that was refused already. */
function readTiers(reading: Reading, spot: Spot): PriceTier[] {
  const tiers: PriceTier[] = [];
  let largest = 0;
  for (const item of readList(reading, spot, "tiers", 1, tiersMax)) {
    const tier = readTier(reading, item);
    if (tier === undefined) continue;
    const { abovePromptTokens } = tier;
    if (abovePromptTokens > 0 && abovePromptTokens <= largest) {
      const path = `${item.path}.abovePromptTokens`;
      const field =
        item.part.kind === "mapping" ? item.part.fields.get("abovePromptTokens")?.value : undefined;
      const message = `must be more than ${largest}, that of a tier before; list tiers by size, the smallest first`;
      fault(reading, { part: field ?? item.part, path }, message);
    }
    largest = Math.max(largest, abovePromptTokens);
    tiers.push(tier);
  }
  return tiers;
}

const priceFields = [...rateNames, "perRequest", "tiers"] as const;
type PriceSpots = { readonly [Name in (typeof priceFields)[number]]?: Spot };

function readPriceFields(reading: Reading, spot: Spot, fields: PriceSpots): Price {
  const request = fields.perRequest;
  return {
    ...readRates(reading, spot, fields),
    ...(request === undefined ? {} : { perRequest: readAmount(reading, request, perRequest) }),
    ...(fields.tiers === undefined ? {} : { tiers: readTiers(reading, fields.tiers) }),
  };
}

/** The price of a model that has only one, or the cost of a deployment, which has the same form. */
export function readPrice(reading: Reading, spot: Spot): Price | undefined {
  const fields = readFields(reading, spot, priceFields);
  return fields === undefined ? undefined : readPriceFields(reading, spot, fields);
}

/** One entry of `prices`: where `validFrom` stands, if it does, and the price. */
interface Entry {
  readonly spot: Spot;
  readonly validFrom: { readonly spot: Spot; readonly ms: number } | undefined;
  readonly price: Price;
}

function readEntry(reading: Reading, spot: Spot): Entry | undefined {
  const fields = readFields(reading, spot, ["validFrom", ...priceFields]);
  if (fields === undefined) return undefined;
  const from = fields.validFrom;
  return {
    spot,
    validFrom: from === undefined ? undefined : { spot: from, ms: readTimeMs(reading, from) },
    price: readPriceFields(reading, spot, fields),
  };
}

/** The scheduled prices of a list by time; two at one time are a fault. */
function readScheduled(reading: Reading, entries: readonly Entry[]): ScheduledPrice[] {
  const scheduled = new Map<number, ScheduledPrice>();
  for (const { validFrom, price } of entries) {
    if (validFrom === undefined) continue;
    const { ms: time, spot } = validFrom;
    if (time > 0 && scheduled.has(time))
      fault(reading, spot, "is the time of another price of this model, too");
    scheduled.set(time, { validFrom: time, price });
  }
  return [...scheduled.values()].sort((a, b) => a.validFrom - b.validFrom);
}

/** The prices of a model that has several: the one from now on, which says no time, and those that take over at theirs. */
export function readPrices(reading: Reading, spot: Spot): Pick<Model, "price" | "scheduledPrices"> {
  const items = readList(reading, spot, "prices", 1, pricesMax);
  const entries = items.flatMap((item) => readEntry(reading, item) ?? []);
  const [base, ...others] = entries.filter(({ validFrom }) => validFrom === undefined);
  for (const other of others) {
    fault(reading, other.spot, `has no validFrom, nor has ${base?.spot.path}; only one price may be without`);
  }
  if (base === undefined && entries.length > 0 && entries.length === items.length) {
    fault(reading, spot, "needs one price without validFrom, which applies until another takes over");
  }
  const scheduledPrices = readScheduled(reading, entries);
  return {
    ...(base === undefined ? {} : { price: base.price }),
    ...(scheduledPrices.length === 0 ? {} : { scheduledPrices }),
  };
}
