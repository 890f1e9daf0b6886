/**
 * How migrations run on PostgreSQL: on one connection of their own, which holds an advisory lock. A change of
 * a table waits two seconds for its lock at most, because all other calls wait behind it.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import { StoreError } from "../error.ts";
import type { MigrationReport } from "../operation/migration-shapes.ts";
import { createPostgresDialect } from "../postgres/dialect.ts";
import { createPostgresPool, type PostgresPoolOptions } from "../postgres/pool.ts";
import type { Database } from "../sql/schema.ts";
import { migrations, plazaVersion } from "./index.ts";
import { createIndexBuilder } from "./indexes.ts";
import { type MigrateOptions, type MigrationLock, migrate } from "./migrate.ts";

/** A statement may rewrite a large table. */
const statementMs = 60 * 60 * 1000;
const lockWaitMs = 2_000;

/** Arbitrary; beside the writers' (`../postgres/dialect.ts`). */
const lockKey = 7_526_924_002;

/** The session's advisory lock: `db` must have one connection. */
function createSessionLock(db: Kysely<Database>): MigrationLock {
  return {
    async take() {
      const { rows } = await sql<{
        taken: boolean;
      }>`select pg_try_advisory_lock(${sql.lit(lockKey)}) as taken`.execute(db);
      return rows[0]?.taken === true;
    },
    async release() {
      await sql`select pg_advisory_unlock(${sql.lit(lockKey)})`.execute(db);
    },
    async isTaken() {
      const { rows } = await sql`select 1 from pg_locks
        where locktype = 'advisory' and granted and objsubid = 1
          and database = (select oid from pg_database where datname = current_database())
          and (classid::bigint << 32 | objid::bigint) = ${sql.lit(lockKey)}`.execute(db);
      return rows.length > 0;
    },
  };
}

/** The server notices a dead machine in half a minute, and a dead process in the middle of a statement. */
async function noticeDeath(db: Kysely<Database>): Promise<void> {
  const kept = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 4 };
  for (const [name, value] of Object.entries({ ...kept, client_connection_check_interval: 2_000 })) {
    // Some systems lack one or the other; then the lock ends with the connection, later.
    await sql`select set_config(${name}, ${String(value)}, false)`.execute(db).catch(() => {});
  }
}

export function postgresMigrations(
  db: Kysely<Database>,
  clock: Clock,
  databaseNow: MigrateOptions["databaseNow"],
  isByHand = false,
): MigrateOptions {
  return {
    isByHand,
    buildIndexes: createIndexBuilder(),
    migrations,
    dialect: "postgres",
    lock: createSessionLock(db),
    plazaVersion,
    async hasTable(any, name) {
      const { rows } = await sql<{
        there: boolean;
      }>`select to_regclass(${name}) is not null as there`.execute(any);
      return rows[0]?.there === true;
    },
    databaseNow,
    isBusy: (error) => error instanceof StoreError && error.code === "locked",
    wallMs: clock.wallMs,
    elapsedMs: clock.elapsedMs,
    pause,
  };
}

/** Migrates on a connection of its own. */
export async function migratePostgres(
  options: PostgresPoolOptions,
  clock: Clock,
  databaseNow: MigrateOptions["databaseNow"],
  isByHand: boolean,
): Promise<MigrationReport> {
  const pool = createPostgresPool({
    ...options,
    connectionsMax: 1,
    statementTimeoutMs: statementMs,
    lockTimeoutMs: lockWaitMs,
  });
  const db = new Kysely<Database>({ dialect: createPostgresDialect(pool) });
  try {
    await noticeDeath(db);
    return await migrate(db, postgresMigrations(db, clock, databaseNow, isByHand));
  } finally {
    await pool.close();
  }
}
