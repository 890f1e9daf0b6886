/**
 * Connections to one PostgreSQL database: few, bounded in time, replaced when they break, with every error in
 * the words of StoreError. Knows PostgreSQL, knows none of the tables.
 */

import { Socket } from "node:net";
import pg from "pg";
import { StoreError } from "../error.ts";
import type { PoolReadings } from "../operation/storage-shapes.ts";
import { narrowIntegers, type Row } from "../sql/row-integers.ts";
import { isConnectionLost, toStoreError } from "./errors.ts";

export interface PostgresPoolOptions {
  /**
   * `postgres://user:password@host:port/database`, with the parameters `pg`
   * knows (`sslmode`, `host` of a socket …).
   */
  readonly url: string;
  readonly connectionsMax: number;
  /** How long a call waits for a connection, free or new. */
  readonly connectTimeoutMs: number;
  /** How long a statement may take, its waits included. */
  readonly statementTimeoutMs: number;
  /** How long a statement waits for another session's lock. */
  readonly lockTimeoutMs: number;
}

export interface PostgresResult<R> {
  readonly rows: R[];
  /** Rows given, or changed. */
  readonly rowCount: number;
  /** `SELECT`, `INSERT`, `COMMIT` … */
  readonly command: string;
}

/** One connection, as long as one has it. */
export interface PostgresClient {
  /**
   * Runs one statement. Integers of rows follow `row-integers.ts`. With a `name` the server keeps the parsed
   * statement; one name stands for one text. Rejects with StoreError; after `invalid`, `duplicate` or
   * `locked` the connection is still good.
   */
  query<R = Row>(text: string, values?: readonly unknown[], name?: string): Promise<PostgresResult<R>>;
  /** Gives the connection back, exactly once; one that broke is thrown away. */
  release(): void;
}

export interface PostgresPool {
  /** Names the database in messages: host, port and name, never user or password. */
  readonly server: string;
  /**
   * Whoever acquires a client releases it. Rejects with StoreError `unavailable`,
   * `cannot_open`, `queue_full` or `closed`.
   */
  acquire(): Promise<PostgresClient>;
  /**
   * Runs `work` in one transaction (read committed) and commits; rolls back when `work` throws. Where the
   * server chose this transaction to break a deadlock, `work` runs again from the beginning, a few times.
   */
  inTransaction<T>(work: (client: PostgresClient) => Promise<T>): Promise<T>;
  readings(): PoolReadings;
  close(): Promise<void>;
}

const waitersMax = 10_000;
const deadlockRetries = 3;
const closeGraceMs = 1_000;
/**
 * The server ends a statement at its timeout; when not even that is heard of for
 * this long, the connection is given up.
 */
const answerGraceMs = 2_000;

const int8 = 20;
const numeric = 1700;

/**
 * Sums of integers come as `numeric`; anything else of that type would be a fraction, which no column holds.
 */
const readInteger = (text: string): bigint => BigInt(text);

/** For this pool's connections alone: `pg`'s own table of types belongs to the whole process. */
const types = {
  getTypeParser: ((id: number, format?: "text" | "binary") =>
    id === int8 || id === numeric
      ? readInteger
      : pg.types.getTypeParser(id, format as "text")) as typeof pg.types.getTypeParser,
};

/** `postgres://user:password@db:6432/plaza?x=y` → `the PostgreSQL database plaza at db:6432`. */
function serverOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "the PostgreSQL database";
  const host = parsed.hostname || parsed.searchParams.get("host") || "localhost";
  return `the PostgreSQL database ${parsed.pathname.slice(1)} at ${host}:${parsed.port || "5432"}`;
}

/** What every session is told. Not in the start message, which poolers in between do not pass on. */
function sessionSettings(options: PostgresPoolOptions): string {
  const settings = {
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.statementTimeoutMs,
    default_transaction_isolation: "read committed",
  };
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  // An acknowledged commit must survive a power cut, whatever the server's
  // default says; a stronger default stays.
  const durable = `case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', false) end`;
  return `select ${[...set, durable].join(", ")}`;
}

function createClient(client: pg.PoolClient, server: string, onRelease: () => void): PostgresClient {
  let lost: unknown;
  return {
    async query<R>(text: string, values?: readonly unknown[], name?: string) {
      // What was asked before may still be on its way: nothing more is asked on this connection.
      if (lost !== undefined) throw lost;
      let result: pg.QueryResult;
      try {
        const parameters = values === undefined ? {} : { values: [...values] };
        result = await client.query({ text, ...parameters, ...(name === undefined ? {} : { name }) });
      } catch (error) {
        const translated = toStoreError(error, server, "asking");
        if (isConnectionLost(error)) lost = translated;
        throw translated;
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

/** Deadlock or failed serialisation: the transaction is gone, and a new one may succeed. */
function isWorthRepeating(thrown: unknown): boolean {
  const cause = thrown instanceof StoreError ? thrown.cause : undefined;
  return cause instanceof pg.DatabaseError && (cause.code === "40P01" || cause.code === "40001");
}

/**
 * Commits. A transaction in which a statement failed unnoticed is rolled back by
 * COMMIT, which must not pass for success.
 */
export async function commit(client: PostgresClient): Promise<void> {
  const { command } = await client.query("commit");
  if (command !== "COMMIT") throw new Error("the transaction was rolled back: a statement in it had failed");
}

/** Never throws: a connection that cannot even do this is broken, and its transaction ends with it. */
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

/** Ends the connections when the last call that uses one is over. */
function createCloser(connections: pg.Pool, sockets: ReadonlySet<Socket>) {
  let underWay = 0;
  let onIdle = () => {};
  let closing: Promise<void> | undefined;

  async function end(): Promise<void> {
    // Bounded: every call under way has its own timeout.
    if (underWay > 0) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    }
    const hanging = setTimeout(() => {
      // A server that hangs never answers the goodbye.
      for (const socket of sockets) socket.destroy();
    }, closeGraceMs);
    await connections.end();
    clearTimeout(hanging);
  }

  return {
    isClosing: () => closing !== undefined,
    /** A call begins; it is over when the function returned is called. */
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

/** Connects with the first call, so a wrong URL shows there. */
export function createPostgresPool(options: PostgresPoolOptions): PostgresPool {
  const server = serverOf(options.url);
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
      const socket = new Socket();
      sockets.add(socket);
      return socket.once("close", () => sockets.delete(socket));
    },
    onConnect: async (client) => {
      await client.query(settings);
    },
  });
  // A connection that breaks while nobody uses it is replaced; without a listener it would end the process.
  connections.on("error", () => {});
  connections.on("connect", (client) => client.on("error", () => {}));
  const closer = createCloser(connections, sockets);
  let waitedMs = 0;

  const pool: PostgresPool = {
    server,
    async acquire() {
      if (closer.isClosing()) throw new StoreError("closed", "the store is closed");
      if (connections.waitingCount >= waitersMax) {
        throw new StoreError(
          "queue_full",
          `the database is too slow: ${waitersMax} calls wait for it already`,
        );
      }
      const done = closer.begin();
      const askedMs = performance.now();
      try {
        const client = await connections.connect();
        waitedMs += performance.now() - askedMs;
        return createClient(client, server, done);
      } catch (error) {
        done();
        throw toStoreError(error, server, "connecting");
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
    close: closer.close,
  };
  return pool;
}
