/**
 * Pure: what a model costs over time. A catalog says it as one price and those that take over later;
 * the store keeps it as rows that only grow. Both are read from a given moment on: what applied
 * before it is no longer wanted.
 */
import type { Model, Price, PriceRow, ScheduledPrice } from "@plaza/contract/catalog.ts";
import { priceAt } from "./price.ts";
import { priceText } from "./price-classes.ts";

type Prices = Pick<Model, "price" | "scheduledPrices">;

/** A price, or that there is none, from a time on. */
export interface PriceChange {
  /** Unix milliseconds. */
  readonly validFrom: number;
  readonly price: Price | undefined;
}

/** Leaves out the absent, so that equal prices are equal objects. */
function pricesOf(price: Price | undefined, scheduledPrices: readonly ScheduledPrice[]): Prices {
  return {
    ...(price === undefined ? {} : { price }),
    ...(scheduledPrices.length === 0 ? {} : { scheduledPrices }),
  };
}

/** The changes that change something, each compared with what applies before it. */
function realChanges<T extends PriceChange>(before: Price | undefined, changes: readonly T[]): T[] {
  let text = priceText(before);
  return changes.filter(({ price }) => {
    const isReal = priceText(price) !== text;
    text = priceText(price);
    return isReal;
  });
}

/**
 * The prices of a catalog as they are at a time: a scheduled price whose time has come is
 * the price, and a schedule that would change nothing is none. So a file with a schedule
 * says the same before and after its time.
 */
export function pricesFrom({ price, scheduledPrices }: Prices, nowMs: number): Prices {
  const scheduled = (scheduledPrices ?? []).toSorted((a, b) => a.validFrom - b.validFrom);
  const begun = scheduled.filter(({ validFrom }) => validFrom <= nowMs);
  const current = begun.at(-1)?.price ?? price;
  return pricesOf(current, realChanges(current, scheduled.slice(begun.length)));
}

/**
 * The rows that begin after a time, in order; of rows that begin together only the last
 * written, which overrules the others.
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

/** The prices that rows say from a time on, as `pricesFrom` says them. */
export function pricesOfRows(rows: readonly PriceRow[], nowMs: number): Prices {
  const [current, ...later] = rowsFrom(rows, nowMs);
  const changes = realChanges(current?.price, later);
  const scheduled = changes.flatMap(({ validFrom, price }) =>
    price === undefined ? [] : [{ validFrom, price }],
  );
  return pricesOf(current?.price, scheduled);
}

/**
 * The rows to add, in order, so that from `nowMs` on exactly these prices apply. Rows are never taken back: a
 * schedule that is gone is overruled by a row that begins with it and says what then applies instead.
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
  // A model's first row counts from the beginning. Where none has begun, one for
  // now keeps later ones from doing so.
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
