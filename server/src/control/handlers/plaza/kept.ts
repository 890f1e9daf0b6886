/**
 * Caches what many plaza visitors request at once. The page may be public, and visitors who are not signed in
 * must not be able to load the database.
 */

import type { CatalogEditStore } from "../../../store/catalog/edit.ts";
import type { ModelNumbers, UsageStore } from "../../../store/usage/usage.ts";

/** A change is visible within a second. */
const catalogMs = 1_000;
/** Health covers 24 hours, so some seconds do not matter. */
const healthMs = 10_000;
const dayMs = 86_400_000;

type Catalog = Awaited<ReturnType<CatalogEditStore["showCatalog"]>>;

/** Reads again when the cached value is older than `ageMs`; failures are not cached. */
function kept<S extends object, T>(ageMs: number, read: (store: S, nowMs: number) => Promise<T>) {
  const places = new WeakMap<S, { readonly atMs: number; readonly value: Promise<T> }>();
  return (store: S, nowMs: number): Promise<T> => {
    const place = places.get(store);
    if (place !== undefined && Math.abs(nowMs - place.atMs) < ageMs) return place.value;
    const value = read(store, nowMs);
    places.set(store, { atMs: nowMs, value });
    value.catch(() => places.delete(store));
    return value;
  };
}

/** The catalog, without secrets. */
export const catalogOf: (store: CatalogEditStore, nowMs: number) => Promise<Catalog> = kept(
  catalogMs,
  (store) => store.showCatalog(),
);

/** Measurements of each model over the last 24 hours, by id. */
export const healthsOf: (store: UsageStore, nowMs: number) => Promise<ReadonlyMap<string, ModelNumbers>> =
  kept(healthMs, async (store, nowMs) => {
    const numbers = await store.modelNumbers(nowMs - dayMs);
    return new Map(numbers.map((one) => [one.modelId, one]));
  });
