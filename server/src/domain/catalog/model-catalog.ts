/**
 * Pure: the shipped catalog of models (`catalog/`), and which of its rows an upstream's own name
 * for a model means. A match never carries the price of another model; where that cannot be
 * ruled out there is none. Reads no file.
 */
import type { Modalities, Price, PriceTier, Rates } from "@plaza/contract/catalog.ts";
import { type NanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { rateNames } from "../money/price-classes.ts";
import { canonicalName, type NameRule, nameLengthMax, readingsOf } from "./model-names.ts";

/** US dollars per million tokens of each class as plain decimals: what `plaza.yaml` takes. */
export type CatalogRates = { readonly [Name in keyof Rates]: string };

/** The rates of prompts larger than that. */
export interface CatalogTier extends CatalogRates {
  readonly abovePromptTokens: number;
}

/** A price of the same form as the `price` of a model in `plaza.yaml`. */
export interface CatalogPrice extends CatalogRates {
  /** US dollars. */
  readonly perRequest?: string;
  readonly tiers?: readonly CatalogTier[];
}

/** A price that takes over on a day: an entry of `prices` in `plaza.yaml`. */
export interface LaterPrice extends CatalogPrice {
  /** Like "2027-01-01"; its first moment in UTC. */
  readonly validFrom: string;
}

/** What a model can do, where a source says so; absent = unknown. */
export interface Capabilities {
  readonly tools?: boolean;
  readonly reasoning?: boolean;
  readonly vision?: boolean;
}

/** Facts of a row that its own source does not have. */
export interface FilledFacts {
  readonly source: string;
  readonly date: string;
  /** Names of facts: "context", "price", "price.longCacheWrite", … */
  readonly facts: readonly string[];
}

/** One model of one provider. What no source says is absent. */
export interface CatalogRow {
  /** Its name at the provider. */
  readonly id: string;
  readonly name: string;
  readonly family?: string;
  /**
   * Absent = a chat model. What Plaza knows of other kinds: `model-kinds.ts`; only
   * `completion` and `embedding` have prices.
   */
  readonly kind?: string;
  /** Other names of the same model at the provider. */
  readonly aliases?: readonly string[];
  readonly isDeprecated?: boolean;
  readonly modalities?: Modalities;
  /** Tokens. */
  readonly context?: number;
  /** Tokens. */
  readonly maxOutput?: number;
  readonly capabilities?: Capabilities;
  readonly price?: CatalogPrice;
  /** Prices announced for later than `date`, by day. */
  readonly laterPrices?: readonly LaterPrice[];
  /** Package and version, like "@earendil-works/pi-ai@1.5.2". */
  readonly source: string;
  /** The day the source is of, like "2026-11-10". */
  readonly date: string;
  readonly filled?: readonly FilledFacts[];
}

/**
 * Whose word a row's price is, or its later ones, and of which day: the row's own
 * source, or another one that filled it in.
 */
export function priceSourceOf(
  row: CatalogRow,
  fact: "price" | "laterPrices" = "price",
): { readonly source: string; readonly date: string } {
  const { source, date } = row.filled?.find(({ facts }) => facts.includes(fact)) ?? row;
  return { source, date };
}

/**
 * What a row says of prices at a time: a later price whose day has come is the price,
 * and the word of its announcer.
 */
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

/** A row that a name means. */
export interface CatalogMatch {
  /** `exact`: the very same id. `alias`: another spelling of it, by the rules in `by`. */
  readonly sure: "exact" | "alias";
  /** How the name was taken to mean the row, in order; empty when exact. */
  readonly by: readonly NameRule[];
  /** Without a price when `by` has a rule under which the price may be another one (`region`). */
  readonly row: CatalogRow;
}

/** Finds the row of one provider that a name means; undefined where none does, or more than one could. */
export type FindRow = (name: string) => CatalogMatch | undefined;

/** The shipped catalog; nothing of it is in memory before the first question. */
export interface ModelCatalog {
  /**
   * The row that an upstream's name for a model means. undefined: there is none, or the catalog
   * does not know the provider (`openai`, `anthropic`, `google`, `vertex`, `bedrock`, `azure`,
   * `groq`, …: the names of the files).
   */
  readonly findModel: (provider: string, upstreamModelName: string) => CatalogMatch | undefined;
  /** Every row of a provider, by id; none for a provider the catalog does not know. */
  readonly listModels: (provider: string) => readonly CatalogRow[];
}

/** A row, and what was done to its id for it to be found by the name it is indexed under. */
interface Entry {
  readonly row: CatalogRow;
  readonly rules: readonly NameRule[];
}

/** Two rows that share a name, under which neither is found. */
const shared = Symbol("shared");
type Index = Map<string, Entry | typeof shared>;

function add(index: Index, name: string, entry: Entry): void {
  const other = index.get(name);
  const isSame = other === undefined || (other !== shared && other.row === entry.row);
  index.set(name, isSame ? entry : shared);
}

/**
 * What was done to only one of the two, the name first; all of it where both
 * were written in ways of the same kind.
 */
function difference(rules: readonly NameRule[], ofRow: readonly NameRule[]): readonly NameRule[] {
  const ofName = rules.filter((rule) => !ofRow.includes(rule));
  const only = [...ofName, ...ofRow.filter((rule) => !rules.includes(rule))];
  return only.length > 0 ? only : rules;
}

const withoutPrice = ({ price: _, laterPrices: __, ...row }: CatalogRow): CatalogRow => row;

/** What a reading of a name finds; `by` in the order in which it was read. */
function matchOf({ row, rules }: Entry, by: readonly NameRule[]): CatalogMatch {
  const differing = difference(by, rules);
  return { sure: "alias", by: differing, row: by.includes("region") ? withoutPrice(row) : row };
}

/**
 * The rows of one provider by all their names. Cost: one pass over the rows; a look-up
 * takes as long however many there are.
 */
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
      // A name that two rows share means neither, and a looser reading of it cannot mean more.
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

/** The price of a row as the store and the gateway know it; a RangeError for amounts that are none. */
export function priceOf(price: CatalogPrice): Price {
  const perRequest: NanoUsd | undefined =
    price.perRequest === undefined ? undefined : parseUsd(price.perRequest);
  return {
    ...ratesOf(price),
    ...(perRequest === undefined ? {} : { perRequest }),
    ...(price.tiers === undefined ? {} : { tiers: price.tiers.map(tierOf) }),
  };
}
