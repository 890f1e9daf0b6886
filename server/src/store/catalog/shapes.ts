/** What applying a catalog changes. Types, and lists of names. */
import type { Catalog } from "@plaza/contract/catalog.ts";
/** What `applyCatalog` changed, as ids. */
export interface CatalogDifference {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** What the store offers of the catalog. */
export interface CatalogStore {
  /** The stored catalog, or undefined before the first `applyCatalog`. Credentials come back unsealed. */
  loadCatalog(): Promise<Catalog | undefined>;
  /**
   * Makes the stored catalog equal to this one but for what the console manages, in one transaction; no
   * change, no new revision. Throws `invalid` where this one has what the console has, or leaves out
   * what the console's things refer to.
   */
  applyCatalog(catalog: Catalog): Promise<CatalogDifference>;
  /** The difference `applyCatalog` would make; throws as it does. */
  compareCatalog(catalog: Catalog): Promise<CatalogDifference>;
}

/** Its methods that are handed to the storage thread as they are (`create-store.ts`). */
export const catalogMethods = {
  loadCatalog: true,
  applyCatalog: true,
  compareCatalog: true,
} as const satisfies Record<keyof CatalogStore, true>;
