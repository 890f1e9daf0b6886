/**
 * Pure: when a price of the shipped catalog is too old to be used without checking the vendor's page, and
 * which models still have such a price. A price set by the operator is never reported, whatever its age.
 */
import type { Catalog, Model, Upstream } from "@plaza/contract/catalog.ts";
import { type ModelCatalog, priceOf, pricesAt } from "../catalog/model-catalog.ts";
import { priceText } from "./price-classes.ts";
import { pricesFrom } from "./price-schedule.ts";

/** A price is old after more days than this. */
export const oldAfterDays = 60;

const day = 86_400_000;

/** The first day (UTC) on which a price of a date ("2026-09-23") is old. */
export const oldFrom = (date: string): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + (oldAfterDays + 1) * day).toISOString().slice(0, 10);

/** True when a price of this date is old. */
export const isOld = (date: string, now: Date): boolean => now.toISOString().slice(0, 10) >= oldFrom(date);

/** The file in `catalog/models/` with the prices of an upstream at this address; undefined when unknown. */
type ShelfOf = (baseUrl: string, preset: string | undefined) => string | undefined;

/** The shipped catalog, and how to find an upstream's prices in it. */
export interface Shipped {
  readonly shipped: ModelCatalog;
  readonly shelfOf: ShelfOf;
}

export interface OldPrice {
  /** The model's public id. */
  readonly id: string;
  /** The date of the catalog's price. */
  readonly date: string;
}

function oldDateOf(
  model: Model,
  upstreams: ReadonlyMap<string, Upstream>,
  { shipped, shelfOf }: Shipped,
  now: Date,
): string | undefined {
  const text = priceText(pricesFrom(model, now.getTime()).price);
  if (text === "") return undefined;
  for (const { upstream, model: name } of model.deployments) {
    const { baseUrl = "", preset } = upstreams.get(upstream) ?? {};
    const shelf = shelfOf(baseUrl, preset);
    const row = shelf === undefined ? undefined : shipped.findModel(shelf, name)?.row;
    if (row === undefined) continue;
    const { price, source } = pricesAt(row, now);
    if (price !== undefined && priceText(priceOf(price)) === text && isOld(source.date, now))
      return source.date;
  }
  return undefined;
}

/** Models with old prices, in the catalog's order. */
export function oldPrices({ models, upstreams }: Catalog, shipped: Shipped, now: Date): OldPrice[] {
  const byId = new Map(upstreams.map((upstream) => [upstream.id, upstream]));
  return models.flatMap((model) => {
    const date = oldDateOf(model, byId, shipped, now);
    return date === undefined ? [] : [{ id: model.id, date }];
  });
}
