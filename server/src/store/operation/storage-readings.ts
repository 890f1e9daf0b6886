/** How large the database is and how busy its connections are: shapes, and what both databases read the same way. */
import type { Kysely } from "kysely";
import type { PoolReadings } from "../postgres/postgres-pool.ts";
import type { Database } from "../sql/schema.ts";

export interface StorageReadings {
  readonly databaseBytes: number;
  /** SQLite's log beside the file; null on PostgreSQL. */
  readonly walBytes: number | null;
  /** Number of the newest step of the schema that was done. */
  readonly schemaVersion: number;
  /** null on SQLite, which has one connection. */
  readonly pool: PoolReadings | null;
}

/** What waits in the journal. */
export interface JournalReadings {
  readonly bytes: number;
  /** Unix milliseconds since when something does; null: nothing. */
  readonly since: number | null;
}

export async function readSchemaVersion(db: Kysely<Database>): Promise<number> {
  const row = await db
    .selectFrom("schema_migrations")
    .select((eb) => eb.fn.max("version").as("version"))
    .executeTakeFirst();
  return row?.version ?? 0;
}
