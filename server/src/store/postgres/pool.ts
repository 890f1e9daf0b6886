/**
 * A pool of connections to one PostgreSQL database: few, with timeouts, replaced when they break. All errors
 * are StoreErrors. Knows PostgreSQL but none of the tables.
 */

import { Socket } from "node:net";
import pg from "pg";
import { StoreError } from "../error.ts";
import type { PoolReadings } from "../operation/storage-shapes.ts";
import { narrowIntegers, type Row } from "../sql/row-integers.ts";
import { isConnectionLost, toStoreError } from "./errors.ts";
import type { Reachability } from "./reachability.ts";

export interface PostgresPoolOptions {
  /**
   * `postgres://user:password@host:port/database`, with the parameters `pg` supports (`sslmode`, `host` of a
   * socket …).
   */
  readonly url: string;
  readonly connectionsMax: number;
  /** Milliseconds a call waits for a free or new connection. */
  readonly connectTimeoutMs: number;
  /** Milliseconds a statement may take, including waits. */
  readonly statementTimeoutMs: number;
  /**
   * Milliseconds the server waits for the next statement of a transaction before it ends the session. The
   * locks of a machine without power last so long. Default: `statementTimeoutMs`.
   */
  readonly idleTransactionMs?: number | undefined;
  /** Milliseconds a statement waits for another session's lock. */
  readonly lockTimeoutMs: number;
  /** Whether the host answers at all; pools of one database share it. Without it, timeouts alone decide. */
  readonly reachability?: Reachability | undefined;
}

export interface PostgresResult<R> {
  readonly rows: R[];
  /** Number of returned or changed rows. */
  readonly rowCount: number;
  /** `SELECT`, `INSERT`, `COMMIT` … */
  readonly command: string;
}

/** An acquired connection. */
export interface PostgresClient {
  /**
   * Runs one statement. Integers follow `row-integers.ts`. With a `name`, the server caches the parsed
   * statement; a name must always have the same text. Rejects with StoreError; after `invalid`, `duplicate`
   * or `locked` the connection can still be used.
   */
  query<R = Row>(text: string, values?: readonly unknown[], name?: string): Promise<PostgresResult<R>>;
  /** Returns the connection to the pool, exactly once. A broken connection is closed. */
  release(): void;
}

export interface PostgresPool {
  /** The database's name in messages: host, port and name, never user or password. */
  readonly server: string;
  /**
   * The caller must release the client. Rejects with StoreError `unavailable`, `cannot_open`, `queue_full` or
   * `closed`.
   */
  acquire(): Promise<PostgresClient>;
  /**
   * Runs `work` in a transaction (read committed) and commits; rolls back when `work` throws. After a
   * deadlock, `work` runs again from the start, a few times.
   */
  inTransaction<T>(work: (client: PostgresClient) => Promise<T>): Promise<T>;
  readings(): PoolReadings;
  /** Breaks every connection, so that what waits for the server rejects with this error. */
  breakAll(error: StoreError): void;
  close(): Promise<void>;
}

const waitersMax = 10_000;
const deadlockRetries = 3;
const closeGraceMs = 1_000;
/**
 * The server ends a statement at its timeout. Without any reply for this many milliseconds more, the
 * connection is closed.
 */
const answerGraceMs = 2_000;

const int8 = 20;
const numeric = 1700;

/** Sums of integers have type `numeric`. No column holds fractions, so every value is an integer. */
const readInteger = (text: string): bigint => BigInt(text);

/** For this pool only: `pg`'s own table of types is shared by the whole process. */
const types = {
  getTypeParser: ((id: number, format?: "text" | "binary") =>
    id === int8 || id === numeric
      ? readInteger
      : pg.types.getTypeParser(id, format as "text")) as typeof pg.types.getTypeParser,
};

/** `postgres://user:password@db:6432/plaza?x=y` → `the PostgreSQL database plaza at db:6432`. */
export function serverOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "the PostgreSQL database";
  const host = parsed.hostname || parsed.searchParams.get("host") || "localhost";
  return `the PostgreSQL database ${parsed.pathname.slice(1)} at ${host}:${parsed.port || "5432"}`;
}

/** Settings of every session. Not in the startup message, because poolers do not forward it. */
function sessionSettings(options: PostgresPoolOptions): string {
  const settings = {
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.idleTransactionMs ?? options.statementTimeoutMs,
    default_transaction_isolation: "read committed",
  };
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  // An acknowledged commit must survive a power cut, whatever the server's default. A stronger default is
  // kept.
  const durable = `case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', false) end`;
  return `select ${[...set, durable].join(", ")}`;
}

