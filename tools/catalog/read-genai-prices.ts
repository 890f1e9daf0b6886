/**
 * Reads `@pydantic/genai-prices`: entries that match names by rules, and prices with tiers by class and
 * dates. Reads its data without executing its code.
 */
import type { CatalogPrice } from "../../server/src/domain/catalog/model-catalog.ts";
import { wholeNumber } from "./decimal.ts";
import { kindOf } from "./kinds.ts";
import {
  amountOf,
  type Figures,
  isFree,
  type Listed,
  otherPriceOf,
  pricedKinds,
  priceOf,
  type RateName,
} from "./listed.ts";
import {
  digitsOf,
  fieldsOf,
  itemsOf,
  type Literal,
  type LiteralFields,
  readLiteral,
  textOf,
} from "./literal.ts";

/** An entry: the model it is named after, and whether it matches other names. */
export interface GenaiEntry {
  readonly listed: Listed;
  readonly matches: (id: string) => boolean;
  /** True when the entry contains the id as a full name. */
  readonly names: (id: string) => boolean;
}

const rateKeys: { readonly [Name in RateName]: string } = {
  input: "input_mtok",
  output: "output_mtok",
  cachedInput: "cache_read_mtok",
  cacheWrite: "cache_write_mtok",
  longCacheWrite: "cache_write_1h_mtok",
  reasoning: "output_reasoning_mtok",
  audioInput: "input_audio_mtok",
  audioOutput: "output_audio_mtok",
  imageInput: "input_image_mtok",
  imageOutput: "output_image_mtok",
};
const rateEntries = Object.entries(rateKeys) as [RateName, string][];

function matcher(logic: Literal | undefined): (id: string) => boolean {
  const fields = fieldsOf(logic);
  const text = (name: string): string | undefined => textOf(fields[name])?.toLowerCase();
  const [equals, start, end, part] = [
    text("equals"),
    text("starts_with"),
    text("ends_with"),
    text("contains"),
  ];
  const regex = textOf(fields["regex"]);
  const form = regex === undefined ? undefined : new RegExp(regex);
  const some = itemsOf(fields["or"]).map(matcher);
  const all = itemsOf(fields["and"]).map(matcher);
  return (id) => {
    const lower = id.toLowerCase();
    return (
      lower === equals ||
      (start !== undefined && lower.startsWith(start)) ||
      (end !== undefined && lower.endsWith(end)) ||
      (part !== undefined && lower.includes(part)) ||
      form?.test(id) === true ||
      some.some((one) => one(id)) ||
      (all.length > 0 && all.every((one) => one(id)))
    );
  };
}

/** The full names in an entry. */
function namesOf(logic: Literal | undefined): string[] {
  const fields = fieldsOf(logic);
  const equals = textOf(fields["equals"]);
  return [...(equals === undefined ? [] : [equals]), ...itemsOf(fields["or"]).flatMap(namesOf)];
}

interface Dated {
  readonly from: string;
  readonly fields: LiteralFields;
}

/** The prices in force on a date, and later ones. Prices for certain hours of the day are ignored. */
function pricesOn(prices: Literal | undefined, date: string, faults: string[]) {
  let now: Dated = { from: "", fields: Array.isArray(prices) ? {} : fieldsOf(prices) };
  const later: Dated[] = [];
  for (const item of itemsOf(prices)) {
    const constraint = fieldsOf(fieldsOf(item)["constraint"]);
    const dated = {
      from: textOf(constraint["start_date"]) ?? "",
      fields: fieldsOf(fieldsOf(item)["prices"]),
    };
    if (constraint["start_time"] !== undefined) faults.push("costs something else at some times of day");
    else if (dated.from > date) later.push(dated);
    else if (dated.from >= now.from) now = dated;
  }
  return { now: now.fields, later: later.sort((a, b) => (a.from < b.from ? -1 : 1)) };
}

const baseOf = (value: Literal | undefined): string | undefined =>
  digitsOf(value) ?? digitsOf(fieldsOf(value)["base"]);

