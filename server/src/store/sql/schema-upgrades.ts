/** Kysely types of what the database remembers of its migrations (`../migrations/`). */

export interface SchemaMigrationsTable {
  version: number;
  name: string;
  applied_at: number;
  kind: "expand" | "contract" | null;
  /** The oldest schema whose servers may still serve after a contract; null: it takes nothing away. */
  needs: number | null;
  /** SHA-256 of the statements that ran (`migration.ts`); null before migration 22. */
  digest: string | null;
  duration_ms: number | null;
  /** The Plaza that ran it. */
  plaza_version: string | null;
}

/** The one migration whose back-fill is not finished. */
export interface MigrationProgressTable {
  version: number;
  name: string;
  needs: number | null;
  digest: string;
  /** Where the next chunk begins: the back-fill's own text. */
  place: string;
  rows_done: number;
  started_at: number;
  updated_at: number;
  /** The Plaza that began it. */
  plaza_version: string;
}
