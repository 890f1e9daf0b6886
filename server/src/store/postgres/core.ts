/**
 * The store's core on a PostgreSQL database. Runs in the storage thread, or in the process itself for the
 * command line and tests. It survives a server that goes away and comes back: calls fail meanwhile, and
 * connections are made again.
 */
import { Kysely, sql } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import type { KeySource } from "../catalog/sealing-shapes.ts";
import type { StoreCore } from "../core.ts";
import { StoreError } from "../error.ts";
import { readMigrationStatus, readSchemaVersion } from "../migrations/migrate.ts";
import { migratePostgres, postgresMigrations } from "../migrations/on-postgres.ts";
import { createSharedMethods } from "../shared-methods.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import { postgresOrder } from "../sql/insertion-order.ts";
import type { Database } from "../sql/schema.ts";
import { postgresBulkInsert } from "./bulk-insert.ts";
import { createPostgresDialect, shortIdleMs } from "./dialect.ts";
import { writeLedger } from "./ledger-writer.ts";
import { createPostgresPool, type PostgresPool, serverOf } from "./pool.ts";
import { createProbe, Reachability } from "./reachability.ts";

export interface PostgresCoreOptions extends KeySource {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly clock: Clock;
  /** Milliseconds to wait for another session's lock. */
  readonly busyTimeoutMs: number;
  /** Milliseconds a statement may take before the call fails with `unavailable`. */
  readonly statementTimeoutMs: number;
  /**
   * Connections of this process or thread for queries. Batches, on which answers wait, have their own, made
   * when first needed.
   */
  readonly connectionsMax: number;
}

/** One batch is committed while the next is being sent. */
const batchConnectionsMax = 2;

const connectTimeoutMs = 5_000;
const oldestVersion = 14;

const dialect: SqlDialect = {
  name: "postgres",
  databaseNow: () => sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  locksRows: true,
  commitLazily: async (trx) => {
    const idle = `${shortIdleMs}`;
    await sql`select set_config('synchronous_commit', 'off', true), set_config('idle_in_transaction_session_timeout', ${idle}, true)`.execute(
      trx,
    );
  },
  insertionOrder: postgresOrder,
  bulkInsert: postgresBulkInsert,
  hasAccountLists: false,
  numbersEntries: true,
};

/** Refuses a server that Plaza cannot work with, before anything is written. */
async function requireFit(pool: PostgresPool): Promise<void> {
  const client = await pool.acquire();
  try {
    const { rows } = await client.query<{ version: number; encoding: string }>(
      "select current_setting('server_version_num')::int as version, getdatabaseencoding() as encoding",
    );
    const [{ version, encoding } = { version: 0, encoding: "unknown" }] = rows;
    const major = Math.trunc(version / 10_000);
    if (major < oldestVersion) {
      throw new StoreError(
        "cannot_open",
        `${pool.server} is of version ${major}: Plaza needs PostgreSQL ${oldestVersion} or newer`,
      );
    }
    if (encoding !== "UTF8") {
      throw new StoreError(
        "cannot_open",
        `${pool.server} has the encoding ${encoding}: create it with: create database … encoding 'UTF8' template template0`,
      );
    }
  } finally {
    client.release();
  }
}

/**
 * Connects; `migrate` creates the tables. Throws StoreError when the database is unreachable, refuses access
 * or is unsuitable.
 */
export async function openPostgresCore(options: PostgresCoreOptions): Promise<StoreCore> {
  const { url, clock, busyTimeoutMs, statementTimeoutMs } = options;
  const limits = { url, connectTimeoutMs, statementTimeoutMs, lockTimeoutMs: busyTimeoutMs };
  const questionsMax = Math.max(2, options.connectionsMax - batchConnectionsMax);
  // The outcome of a commit of the ledger is still waited for: the journal must know it (`journal.ts`).
  const reachability: Reachability = new Reachability({
    server: serverOf(url),
    newProbe: (newSocket) => createProbe(url, newSocket),
    onLost: (error) => questions.breakAll(error),
  });
  const questions = createPostgresPool({ ...limits, reachability, connectionsMax: questionsMax });
  const batches = createPostgresPool({
    ...limits,
    reachability,
    connectionsMax: batchConnectionsMax,
    idleTransactionMs: Math.min(shortIdleMs, statementTimeoutMs),
  });
  const closing = new AbortController();
  const askOne = async (text: string, parameters: readonly unknown[]) => {
    const client = await questions.acquire();
    try {
      return (await client.query(text, parameters, "news")).rows[0];
    } finally {
      client.release();
    }
  };
  const close = async () => {
    closing.abort();
    reachability.close();
    await Promise.all([questions.close(), batches.close()]);
  };
  try {
    await requireFit(questions);
  } catch (error) {
    await close();
    throw error;
  }
  reachability.watch();
  const db = new Kysely<Database>({ dialect: createPostgresDialect(questions) });
  return {
    ...createSharedMethods({
      db,
      lazyDb: db,
      clock,
      keys: options,
      dialect,
      news: { closing: closing.signal, nowParameters: () => [], askOne },
    }),
    migrate: (isByHand = false) =>
      migratePostgres({ ...limits, connectionsMax: 1 }, clock, dialect.databaseNow, isByHand),
    readMigrations: () => readMigrationStatus(db, postgresMigrations(db, clock, dialect.databaseNow)),
    commitLedger: (batch) => writeLedger(batches, batch),
    checkFile: async () => {},
    // The disk is the server's; its faults show in commits and heartbeats.
    checkStorage: async () => {},
    async readStorage() {
      const { rows } = await sql<{
        bytes: number;
      }>`select pg_database_size(current_database()) as bytes`.execute(db);
      const [ofQuestions, ofBatches] = [questions.readings(), batches.readings()];
      return {
        databaseBytes: rows[0]?.bytes ?? 0,
        walBytes: null,
        schemaVersion: await readSchemaVersion(db),
        pool: {
          open: ofQuestions.open + ofBatches.open,
          waiting: ofQuestions.waiting + ofBatches.waiting,
          waitedMs: ofQuestions.waitedMs + ofBatches.waitedMs,
        },
      };
    },
    async ping() {
      const client = await questions.acquire();
      try {
        await client.query("select 1");
      } finally {
        client.release();
      }
    },
    close,
  };
}
