/** Upstreams, models and limits as the console changes them: what the store offers of them. Loaded by the serving thread, so no SQL code here. */

export interface CatalogEditStore {}

/** Every method of `CatalogEditStore`; they are handed to the storage thread as they are (`create-store.ts`). */
export const catalogEditMethods = {} as const satisfies Record<keyof CatalogEditStore, true>;
