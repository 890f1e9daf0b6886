/**
 * Pure: a model's price over time. A catalog states one price and later changes; the store keeps rows that
 * are only added. Both are read from a given time on; earlier prices are not needed.
 */
import type { Model, Price, PriceRow, ScheduledPrice } from "@plaza/contract/catalog.ts";
import { priceAt } from "./price.ts";
import { priceText } from "./price-classes.ts";

type Prices = Pick<Model, "price" | "scheduledPrices">;

/** A price, or none, from a time on. */
export interface PriceChange {
  /** Unix milliseconds. */
  readonly validFrom: number;
  readonly price: Price | undefined;
}

/** Leaves out absent members, so that equal prices are equal objects. */
function pricesOf(price: Price | undefined, scheduledPrices: readonly ScheduledPrice[]): Prices {
  return {
    ...(price === undefined ? {} : { price }),
    ...(scheduledPrices.length === 0 ? {} : { scheduledPrices }),
  };
}

/** The changes that have an effect, each compared with the price before it. */
function realChanges<T extends PriceChange>(before: Price | undefined, changes: readonly T[]): T[] {
  let text = priceText(before);
  return changes.filter(({ price }) => {
    const isReal = priceText(price) !== text;
    text = priceText(price);
    return isReal;
  });
}

/**
 * A catalog's prices at a time: a scheduled price whose time has come is the price, and a schedule without
 * effect is dropped. So a file with a schedule means the same before and after its time.
 */
export function pricesFrom({ price, scheduledPrices }: Prices, nowMs: number): Prices {
  const scheduled = (scheduledPrices ?? []).toSorted((a, b) => a.validFrom - b.validFrom);
  const begun = scheduled.filter(({ validFrom }) => validFrom <= nowMs);
  const current = begun.at(-1)?.price ?? price;
  return pricesOf(current, realChanges(current, scheduled.slice(begun.length)));
}

/**
 * The rows that begin after a time, in order; of rows with the same start only the last written one, which
 * overrules the others.
 */
function rowsAfter(rows: readonly PriceRow[], time: number): PriceRow[] {
  const later = new Map<number, PriceRow>();
  for (const row of rows) {
    const other = later.get(row.validFrom);
    if (row.validFrom > time && (other === undefined || row.id > other.id)) later.set(row.validFrom, row);
  }
  return [...later.values()].sort((a, b) => a.validFrom - b.validFrom);
}

/** The row in force at a time, then the scheduled rows, in order. */
export function rowsFrom(rows: readonly PriceRow[], nowMs: number): PriceRow[] {
  const current = priceAt(rows, nowMs);
  return current === undefined ? [] : [current, ...rowsAfter(rows, Math.max(nowMs, current.validFrom))];
}

/** The prices in the rows from a time on, in the form of `pricesFrom`. */
export function pricesOfRows(rows: readonly PriceRow[], nowMs: number): Prices {
  const [current, ...later] = rowsFrom(rows, nowMs);
  const changes = realChanges(current?.price, later);
  const scheduled = changes.flatMap(({ validFrom, price }) =>
    price === undefined ? [] : [{ validFrom, price }],
  );
  return pricesOf(current?.price, scheduled);
}

/**
 * The rows to add, in order, so that exactly these prices apply from `nowMs` on. Rows are never removed: a
 * removed schedule is overruled by a row with the same start.
 */
export function rowsToAdd(rows: readonly PriceRow[], wanted: Prices, nowMs: number): PriceChange[] {
  const prices = pricesFrom(wanted, nowMs);
  const scheduled = new Map((prices.scheduledPrices ?? []).map((one) => [one.validFrom, one.price]));
  const written = new Map(rowsAfter(rows, nowMs).map((row) => [row.validFrom, row.price]));
  const added: PriceChange[] = [];
  let applies = priceAt(rows, nowMs)?.price;
  let price = prices.price;
  const add = (validFrom: number): void => {
    added.push({ validFrom, price });
    applies = price;
  };
  // A model's first row applies from the beginning. If none has begun, a row for now prevents that for later
  // ones.
  const hasBegun = rows.some(({ validFrom }) => validFrom <= nowMs);
  const isNothing = rows.length === 0 && price === undefined && scheduled.size === 0;
  if (hasBegun ? priceText(applies) !== priceText(price) : !isNothing) add(nowMs);
  const times = [...new Set([...scheduled.keys(), ...written.keys()])].sort((a, b) => a - b);
  for (const time of times) {
    if (written.has(time)) applies = written.get(time);
    price = scheduled.get(time) ?? price;
    if (priceText(applies) !== priceText(price)) add(time);
  }
  return added;
}
