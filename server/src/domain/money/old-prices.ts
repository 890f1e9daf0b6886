/**
 * Pure: which models still cost what the shipped catalog said of them long ago, so that nobody has looked at
 * the vendor's page since. A price of the operator's own is nobody's business, however old.
 */
import type { Catalog, Model, Upstream } from "@plaza/contract/catalog.ts";
import { isOld } from "../catalog/catalog-age.ts";
import { type ModelCatalog, priceOf, pricesAt } from "../catalog/model-catalog.ts";
import { priceText } from "./price-classes.ts";
import { pricesFrom } from "./price-schedule.ts";

/**
 * The file of `catalog/models/` with the prices of an upstream at this
 * address; undefined where nobody knows them.
 */
type ShelfOf = (baseUrl: string, preset: string | undefined) => string | undefined;

/** The shipped catalog, and how an upstream is found in it. */
export interface Shipped {
  readonly shipped: ModelCatalog;
  readonly shelfOf: ShelfOf;
}

export interface OldPrice {
  /** The model's public id. */
  readonly id: string;
  /** The day the catalog's price is of. */
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

/** In the catalog's order. */
export function oldPrices({ models, upstreams }: Catalog, shipped: Shipped, now: Date): OldPrice[] {
  const byId = new Map(upstreams.map((upstream) => [upstream.id, upstream]));
  return models.flatMap((model) => {
    const date = oldDateOf(model, byId, shipped, now);
    return date === undefined ? [] : [{ id: model.id, date }];
  });
}
