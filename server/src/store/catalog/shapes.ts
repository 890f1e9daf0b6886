/** The results of applying a catalog. Types, and the list of methods. */
import type { Catalog } from "@plaza/contract/catalog.ts";
/** What `applyCatalog` changed, as ids. */
export interface CatalogDifference {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** `adopts`: items and limits of the console that the catalog has become the file's. Default: false. */
export interface ApplyOptions {
  readonly adopts?: boolean;
}

/** Store methods for the catalog. */
export interface CatalogStore {
  /** The stored catalog, or undefined before the first `applyCatalog`. Credentials come back unsealed. */
  loadCatalog(): Promise<Catalog | undefined>;
  /**
   * Makes the stored catalog equal to this one, except for what the console manages, in one transaction.
   * Without a change there is no new revision. Throws `invalid` when the catalog has an id of the console's,
   * or lacks what the console's items refer to.
   */
  applyCatalog(catalog: Catalog, options?: ApplyOptions): Promise<CatalogDifference>;
  /** The difference `applyCatalog` would make; throws in the same cases. */
  compareCatalog(catalog: Catalog, options?: ApplyOptions): Promise<CatalogDifference>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const catalogMethods = {
  loadCatalog: true,
  applyCatalog: true,
  compareCatalog: true,
} as const satisfies Record<keyof CatalogStore, true>;
