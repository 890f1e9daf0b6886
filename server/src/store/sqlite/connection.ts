/**
 * The connection to a SQLite file: opens it safely, sets its pragmas, caches compiled statements, runs
 * transactions. Knows SQLite but no tables, apart from `owner.ts`.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { createLock, type Lock } from "../operation/lock.ts";
import { isBusy } from "./errors.ts";
import { touchDatabaseFile } from "./file-rights.ts";
import { checkOwner } from "./owner.ts";

/** Most compiled statements cached. Lists of varying length give varying texts, so a limit is needed. */
const statementsMax = 200;
const retryPauseMs = 5;

export interface CompiledStatement {
  readonly statement: StatementSync;
  /** True when it returns rows (SELECT, RETURNING). */
  readonly isReader: boolean;
}

export interface SqliteConnection {
  readonly file: string;
  /** Held by the user of the connection for a whole transaction. */
  readonly lock: Lock;
  /** Compiles each text once. Integers in rows are bigint. */
  prepare(sql: string): CompiledStatement;
  /** Runs one statement and repeats it while another process locks the file, up to the busy timeout. */
  whenFree<T>(work: () => T): Promise<T>;
  /**
   * `immediate` takes the write lock at once, so that a transaction cannot fail half-way because another
   * process wrote.
   */
  begin(mode: "immediate" | "deferred"): Promise<void>;
  commit(): void;
  /** Does nothing when SQLite has already rolled back, as it does when the disk is full. */
  rollback(): void;
  close(): void;
}

/**
 * Waits for another process's transaction without blocking the thread. SQLite's own wait blocks, so two
 * stores in one thread would deadlock. Polling every few milliseconds is also faster than SQLite's back-off.
 */
async function retryWhileBusy<T>(timeoutMs: number, work: () => T): Promise<T> {
  for (let waitedMs = 0; ; ) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= timeoutMs) throw error;
    }
    const pauseMs = Math.min(retryPauseMs, 1 + waitedMs);
    waitedMs += pauseMs;
    await setTimeout(pauseMs);
  }
}

async function configure(database: DatabaseSync, busyTimeoutMs: number, isLazy: boolean): Promise<void> {
  await retryWhileBusy(busyTimeoutMs, () => database.exec("pragma journal_mode = wal"));
  // An acknowledged row must survive a power cut: in WAL mode only FULL syncs at every commit.
  database.exec(`pragma synchronous = ${isLazy ? "normal" : "full"}`);
  // Every commit rewrites frequently used index pages; a longer log (64 MB) copies them into the file less
  // often …
  database.exec("pragma wal_autocheckpoint = 16000");
  // … and a cache (32 MiB) holds the newest page of about a thousand accounts. Together they save a fifth of
  // the CPU per settlement, measured with 1,000 accounts and a million earlier requests.
  database.exec("pragma cache_size = -32768");
  // After a burst the log is truncated to this size at the next checkpoint.
  database.exec("pragma journal_size_limit = 67108864");
}

/**
 * Opens or creates the file; ":memory:" is a database that ends with its connection. Throws StoreError for a
 * file that is not Plaza's, without changing it. With `beside`, a second connection under the same lock whose
 * commits do not wait for the disk.
 */
export async function openSqliteConnection(
  file: string,
  busyTimeoutMs: number,
  beside?: SqliteConnection,
): Promise<SqliteConnection> {
  if (file !== ":memory:") {
    touchDatabaseFile(file);
    await retryWhileBusy(busyTimeoutMs, () => checkOwner(file));
  }
  const database = new DatabaseSync(file, {
    enableForeignKeyConstraints: true,
    readBigInts: true,
  });
  try {
    await configure(database, busyTimeoutMs, beside !== undefined);
  } catch (error) {
    database.close();
    throw error;
  }
  const statements = new Map<string, CompiledStatement>();

  function prepare(sql: string): CompiledStatement {
    let compiled = statements.get(sql);
    if (compiled !== undefined) return compiled;
    const statement = database.prepare(sql);
    compiled = { statement, isReader: statement.columns().length > 0 };
    if (statements.size >= statementsMax) {
      const oldest = statements.keys().next().value;
      if (oldest !== undefined) statements.delete(oldest);
    }
    statements.set(sql, compiled);
    return compiled;
  }

  return {
    file,
    lock: beside?.lock ?? createLock(),
    prepare,
    whenFree: (work) => retryWhileBusy(busyTimeoutMs, work),
    async begin(mode) {
      const { statement } = prepare(mode === "immediate" ? "begin immediate" : "begin");
      await retryWhileBusy(busyTimeoutMs, () => statement.run());
    },
    commit: () => void prepare("commit").statement.run(),
    rollback() {
      if (database.isTransaction) prepare("rollback").statement.run();
    },
    close() {
      statements.clear();
      database.close();
    },
  };
}
