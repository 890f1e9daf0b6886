/** What one step of the schema is. */

/** A step forward; there is none back. Once released it is never edited. */
export interface Migration {
  /** 1, 2, 3 … without gaps. */
  readonly version: number;
  readonly name: string;
  /** Statements for SQLite, run in one transaction. */
  readonly sqlite: readonly string[];
  /**
   * The same for PostgreSQL: integers are `bigint`, ids `text collate "C"`, so that both
   * databases order them by their bytes.
   */
  readonly postgres: readonly string[];
}
