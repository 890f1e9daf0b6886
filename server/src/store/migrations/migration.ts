/** The type of a migration. */

/** A migration. There is no way back, and a released one is never edited. */
export interface Migration {
  /** 1, 2, 3 … without gaps. */
  readonly version: number;
  readonly name: string;
  /** Statements for SQLite, run in one transaction. */
  readonly sqlite: readonly string[];
  /**
   * Statements for PostgreSQL. Integers are `bigint` and ids `text collate "C"`, so that both databases sort
   * them alike.
   */
  readonly postgres: readonly string[];
}
