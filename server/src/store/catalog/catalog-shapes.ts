/** What applying a catalog changes. Types only. */
/** What `applyCatalog` changed, as ids. */
export interface CatalogDifference {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}
