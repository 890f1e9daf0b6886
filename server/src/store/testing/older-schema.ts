/** Databases of an older schema, made by the migrations up to it. */
import { Kysely, sql } from "kysely";
import { systemClock } from "../../lib/time/clock.ts";
import { fillSome } from "../lists/fill.ts";
import { migrations } from "../migrations/index.ts";
import { migrate } from "../migrations/migrate.ts";
import { isIndependent } from "../migrations/migration.ts";
import { postgresMigrations } from "../migrations/on-postgres.ts";
import { sqliteMigrations } from "../migrations/on-sqlite.ts";
import { createPostgresDialect } from "../postgres/dialect.ts";
import { createPostgresPool } from "../postgres/pool.ts";
import type { Database } from "../sql/schema.ts";
import { openSqliteConnection } from "../sqlite/connection.ts";
import { createSqliteDialect } from "../sqlite/dialect.ts";
import type { DatabaseTarget } from "../thread/messages.ts";

/** Entries and requests of a batch. */
const batchRows = 100_000;

/** A database as migrations see it, by one connection; the caller ends it with `db.destroy()`. */
export async function openForMigrations(database: DatabaseTarget) {
  if (database.kind === "sqlite") {
    const { file } = database;
    const dialect = createSqliteDialect(await openSqliteConnection(file, 5_000));
    return { db: new Kysely<Database>({ dialect }), options: sqliteMigrations(file, systemClock) };
  }
  const timeouts = { connectTimeoutMs: 5_000, statementTimeoutMs: 60_000, lockTimeoutMs: 2_000 };
  const pool = createPostgresPool({ url: database.url, connectionsMax: 1, ...timeouts });
  const db = new Kysely<Database>({ dialect: createPostgresDialect(pool) });
  return { db, options: postgresMigrations(db, systemClock, () => sql<number>`${systemClock.wallMs()}`) };
}

/**
 * Gives an empty database this schema. `isForToday`: with the expansions that wait for no contract, whose
 * columns today's store writes.
 */
export async function migrateTo(
  database: DatabaseTarget,
  version: number,
  { isForToday = false } = {},
): Promise<void> {
  const { db, options } = await openForMigrations(database);
  const older = migrations.filter((one) => one.version <= version || (isForToday && isIndependent(one)));
  await migrate(db, { ...options, migrations: older });
  await db.destroy();
}

/** Copies all rows into the lists of their accounts, as servers do behind the settlements. SQLite only. */
export async function fillAllLists(file: string): Promise<void> {
  const { db } = await openForMigrations({ kind: "sqlite", file });
  while (await db.transaction().execute((trx) => fillSome(trx, batchRows)));
  await db.destroy();
}
