/**
 * The `price` or `prices` of a model and the `cost` of a deployment: US dollars as quoted decimals → NanoUsd.
 * Has no clock, so it does not decide whether a scheduled price applies yet.
 */

import type { Model, Price, PriceTier, Rates, ScheduledPrice } from "@plaza/contract/catalog.ts";
import {
  type AmountForm,
  amountFault,
  catalogMax,
  perMillion,
  perRequest,
} from "@plaza/contract/catalog-values.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { type NanoUsd, nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { quote } from "../../../lib/quote.ts";
import { rateNames } from "../../money/price-classes.ts";
import {
  fault,
  missing,
  type Reading,
  readFields,
  readList,
  readText,
  readTimeMs,
  readWhole,
  type Spot,
} from "./reading.ts";

const whereOf = ({ env }: Reading): "file" | "form" => (env === undefined ? "form" : "file");

/** One amount; 0 after a fault. */
function readAmount(reading: Reading, spot: Spot, form: AmountForm): NanoUsd {
  const { part } = spot;
  if (part.kind === "other" && typeof part.value === "number") {
    const example = /^\d+(\.\d+)?$/.test(part.source)
      ? message("price.quoteLike", { quoted: quote(part.source) })
      : message("price.quote", { form: form.text(whereOf(reading)) });
    fault(reading, spot, example);
    return nanoUsd(0n);
  }
  const where = whereOf(reading);
  const read = readText(reading, spot, form.text(where));
  if (read === undefined) return nanoUsd(0n);
  const wrong = amountFault(read.text, form, where, read.shown);
  if (wrong === undefined) return parseUsd(read.text);
  fault(reading, spot, wrong);
  return nanoUsd(0n);
}

type RateSpots = { readonly [Name in (typeof rateNames)[number]]?: Spot };

/** The given rates of a price or a tier; input and output are required. */
function readRates(reading: Reading, parent: Spot, fields: RateSpots): Rates {
  const rates: { -readonly [Name in keyof Rates]: NanoUsd } = { input: nanoUsd(0n), output: nanoUsd(0n) };
  for (const name of rateNames) {
    const field = fields[name];
    if (field !== undefined) rates[name] = readAmount(reading, field, perMillion);
    else if (name === "input" || name === "output")
      missing(reading, parent, name, message("file.give", { what: perMillion.text(whereOf(reading)) }));
  }
  return rates;
}

function readTier(reading: Reading, spot: Spot): PriceTier | undefined {
  const fields = readFields(reading, spot, ["abovePromptTokens", ...rateNames]);
  if (fields === undefined) return undefined;
  if (fields.abovePromptTokens === undefined) {
    missing(reading, spot, "abovePromptTokens", message("price.tierWithoutSize"));
  }
  const above = fields.abovePromptTokens;
  return {
    abovePromptTokens: above === undefined ? 0 : readWhole(reading, above, 1, catalogMax.promptTokens),
    ...readRates(reading, spot, fields),
  };
}

/** Tiers in ascending order; 0 stands for a size that was already refused. */
function readTiers(reading: Reading, spot: Spot): PriceTier[] {
  const tiers: PriceTier[] = [];
  let largest = 0;
  for (const item of readList(reading, spot, "tiers", 1, catalogMax.tiers)) {
    const tier = readTier(reading, item);
    if (tier === undefined) continue;
    const { abovePromptTokens } = tier;
    if (abovePromptTokens > 0 && abovePromptTokens <= largest) {
      const path = `${item.path}.abovePromptTokens`;
      const field =
        item.part.kind === "mapping" ? item.part.fields.get("abovePromptTokens")?.value : undefined;
      fault(reading, { part: field ?? item.part, path }, message("price.tiersUnsorted", { largest }));
    }
    largest = Math.max(largest, abovePromptTokens);
    tiers.push(tier);
  }
  return tiers;
}

/** The keys of a price. */
export const priceFields = [...rateNames, "perRequest", "tiers"] as const;
type PriceSpots = { readonly [Name in (typeof priceFields)[number]]?: Spot };

function readPriceFields(reading: Reading, spot: Spot, fields: PriceSpots): Price {
  const request = fields.perRequest;
  return {
    ...readRates(reading, spot, fields),
    ...(request === undefined ? {} : { perRequest: readAmount(reading, request, perRequest) }),
    ...(fields.tiers === undefined ? {} : { tiers: readTiers(reading, fields.tiers) }),
  };
}

/** The price of a model with only one, or the cost of a deployment, which has the same form. */
export function readPrice(reading: Reading, spot: Spot): Price | undefined {
  const fields = readFields(reading, spot, priceFields);
  return fields === undefined ? undefined : readPriceFields(reading, spot, fields);
}

/** One entry of `prices`: the position of `validFrom`, if given, and the price. */
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

/** The scheduled prices of a list, by time; two at the same time are a fault. */
function readScheduled(reading: Reading, entries: readonly Entry[]): ScheduledPrice[] {
  const scheduled = new Map<number, ScheduledPrice>();
  for (const { validFrom, price } of entries) {
    if (validFrom === undefined) continue;
    const { ms: time, spot } = validFrom;
    if (time > 0 && scheduled.has(time)) fault(reading, spot, message("price.timeTwice"));
    scheduled.set(time, { validFrom: time, price });
  }
  return [...scheduled.values()].sort((a, b) => a.validFrom - b.validFrom);
}

/** The prices of a model with several: the one without a time applies now, the others from their time on. */
export function readPrices(reading: Reading, spot: Spot): Pick<Model, "price" | "scheduledPrices"> {
  const items = readList(reading, spot, "prices", 1, catalogMax.prices);
  const entries = items.flatMap((item) => readEntry(reading, item) ?? []);
  const [base, ...others] = entries.filter(({ validFrom }) => validFrom === undefined);
  for (const other of others) {
    fault(reading, other.spot, message("price.twoBase", { other: base?.spot.path ?? "" }));
  }
  if (base === undefined && entries.length > 0 && entries.length === items.length) {
    fault(reading, spot, message("price.noBase"));
  }
  const scheduledPrices = readScheduled(reading, entries);
  return {
    ...(base === undefined ? {} : { price: base.price }),
    ...(scheduledPrices.length === 0 ? {} : { scheduledPrices }),
  };
}