function createClient(
  client: pg.PoolClient,
  { server, reachability }: { readonly server: string; readonly reachability: Reachability | undefined },
  onRelease: () => void,
): PostgresClient {
  let lost: unknown;
  return {
    async query<R>(text: string, values?: readonly unknown[], name?: string) {
      // The last statement may still be running, so the connection is not used again.
      if (lost !== undefined) throw lost;
      let result: pg.QueryResult;
      reachability?.begin();
      try {
        const parameters = values === undefined ? {} : { values: [...values] };
        result = await client.query({ text, ...parameters, ...(name === undefined ? {} : { name }) });
      } catch (error) {
        const translated = toStoreError(error, server, "asking");
        if (isConnectionLost(error)) lost = translated;
        throw translated;
      } finally {
        reachability?.end();
      }
      const rows = result.rows.map(narrowIntegers) as R[];
      return { rows, rowCount: result.rowCount ?? 0, command: result.command };
    },
    release() {
      client.release(lost !== undefined);
      onRelease();
    },
  };
}

/** True after a deadlock or a serialization failure: a new transaction may succeed. */
function isWorthRepeating(thrown: unknown): boolean {
  const cause = thrown instanceof StoreError ? thrown.cause : undefined;
  return cause instanceof pg.DatabaseError && (cause.code === "40P01" || cause.code === "40001");
}

/**
 * Commits. After an unnoticed failed statement, COMMIT rolls back without an error; that is detected here.
 */
export async function commit(client: PostgresClient): Promise<void> {
  const { command } = await client.query("commit");
  if (command !== "COMMIT") throw new Error("the transaction was rolled back: a statement in it had failed");
}

/** Never throws. A connection that cannot roll back is broken, which ends its transaction too. */
export async function rollback(client: PostgresClient): Promise<void> {
  await client.query("rollback").catch(() => {});
}

async function once<T>(pool: PostgresPool, work: (client: PostgresClient) => Promise<T>): Promise<T> {
  const client = await pool.acquire();
  try {
    await client.query("begin");
    const value = await work(client);
    await commit(client);
    return value;
  } catch (error) {
    await rollback(client);
    throw error;
  } finally {
    client.release();
  }
}

/** Ends the connections when the last call that uses one has finished. */
function createCloser(connections: pg.Pool, sockets: ReadonlySet<Socket>) {
  let underWay = 0;
  let onIdle = () => {};
  let closing: Promise<void> | undefined;

  async function end(): Promise<void> {
    // Bounded, because every running call has its own timeout.
    if (underWay > 0) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    }
    const hanging = setTimeout(() => {
      // A hanging server never confirms the end of a connection.
      for (const socket of sockets) socket.destroy();
    }, closeGraceMs);
    await connections.end();
    clearTimeout(hanging);
  }

  return {
    isClosing: () => closing !== undefined,
    /** Registers a running call; the returned function ends it. */
    begin() {
      underWay++;
      return () => {
        underWay--;
        if (underWay === 0) onIdle();
      };
    },
    close() {
      closing ??= end();
      return closing;
    },
  };
}

/** Connects at the first call, so a wrong URL shows only then. */
export function createPostgresPool(options: PostgresPoolOptions): PostgresPool {
  const server = serverOf(options.url);
  const { reachability } = options;
  const sockets = new Set<Socket>();
  const settings = sessionSettings(options);
  const connections = new pg.Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    connectionTimeoutMillis: options.connectTimeoutMs,
    query_timeout: options.statementTimeoutMs + answerGraceMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: "plaza",
    types,
    stream() {
      const socket = reachability?.newSocket() ?? new Socket();
      sockets.add(socket);
      const lost = reachability?.lost;
      // For a call that waited for a connection when the host was lost.
      if (lost !== undefined) setImmediate(() => socket.destroy(lost));
      return socket.once("close", () => sockets.delete(socket));
    },
    onConnect: async (client) => {
      await client.query(settings);
    },
  });
  // A broken idle connection is replaced. Without a listener the error would end the process.
  connections.on("error", () => {});
  connections.on("connect", (client) => client.on("error", () => {}));
  const closer = createCloser(connections, sockets);
  let waitedMs = 0;

  const pool: PostgresPool = {
    server,
    async acquire() {
      if (closer.isClosing()) throw new StoreError("closed", "the store is closed");
      if (reachability?.lost !== undefined) throw reachability.lost;
      if (connections.waitingCount >= waitersMax) {
        throw new StoreError(
          "queue_full",
          `the database is too slow: ${waitersMax} calls wait for it already`,
        );
      }
      const done = closer.begin();
      const askedMs = performance.now();
      reachability?.begin();
      try {
        const client = await connections.connect();
        waitedMs += performance.now() - askedMs;
        return createClient(client, { server, reachability }, done);
      } catch (error) {
        done();
        throw toStoreError(error, server, "connecting");
      } finally {
        reachability?.end();
      }
    },
    async inTransaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(pool, work);
        } catch (error) {
          if (attempt > deadlockRetries || !isWorthRepeating(error)) throw error;
        }
      }
    },
    readings: () => ({ open: connections.totalCount, waiting: connections.waitingCount, waitedMs }),
    breakAll(error) {
      for (const socket of sockets) socket.destroy(error);
    },
    close: closer.close,
  };
  return pool;
}
