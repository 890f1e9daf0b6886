/**
 * Merges several packages' prices of one model: pi-ai first, else the genai-prices entry with the model's
 * full name, then pi-catalog. Contradictions are reported; additional rates are added.
 */
import type { CatalogPrice, CatalogTier, LaterPrice } from "../../server/src/domain/catalog/model-catalog.ts";
import { rateNames } from "../../server/src/domain/money/price-classes.ts";
import { isMore, type Listed, type RateName } from "./listed.ts";
import type { SourceName } from "./packages.ts";
import type { Finding, Said } from "./said.ts";

type Note = (what: Finding["what"], text: string) => void;

/** A price and the package it comes from. */
export interface Chosen {
  readonly price: CatalogPrice;
  readonly source: SourceName;
}

type Rates = CatalogTier | CatalogPrice;
const ratesText = (rates: Rates): string =>
  rateNames.flatMap((name) => (rates[name] === undefined ? [] : [`${name} ${rates[name]}`])).join(", ");

function priceText(price: CatalogPrice): string {
  const tiers = (price.tiers ?? []).map((tier) => `above ${tier.abovePromptTokens}: ${ratesText(tier)}`);
  return [ratesText(price), ...tiers].join("; ");
}

const sameMain = (one: Rates, other: Rates): boolean =>
  one.input === other.input && one.output === other.output;

/** Sizes that differ by one are equal: packages write "from 272000 on" and "above 272000" alike. */
const sameSize = (one: CatalogTier, other: CatalogTier): boolean =>
  Math.abs(one.abovePromptTokens - other.abovePromptTokens) <= 1;

/**
 * The contradictions of two prices. A class that only one of them has is none, nor are tiers that a package
 * never lists.
 */
function contradiction(one: CatalogPrice, other: CatalogPrice, areTiersKnown: boolean): string | undefined {
  const differs = (a: Rates, b: Rates): boolean =>
    rateNames.some((name) => a[name] !== undefined && b[name] !== undefined && a[name] !== b[name]);
  if (differs(one, other)) return "rates";
  const [mine, theirs] = [one.tiers ?? [], other.tiers ?? []];
  if (!areTiersKnown && (mine.length === 0 || theirs.length === 0)) return undefined;
  if (mine.length !== theirs.length) return "tiers";
  for (const tier of mine) {
    const same = theirs.find((their) => sameSize(tier, their));
    if (same === undefined || differs(tier, same)) return "tiers";
  }
  return undefined;
}

/** True when the price is credible: a price of 0 only where the package means free. */
function isUsable(
  listed: Listed | undefined,
  said: Said,
): listed is Listed & { readonly price: CatalogPrice } {
  if (listed?.price === undefined) return false;
  if (listed.isZero !== true) return true;
  // genai-prices omits unknown prices; the others write 0.
  return said.free?.test(listed.id) === true || said.genaiPrices?.isZero === true;
}

/**
 * Chooses the price: pi-ai's; otherwise that of the entry with the model's full name; otherwise pi-catalog's.
 */
function choosePrice(said: Said): Chosen | undefined {
  for (const listed of [said.piAi, said.genaiPrices, said.piCatalog]) {
    if (isUsable(listed, said)) return { price: listed.price, source: listed.source };
  }
  return undefined;
}

/** Adds classes without a rate in the chosen price, from a price with the same main rates. */
function addClasses<T extends Rates>(rates: T, from: Rates, prefix: string, added: Set<string>): T {
  const more: { [Name in RateName]?: string } = {};
  for (const name of rateNames) {
    const rate = from[name];
    if (rate === undefined || rates[name] !== undefined) continue;
    if (name === "cachedInput" && isMore(rate, rates.input)) continue;
    more[name] = rate;
    added.add(`${prefix}${name}`);
  }
  return { ...rates, ...more };
}

/** The chosen price, with further rates of another price with the same main rates. */
function complete(
  price: CatalogPrice,
  other: CatalogPrice,
  mayTier: boolean,
  added: Set<string>,
): CatalogPrice {
  const base = addClasses(price, other, "price.", added);
  const tiers = price.tiers?.map((tier) => {
    const same = other.tiers?.find((their) => sameSize(tier, their) && sameMain(tier, their));
    return same === undefined ? tier : addClasses(tier, same, "price.tiers.", added);
  });
  if (tiers !== undefined) return { ...base, tiers };
  if (!mayTier || other.tiers === undefined) return base;
  added.add("price.tiers");
  return { ...base, tiers: other.tiers };
}

/** pi-catalog lists tiers for a few models only. */
const knowsTiers = (said: Said, source: SourceName): boolean =>
  source !== "pi-catalog" && said.tierless?.has(source) !== true;

/** Announced prices, if they follow the chosen one. */
function laterPrices(said: Said, chosen: Chosen | undefined, added: Set<string>, note: Note) {
  const entry = said.genaiPrices;
  if (entry?.laterPrices === undefined || entry.price === undefined || chosen === undefined) return undefined;
  if (sameMain(chosen.price, entry.price)) {
    if (chosen.source !== entry.source) added.add("laterPrices");
    return entry.laterPrices;
  }
  const texts = entry.laterPrices.map((later) => `from ${later.validFrom} ${priceText(later)}`);
  note("dropped", `${texts.join("; ")} (${entry.source}, which has another price today)`);
  return undefined;
}

interface Priced {
  readonly later?: readonly LaterPrice[] | undefined;
  readonly chosen: Chosen | undefined;
  readonly added: ReadonlySet<string>;
}

/** The price of a model, the additions from genai-prices, and announced prices. */
export function mergePrices(said: Said, id: string, findings: Finding[]): Priced {
  const note: Note = (what, text) => void findings.push({ provider: said.provider, id, what, text });
  const added = new Set<string>();
  if (said.priceless !== undefined) return { chosen: undefined, added };
  let chosen = choosePrice(said);
  if (chosen === undefined) {
    const zero = [said.piAi, said.piCatalog].find((listed) => listed?.isZero === true);
    if (zero !== undefined)
      note("dropped", `price 0/0 of ${zero.source}: unknown or free, it does not say which`);
    return { chosen, added };
  }
  for (const other of [said.piAi, said.genaiPrices ?? said.genaiGroup, said.piCatalog]) {
    if (
      other?.price === undefined ||
      other.source === chosen.source ||
      (other.isZero === true && !isUsable(other, said))
    )
      continue;
    const isGroup = other === said.genaiGroup;
    const areTiersKnown = knowsTiers(said, chosen.source) && knowsTiers(said, other.source);
    const about = contradiction(chosen.price, other.price, areTiersKnown);
    if (about !== undefined) {
      const why = isGroup ? "names the model, the other a group of them" : reason(chosen.source);
      const values = `**${chosen.source}** ${priceText(chosen.price)} — ${other.source} ${priceText(other.price)}`;
      note("disagreement", `${about}: ${values} — kept: ${why}`);
    }
    const isOfModel = other.source === "genai-prices" && (!isGroup || said.isSnapshot === true);
    if (isOfModel && sameMain(chosen.price, other.price)) {
      const mayTier: boolean = !knowsTiers(said, chosen.source);
      chosen = { ...chosen, price: complete(chosen.price, other.price, mayTier, added) };
    }
  }
  return { chosen, added, later: laterPrices(said, chosen, added, note) };
}

const reason = (source: SourceName): string =>
  source === "pi-ai"
    ? "newest"
    : source === "genai-prices"
      ? "names the model and documents its prices"
      : "names the model";