/** The rate of every class at a prompt size: the last tier that has begun, or the base. */
function figuresAt(fields: LiteralFields, above: number): Figures {
  const figureOf = (value: Literal | undefined): string | undefined => {
    let figure = baseOf(value);
    let begun = 0;
    for (const tier of itemsOf(fieldsOf(value)["tiers"])) {
      const start = wholeNumber(digitsOf(fieldsOf(tier)["start"]) ?? "") ?? 0;
      if (start > above || start < begun) continue;
      begun = start;
      figure = digitsOf(fieldsOf(tier)["price"]);
    }
    return figure;
  };
  return Object.fromEntries(rateEntries.map(([name, key]) => [name, figureOf(fields[key])])) as Figures;
}

function startsOf(fields: LiteralFields): number[] {
  const tiers = rateEntries.flatMap(([, key]) => itemsOf(fieldsOf(fields[key])["tiers"]));
  const starts = tiers.flatMap((tier) => wholeNumber(digitsOf(fieldsOf(tier)["start"]) ?? "") ?? []);
  return [...new Set(starts)];
}

function readPrice(fields: LiteralFields, faults: string[]): CatalogPrice | undefined {
  const tiers = startsOf(fields).map((above) => ({ above, figures: figuresAt(fields, above) }));
  const price = priceOf(figuresAt(fields, 0), tiers, faults);
  const thousandRequests = baseOf(fields["requests_kcount"]);
  if (price === undefined || thousandRequests === undefined) return price;
  const perRequest = amountOf(thousandRequests, "perRequest", faults, -3);
  return perRequest === "" || perRequest === "0" ? price : { ...price, perRequest };
}

/** Input modalities that have a price. */
function inputsOf(fields: LiteralFields): string[] {
  const shown = [
    ["audio", fields["input_audio_mtok"]],
    ["image", fields["input_image_mtok"]],
    ["video", fields["input_video_mtok"]],
  ] as const;
  return shown.flatMap(([name, figure]) => (figure === undefined ? [] : [name]));
}

function readEntry(model: Literal, date: string): GenaiEntry {
  const fields = fieldsOf(model);
  const faults: string[] = [];
  const id = textOf(fields["id"]) ?? "";
  const { now: prices, later } = pricesOn(fields["prices"], date, faults);
  // Only models with a price per output token are chat models; others charge pages, hours or embeddings.
  const kind = kindOf(id) === "chat" && baseOf(prices["output_mtok"]) === undefined ? "other" : kindOf(id);
  const price =
    kind === "chat"
      ? readPrice(prices, faults)
      : pricedKinds.has(kind)
        ? otherPriceOf(kind, figuresAt(prices, 0), faults)
        : undefined;
  const laterPrices = later.flatMap(({ from, fields: laterFields }) => {
    const laterPrice = price === undefined || kind !== "chat" ? undefined : readPrice(laterFields, faults);
    return laterPrice === undefined ? [] : [{ validFrom: from, ...laterPrice }];
  });
  const names = new Set([id, ...namesOf(fields["match"])].map((name) => name.toLowerCase()));
  const inputs = inputsOf(prices);
  return {
    listed: {
      source: "genai-prices",
      id,
      name: textOf(fields["name"]),
      kind,
      aliases: [...names].filter((name) => name !== id.toLowerCase()).sort(),
      isDeprecated: fields["deprecated"] === true ? true : undefined,
      input: inputs.length === 0 ? undefined : inputs,
      output: prices["output_audio_mtok"] === undefined ? undefined : ["audio"],
      context: wholeNumber(digitsOf(fields["context_window"]) ?? ""),
      price,
      laterPrices: laterPrices.length === 0 ? undefined : laterPrices,
      isZero: price !== undefined && isFree(price),
      faults,
    },
    matches: matcher(fields["match"]),
    names: (name) => names.has(name.toLowerCase()),
  };
}

/**
 * The entries of every provider by its id, with the prices of a date (2026-11-10), from the package's
 * JavaScript.
 */
export function readGenaiPrices(script: string, date: string): ReadonlyMap<string, readonly GenaiEntry[]> {
  const start = /^const \w+ = (?=\[)/.exec(script);
  if (start === null) throw new SyntaxError("genai-prices does not begin with its list of providers");
  const providers = itemsOf(readLiteral(script, start[0].length).value).map(fieldsOf);
  return new Map(
    providers.map((provider) => [
      textOf(provider["id"]) ?? "",
      itemsOf(provider["models"]).map((model) => readEntry(model, date)),
    ]),
  );
}
