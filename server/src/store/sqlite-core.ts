/**
 * The store's core over one SQLite file. Runs in the storage thread, or in the process itself for the command line and tests.
 */
import { Kysely, sql } from "kysely";
import type { Clock } from "../lib/clock.ts";
import { sqliteBulkInsert } from "./console/bulk-insert.ts";
import { sqliteOrder } from "./console/insertion-order.ts";
import { migrations } from "./migrations/index.ts";
import { migrate } from "./migrations/migrate.ts";
import type { Database } from "./schema.ts";
import { openSqliteConnection, type SqliteConnection } from "./sqlite-connection.ts";
import { createSqliteDialect } from "./sqlite-dialect.ts";
import { toStoreError } from "./sqlite-errors.ts";
import { writeLedger } from "./sqlite-ledger-writer.ts";
import { createSharedMethods, type KeyPlace, type StoreCore } from "./store-core.ts";
import { StoreError } from "./store-error.ts";

export interface SqliteCoreOptions extends KeyPlace {
  /** Path of the database, or ":memory:". */
  readonly file: string;
  readonly clock: Clock;
  /** How long to wait for another process's transaction. */
  readonly busyTimeoutMs: number;
}

/** Takes the connection's lock for one piece of work; without a wait when it is free. */
async function withLock<T>(connection: SqliteConnection, work: () => T | Promise<T>): Promise<T> {
  await connection.lock.take();
  try {
    return await work();
  } finally {
    connection.lock.release();
  }
}

/** Throws `damaged` when SQLite finds anything wrong with the structure of the file. Reads all of it: about 1 GB a second. */
function checkFile(connection: SqliteConnection, bytesMax: number): void {
  const number = (pragma: string) =>
    Number(Object.values(connection.prepare(`pragma ${pragma}`).statement.get() ?? {})[0]);
  if (number("page_count") * number("page_size") > bytesMax) return;
  const [found] = Object.values(connection.prepare("pragma quick_check(1)").statement.get() ?? {});
  if (found === "ok") return;
  // The first line only names the database among several attached ones.
  const reason = String(found).split("\n").at(-1);
  throw new StoreError(
    "damaged",
    `the database ${connection.file} is damaged (${reason}): stop Plaza and restore it from a backup`,
  );
}

/** Every method's errors in the words of `toStoreError`. */
function translated(core: StoreCore, file: string): StoreCore {
  const methods = Object.entries(core) as [string, (...args: unknown[]) => Promise<unknown>][];
  const wrapped = methods.map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await method(...args);
      } catch (error) {
        throw toStoreError(error, file);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as StoreCore;
}

/** Opens the file; the tables appear with `migrate`. Throws StoreError when it cannot be opened. */
export async function openSqliteCore(options: SqliteCoreOptions): Promise<StoreCore> {
  const { file, clock } = options;
  let connection: SqliteConnection;
  let lazy: SqliteConnection;
  try {
    connection = await openSqliteConnection(file, options.busyTimeoutMs);
    // A database in memory has one connection, and nothing to wait for.
    lazy =
      file === ":memory:" ? connection : await openSqliteConnection(file, options.busyTimeoutMs, connection);
  } catch (error) {
    throw toStoreError(error, file);
  }
  const db = new Kysely<Database>({ dialect: createSqliteDialect(connection) });
  const lazyDb = lazy === connection ? db : new Kysely<Database>({ dialect: createSqliteDialect(lazy) });
  let isClosed = false;
  const core: StoreCore = {
    ...createSharedMethods({
      db,
      lazyDb,
      clock,
      keys: options,
      // All processes of one file are on one machine and share its clock.
      ways: {
        databaseNow: () => sql<number>`${clock.wallMs()}`,
        locksRows: false,
        commitLazily: async () => {},
        insertionOrder: sqliteOrder,
        bulkInsert: sqliteBulkInsert,
      },
    }),
    migrate: () =>
      migrate(db, {
        migrations,
        statementsOf: (migration) => migration.sqlite,
        nowMs: () => clock.wallMs(),
      }),
    commitLedger: (batch) => withLock(connection, () => writeLedger(connection, batch, () => clock.wallMs())),
    checkFile: (bytesMax) => withLock(connection, () => checkFile(connection, bytesMax)),
    ping: () => withLock(connection, () => void connection.prepare("select 1").statement.get()),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await connection.lock.take();
      if (lazy !== connection) lazy.close();
      connection.close();
      connection.lock.release();
    },
  };
  return translated(core, file);
}
