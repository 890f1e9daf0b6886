/**
 * Brings a database up to date. Every migration runs in its own transaction together with the row that
 * records it, so a process that is killed leaves a state from which the next one continues. Processes that
 * start together run each migration once, because in both dialects a writing transaction excludes others from
 * its beginning.
 */
import { type Kysely, sql, type Transaction } from "kysely";
import { StoreError } from "../error.ts";
import type { Database } from "../sql/schema.ts";
import type { Migration } from "./migration.ts";

export interface MigrateOptions {
  readonly migrations: readonly Migration[];
  /** Selects the dialect's statements. */
  readonly statementsOf: (migration: Migration) => readonly string[];
  readonly nowMs: () => number;
}

async function appliedVersion(trx: Transaction<Database>): Promise<number> {
  await sql`create table if not exists schema_migrations (
    version integer primary key, name text not null, applied_at bigint not null)`.execute(trx);
  const row = await trx
    .selectFrom("schema_migrations")
    .select((eb) => eb.fn.max("version").as("version"))
    .executeTakeFirst();
  return row?.version ?? 0;
}

/** Runs one migration; returns false when none was left. */
async function step(trx: Transaction<Database>, options: MigrateOptions): Promise<boolean> {
  const applied = await appliedVersion(trx);
  const newest = options.migrations.at(-1)?.version ?? 0;
  if (applied > newest) {
    throw new StoreError(
      "newer_schema",
      `a newer Plaza wrote this database (schema ${applied}; this Plaza knows up to ${newest}): start that version again, or restore a backup from before the upgrade`,
    );
  }
  const next = options.migrations.find((migration) => migration.version === applied + 1);
  if (next === undefined) return false;
  for (const statement of options.statementsOf(next)) await sql.raw(statement).execute(trx);
  await trx
    .insertInto("schema_migrations")
    .values({ version: next.version, name: next.name, applied_at: options.nowMs() })
    .execute();
  return true;
}

/**
 * Applies missing migrations, oldest first. Throws StoreError `newer_schema` when the database is newer than
 * this Plaza.
 */
export async function migrate(db: Kysely<Database>, options: MigrateOptions): Promise<void> {
  for (let isDone = false; !isDone; ) {
    isDone = !(await db.transaction().execute((trx) => step(trx, options)));
  }
}

/** The number of the last migration; 0 for a new database. */
export async function readSchemaVersion(db: Kysely<Database>): Promise<number> {
  const row = await db
    .selectFrom("schema_migrations")
    .select((eb) => eb.fn.max("version").as("version"))
    .executeTakeFirst();
  return row?.version ?? 0;
}
