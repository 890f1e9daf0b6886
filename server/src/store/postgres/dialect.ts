/**
 * Connects Kysely to a PostgresPool: the pool's errors and integers, and one rule for transactions. Knows no
 * table.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import { commit, type PostgresClient, type PostgresPool, rollback } from "./pool.ts";

/**
 * Held by a writing transaction of Kysely until it ends, so that they happen one after the other as on
 * SQLite, and what one has read is still so when it writes. One that names its isolation level does without:
 * it locks the rows it needs. The number is arbitrary; the feed of changes takes the same lock
 * (`0001-0015/0001-initial-postgres.ts`).
 */
const writersLock = 7_526_924_001;

/**
 * Milliseconds a writing transaction may wait for its next statement: it locks what other machines need, and
 * a machine without power never sends one. Those that only read lock nothing, and may read at length.
 */
export const shortIdleMs = 3_000;

const lockWriters = `select pg_advisory_xact_lock(${writersLock}), set_config('idle_in_transaction_session_timeout', '${shortIdleMs}', true)`;

interface Connection extends DatabaseConnection {
  readonly client: PostgresClient;
}

/** Commands whose count is the number of changed rows. */
const writing: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

function createConnection(client: PostgresClient): Connection {
  return {
    client,
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, rowCount, command } = await client.query<R>(sql, parameters);
      return writing.has(command) ? { rows, numAffectedRows: BigInt(rowCount) } : { rows };
    },
    // biome-ignore lint/correctness/useYield: there is nothing to yield, only to refuse.
    async *streamQuery() {
      throw new Error(
        "streaming would keep a connection for as long as its reader likes: ask for pages instead",
      );
    },
  };
}

async function begin({ client }: Connection, settings: TransactionSettings): Promise<void> {
  const { isolationLevel, accessMode } = settings;
  const isolation = isolationLevel === undefined ? "" : ` isolation level ${isolationLevel}`;
  const access = accessMode === undefined ? "" : ` ${accessMode}`;
  await client.query(`begin${isolation}${access}`);
  if (accessMode === "read only" || isolationLevel !== undefined) return;
  try {
    await client.query(lockWriters);
  } catch (error) {
    // Kysely rolls back only transactions it considers begun.
    await rollback(client);
    throw error;
  }
}

function createDriver(pool: PostgresPool): Driver {
  const clientOf = (connection: DatabaseConnection) => (connection as Connection).client;
  return {
    init: async () => {},
    acquireConnection: async () => createConnection(await pool.acquire()),
    releaseConnection: async (connection) => clientOf(connection).release(),
    beginTransaction: (connection, settings) => begin(connection as Connection, settings),
    commitTransaction: (connection) => commit(clientOf(connection)),
    rollbackTransaction: (connection) => rollback(clientOf(connection)),
    destroy: () => pool.close(),
  };
}

/** The dialect for `new Kysely({ dialect })`. Destroying that Kysely closes the pool. */
export function createPostgresDialect(pool: PostgresPool): Dialect {
  return {
    createDriver: () => createDriver(pool),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  };
}
