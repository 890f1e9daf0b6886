/**
 * Caches what many plaza visitors request at once. The page may be public, and visitors who are not signed in
 * must not be able to load the database.
 */

import type { HalfHourCounts } from "../../../domain/catalog/status-history.ts";
import { stripSlots } from "../../../domain/catalog/status-history.ts";
import { slotMs } from "../../../lib/time/time-zone.ts";
import type { CatalogEditStore } from "../../../store/catalog/edit.ts";
import type { IncidentsStore, LiveIncident } from "../../../store/operation/incidents-shapes.ts";
import type { ModelNumbers, UsageStore } from "../../../store/usage/usage.ts";

/** A change made in another process is visible within a second, one made in this process at once. */
const catalogMs = 1_000;
/** Reading them reads what every process reports, in the thread that settles. */
const incidentsMs = 5_000;
/** Health covers 24 hours, so some seconds do not matter. */
const healthMs = 10_000;
const dayMs = 86_400_000;

type Catalog = Awaited<ReturnType<CatalogEditStore["showCatalog"]>>;

/** A model's counts of a half hour (numbered from 1970), of the current one and the 47 before it. */
export type HalfHours = (modelId: string, slot: number) => HalfHourCounts | undefined;

/** A read whose answer is cached for each store. */
export interface Kept<S extends object, T> {
  (store: S, nowMs: number): Promise<T>;
  /** The next caller reads again. */
  forget(store: S): void;
}

/** Reads again when the cached value is older than `ageMs` or was forgotten; failures are not cached. */
export function kept<S extends object, T>(
  ageMs: number,
  read: (store: S, nowMs: number) => Promise<T>,
): Kept<S, T> {
  const places = new WeakMap<S, { readonly atMs: number; readonly value: Promise<T> }>();
  const ask = (store: S, nowMs: number): Promise<T> => {
    const place = places.get(store);
    if (place !== undefined && Math.abs(nowMs - place.atMs) < ageMs) return place.value;
    const value = read(store, nowMs);
    const made = { atMs: nowMs, value };
    places.set(store, made);
    value.catch(() => {
      if (places.get(store) === made) places.delete(store);
    });
    return value;
  };
  return Object.assign(ask, { forget: (store: S) => void places.delete(store) });
}

/** The catalog without secrets and without disabled models, which only operators see. */
export const catalogOf: Kept<CatalogEditStore, Catalog> = kept(catalogMs, async (store) => {
  const catalog = await store.showCatalog();
  return { ...catalog, models: catalog.models.filter(({ isDisabled }) => isDisabled !== true) };
});

/** Measurements of each model over the last 24 hours, by id. */
export const healthsOf: (store: UsageStore, nowMs: number) => Promise<ReadonlyMap<string, ModelNumbers>> =
  kept(healthMs, async (store, nowMs) => {
    const numbers = await store.modelNumbers(nowMs - dayMs);
    return new Map(numbers.map((one) => [one.modelId, one]));
  });

export const halfHoursOf: (store: UsageStore, nowMs: number) => Promise<HalfHours> = kept(
  healthMs,
  async (store, nowMs) => {
    const firstSlot = Math.floor(nowMs / slotMs) - stripSlots + 1;
    const found = new Map<string, Map<number, HalfHourCounts>>();
    for (const { modelId, slot, ...counts } of await store.modelHalfHours(firstSlot * slotMs)) {
      const ofModel = found.get(modelId) ?? new Map<number, HalfHourCounts>();
      ofModel.set(slot, counts);
      found.set(modelId, ofModel);
    }
    return (modelId, slot) => found.get(modelId)?.get(slot);
  },
);

export const incidentsOf: (store: IncidentsStore, nowMs: number) => Promise<readonly LiveIncident[]> = kept(
  incidentsMs,
  (store, nowMs) => store.readIncidents(nowMs),
);
