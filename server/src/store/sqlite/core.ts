/**
 * The store's core on a SQLite file. Runs in the storage thread, or in the process itself for the command
 * line and tests.
 */
import { statSync } from "node:fs";
import type { SQLInputValue } from "node:sqlite";
import { Kysely, sql } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import type { KeySource } from "../catalog/sealing-shapes.ts";
import type { StoreCore } from "../core.ts";
import { migrate, readMigrationStatus, readSchemaVersion } from "../migrations/migrate.ts";
import { sqliteMigrations } from "../migrations/on-sqlite.ts";
import { createSharedMethods } from "../shared-methods.ts";
import { sqliteOrder } from "../sql/insertion-order.ts";
import { narrowIntegers, type Row } from "../sql/row-integers.ts";
import type { Database } from "../sql/schema.ts";
import { sqliteBulkInsert } from "./bulk-insert.ts";
import { checkFile, createFileWatch } from "./check.ts";
import { openSqliteConnection, type SqliteConnection } from "./connection.ts";
import { createSqliteDialect } from "./dialect.ts";
import { toStoreError } from "./errors.ts";
import { writeLedger } from "./ledger-writer.ts";
import { createWriteWatch } from "./write-watch.ts";

export interface SqliteCoreOptions extends KeySource {
  /** Path of the database, or ":memory:". */
  readonly file: string;
  readonly clock: Clock;
  /** Milliseconds to wait for another process's transaction. */
  readonly busyTimeoutMs: number;
}

/**
 * SQLite's write-ahead log. Every write goes there first; copying it into the file itself is not a new write.
 */
const walOf = (file: string): string => `${file}-wal`;

function walVersion(file: string): string {
  const log = statSync(walOf(file), { bigint: true, throwIfNoEntry: false });
  return log === undefined ? "" : `${log.size} ${log.mtimeNs}`;
}

/** Holds the connection's lock during `work`; does not wait when it is free. */
async function withLock<T>(connection: SqliteConnection, work: () => T | Promise<T>): Promise<T> {
  await connection.lock.take();
  try {
    return await work();
  } finally {
    connection.lock.release();
  }
}

/** Converts every method's errors with `toStoreError`. */
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

/**
 * One small row, which a full, failing or read-only disk refuses. Without the query builder: an idle process
 * spends most of its time on this.
 */
const writeProbe = `insert into installation_settings (name, value, revision) values ('storageProbe', ?, 0)
  on conflict (name) do update set value = excluded.value`;

/** Opens the file; `migrate` creates the tables. Throws StoreError when it cannot be opened. */
export async function openSqliteCore(options: SqliteCoreOptions): Promise<StoreCore> {
  const { file, clock } = options;
  let connection: SqliteConnection;
  let lazy: SqliteConnection;
  try {
    connection = await openSqliteConnection(file, options.busyTimeoutMs);
    // An in-memory database has one connection and no disk to wait for.
    lazy =
      file === ":memory:" ? connection : await openSqliteConnection(file, options.busyTimeoutMs, connection);
  } catch (error) {
    throw toStoreError(error, file);
  }
  const db = new Kysely<Database>({ dialect: createSqliteDialect(connection) });
  const lazyDb = lazy === connection ? db : new Kysely<Database>({ dialect: createSqliteDialect(lazy) });
  const watch = file === ":memory:" ? undefined : createFileWatch(file, () => clock.elapsedMs());
  const closing = new AbortController();
  const migrating = sqliteMigrations(file, clock);
  const writeWatch = file === ":memory:" ? undefined : createWriteWatch(walOf(file));
  const core: StoreCore = {
    ...createSharedMethods({
      db,
      lazyDb,
      clock,
      news: {
        closing: closing.signal,
        ...(file === ":memory:" ? {} : { version: () => walVersion(file), watch: writeWatch }),
        nowParameters: () => [clock.wallMs()],
        askOne: (text, parameters) =>
          withLock(connection, () =>
            connection.whenFree(() => {
              const { statement } = connection.prepare(text);
              return narrowIntegers(statement.get(...(parameters as SQLInputValue[])) as Row);
            }),
          ),
      },
      keys: options,
      // All processes of one file are on one machine and share its clock.
      dialect: {
        name: "sqlite",
        databaseNow: () => sql<number>`${clock.wallMs()}`,
        locksRows: false,
        commitLazily: async () => {},
        insertionOrder: sqliteOrder,
        bulkInsert: sqliteBulkInsert(lazy),
        hasAccountLists: true,
        numbersEntries: false,
      },
    }),
    migrate: () => migrate(db, migrating),
    readMigrations: () => readMigrationStatus(db, migrating),
    commitLedger: (batch) => withLock(connection, () => writeLedger(connection, batch, () => clock.wallMs())),
    checkFile: (bytesMax) =>
      withLock(connection, () => {
        const ask = (pragma: string) =>
          Object.values(connection.prepare(`pragma ${pragma}`).statement.get() ?? {})[0];
        checkFile(connection.file, ask, bytesMax);
      }),
    async readStorage() {
      const bytesOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      return {
        databaseBytes: bytesOf(file),
        walBytes: bytesOf(walOf(file)),
        schemaVersion: await readSchemaVersion(db),
        pool: null,
      };
    },
    async checkStorage() {
      const value = String(clock.wallMs());
      // It need not be durable, so nothing waits for the disk.
      await withLock(lazy, () => lazy.whenFree(() => lazy.prepare(writeProbe).statement.run(value)));
      watch?.check();
    },
    ping: () => withLock(connection, () => void connection.prepare("select 1").statement.get()),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      writeWatch?.close();
      await connection.lock.take();
      if (lazy !== connection) lazy.close();
      connection.close();
      connection.lock.release();
    },
  };
  return translated(core, file);
}
