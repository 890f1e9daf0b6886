/**
 * How large the database is and how busy its connections are: shapes, and
 * what both databases read the same way.
 */
import type { Kysely } from "kysely";
import type { Database } from "../sql/schema.ts";

export async function readSchemaVersion(db: Kysely<Database>): Promise<number> {
  const row = await db
    .selectFrom("schema_migrations")
    .select((eb) => eb.fn.max("version").as("version"))
    .executeTakeFirst();
  return row?.version ?? 0;
}
