/**
 * Pure: the shipped catalog of models (`catalog/`), and which of its rows matches an upstream's name for a
 * model. A match never has the price of another model; when that cannot be excluded there is no match. Reads
 * no file.
 */
import type { Modalities, Price, PriceTier, Rates } from "@plaza/contract/catalog.ts";
import { type NanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { rateNames } from "../money/price-classes.ts";
import { canonicalName, type NameRule, nameLengthMax, readingsOf } from "./model-names.ts";

/** US dollars per million tokens of each class, as plain decimals as in `plaza.yaml`. */
export type CatalogRates = { readonly [Name in keyof Rates]: string };

/** The rates for larger prompts. */
export interface CatalogTier extends CatalogRates {
  readonly abovePromptTokens: number;
}

/** A price in the form of a model's `price` in `plaza.yaml`. */
export interface CatalogPrice extends CatalogRates {
  /** US dollars. */
  readonly perRequest?: string;
  readonly tiers?: readonly CatalogTier[];
}

/** A price that applies from a day on, as an entry of `prices` in `plaza.yaml`. */
export interface LaterPrice extends CatalogPrice {
  /** Like "2027-01-01": the start of that day in UTC. */
  readonly validFrom: string;
}

/** A model's capabilities, if a source states them; absent: unknown. */
export interface Capabilities {
  readonly tools?: boolean;
  readonly reasoning?: boolean;
  readonly vision?: boolean;
}

/** Facts of a row that come from another source than its own. */
export interface FilledFacts {
  readonly source: string;
  readonly date: string;
  /** Names of facts: "context", "price", "price.longCacheWrite", … */
  readonly facts: readonly string[];
}

/** One model of one provider. What no source states is absent. */
export interface CatalogRow {
  /** Its name at the provider. */
  readonly id: string;
  readonly name: string;
  readonly family?: string;
  /**
   * Absent: a chat model. `model-kinds.ts` has the other known kinds; only `completion` and `embedding` have
   * prices.
   */
  readonly kind?: string;
  /** Other names of the same model at the provider. */
  readonly aliases?: readonly string[];
  readonly isDeprecated?: boolean;
  readonly modalities?: Modalities;
  /** Context window in tokens. */
  readonly context?: number;
  /** Most output tokens. */
  readonly maxOutput?: number;
  readonly capabilities?: Capabilities;
  readonly price?: CatalogPrice;
  /** Prices announced for later than `date`, by day. */
  readonly laterPrices?: readonly LaterPrice[];
  /** Package and version, like "@earendil-works/pi-ai@1.5.2". */
  readonly source: string;
  /** The date of the source, like "2026-11-10". */
  readonly date: string;
  readonly filled?: readonly FilledFacts[];
}

/**
 * The source and date of a row's price, or of its later prices: the row's own source, or another one that
 * filled it in.
 */
export function priceSourceOf(
  row: CatalogRow,
  fact: "price" | "laterPrices" = "price",
): { readonly source: string; readonly date: string } {
  const { source, date } = row.filled?.find(({ facts }) => facts.includes(fact)) ?? row;
  return { source, date };
}

/** A row's prices at a time: a later price whose day has come is the price, with its own source. */
export function pricesAt(row: CatalogRow, now: Date) {
  const today = now.toISOString().slice(0, 10);
  const all = row.laterPrices ?? [];
  const begun = all.filter(({ validFrom }) => validFrom <= today).at(-1);
  const later = all.filter(({ validFrom }) => validFrom > today);
  const { validFrom: _, ...price }: Partial<LaterPrice> = begun ?? row.price ?? {};
  return {
    price: row.price === undefined ? undefined : (price as CatalogPrice),
    later: row.price === undefined ? [] : later,
    source: priceSourceOf(row, begun === undefined ? "price" : "laterPrices"),
  };
}

/** A row that matches a name. */
export interface CatalogMatch {
  /** `exact`: the same id. `alias`: another spelling of it, by the rules in `by`. */
  readonly sure: "exact" | "alias";
  /** The rules by which the name matches, in order; empty when exact. */
  readonly by: readonly NameRule[];
  /** Without a price when `by` contains a rule that may change the price (`region`). */
  readonly row: CatalogRow;
}

/** Finds the row of a provider for a name; undefined when none or several may match. */
export type FindRow = (name: string) => CatalogMatch | undefined;

/** The shipped catalog. It is loaded at the first call. */
export interface ModelCatalog {
  /**
   * The row for an upstream's name of a model. Undefined when there is none, or when the catalog does not
   * have the provider (the names of its files: `openai`, `anthropic`, `google`, `vertex`, `bedrock`, `azure`,
   * `groq`, …).
   */
  readonly findModel: (provider: string, upstreamModelName: string) => CatalogMatch | undefined;
  /** All rows of a provider by id; empty for an unknown provider. */
  readonly listModels: (provider: string) => readonly CatalogRow[];
}

/** A row, and the rules that turn its id into the name it is indexed by. */
interface Entry {
  readonly row: CatalogRow;
  readonly rules: readonly NameRule[];
}

/** Marks a name that two rows share; it finds neither. */
const shared = Symbol("shared");
type Index = Map<string, Entry | typeof shared>;

function add(index: Index, name: string, entry: Entry): void {
  const other = index.get(name);
  const isSame = other === undefined || (other !== shared && other.row === entry.row);
  index.set(name, isSame ? entry : shared);
}

/**
 * Rules applied to only one of the two, the name's first; all of them if both were changed by rules of the
 * same kind.
 */
function difference(rules: readonly NameRule[], ofRow: readonly NameRule[]): readonly NameRule[] {
  const ofName = rules.filter((rule) => !ofRow.includes(rule));
  const only = [...ofName, ...ofRow.filter((rule) => !rules.includes(rule))];
  return only.length > 0 ? only : rules;
}

const withoutPrice = ({ price: _, laterPrices: __, ...row }: CatalogRow): CatalogRow => row;

/** The match for a reading of a name; `by` in the order of reading. */
function matchOf({ row, rules }: Entry, by: readonly NameRule[]): CatalogMatch {
  const differing = difference(by, rules);
  return { sure: "alias", by: differing, row: by.includes("region") ? withoutPrice(row) : row };
}

/** Indexes the rows of a provider by all their names, in one pass. A look-up takes constant time. */
export function indexRows(provider: string, rows: readonly CatalogRow[]): FindRow {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byName: Index = new Map();
  const byAlias: Index = new Map();
  for (const row of rows) {
    const { name, rules } = canonicalName(provider, row.id);
    add(byName, name, { row, rules });
    for (const alias of row.aliases ?? [])
      add(byAlias, canonicalName(provider, alias).name, { row, rules: [] });
  }
  return (name) => {
    if (name.length > nameLengthMax) return undefined;
    const same = byId.get(name);
    if (same !== undefined) return { sure: "exact", by: [], row: same };
    for (const { name: read, rules } of readingsOf(provider, name)) {
      const entry = byName.get(read);
      const stated = entry ?? byAlias.get(read);
      // A name that two rows share matches neither, and looser readings cannot be more certain.
      if (stated === shared) return undefined;
      if (stated !== undefined) return matchOf(stated, entry === undefined ? [...rules, "stated"] : rules);
    }
    return undefined;
  };
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

function ratesOf(rates: CatalogRates): Rates {
  const read: Writable<Rates> = { input: parseUsd(rates.input), output: parseUsd(rates.output) };
  for (const name of rateNames) {
    const text = rates[name];
    if (text !== undefined) read[name] = parseUsd(text);
  }
  return read;
}

function tierOf(tier: CatalogTier): PriceTier {
  return { abovePromptTokens: tier.abovePromptTokens, ...ratesOf(tier) };
}

/** Converts a row's price; throws RangeError for invalid amounts. */
export function priceOf(price: CatalogPrice): Price {
  const perRequest: NanoUsd | undefined =
    price.perRequest === undefined ? undefined : parseUsd(price.perRequest);
  return {
    ...ratesOf(price),
    ...(perRequest === undefined ? {} : { perRequest }),
    ...(price.tiers === undefined ? {} : { tiers: price.tiers.map(tierOf) }),
  };
}
