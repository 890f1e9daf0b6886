/**
 * Reads the money directly from the database with SQL of its own, for SQLite and PostgreSQL, so that errors
 * in the product's store are found. Writes only in `ageHolders` and `holdHeartbeats`.
 */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";

/** The database to read. */
export type LedgerTarget =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

/** One account in one snapshot of the database; NanoUsd. */
export interface AccountSums {
  readonly id: string;
  readonly balance: bigint;
  readonly leased: bigint;
  /** Sum of its leases. */
  readonly leases: bigint;
  /** Top-ups, adjustments, refunds and expiries, signed. */
  readonly credited: bigint;
  /** Positive. */
  readonly charged: bigint;
  readonly lost: bigint;
}

/** One recorded request. */
export interface RequestSeen {
  readonly id: string;
  readonly keyId: string;
  readonly accountId: string;
  readonly state: string;
  readonly status: number;
  readonly source: string;
  readonly isStream: boolean;
  /** Tokens of the prompt, cached ones included. */
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
  readonly charge: bigint;
  readonly loss: bigint;
}

export interface ChargeLine {
  readonly requestId: string;
  readonly accountId: string;
  /** Positive. */
  readonly amount: bigint;
}

/** A lease with its holder; `expiresInMs` by this machine's clock, NaN when the holder is missing. */
export interface LeaseSeen {
  readonly holderId: string;
  readonly kind: string;
  readonly subject: string;
  readonly amount: bigint;
  readonly expiresInMs: number;
}

export interface LedgerReader {
  accounts(): Promise<AccountSums[]>;
  requests(): Promise<RequestSeen[]>;
  charges(): Promise<ChargeLine[]>;
  leases(): Promise<LeaseSeen[]>;
  /** Describes key budgets whose leased amount differs from the sum of their leases. */
  budgetsOff(): Promise<string[]>;
  holders(): Promise<string[]>;
  /** Sets the last heartbeats of these holders to an hour ago, instead of waiting. */
  ageHolders(ids: readonly string[]): Promise<void>;
  /** Blocks all heartbeat writes until the returned function is called. */
  holdHeartbeats(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

type Cell = bigint | string | null;
type Row = Readonly<Record<string, Cell>>;

/** Runs one statement, which sees one snapshot of the database. */
interface Connection {
  all(sql: string): Promise<Row[]>;
  write(sql: string): Promise<void>;
  /** Begins a transaction on a separate connection; the returned function rolls it back. */
  hold(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** A killed process leaves its log to the next one that opens the database; readers wait for that. */
const busyMs = 10_000;

function openSqlite(file: string): Connection {
  const db = new DatabaseSync(file, { readOnly: true, timeout: busyMs });
  return {
    all: async (sql) => {
      const statement = db.prepare(sql);
      statement.setReadBigInts(true);
      return statement.all() as unknown as Row[];
    },
    write: async (sql) => {
      const writer = new DatabaseSync(file, { timeout: busyMs });
      writer.exec(sql);
      writer.close();
    },
    hold: async () => {
      const writer = new DatabaseSync(file, { timeout: busyMs });
      writer.exec("begin immediate");
      return async () => {
        writer.exec("rollback");
        writer.close();
      };
    },
    close: async () => db.close(),
  };
}

/** Read int8, int4, int2 and numeric as bigint, as from SQLite. */
const integerTypes = [20, 23, 21, 1700];

/** Reconnects when the server was unavailable, or did not answer `withinMs`. */
function openPostgres(url: string, withinMs: number | undefined): Connection {
  let connected: Promise<pg.Client> | undefined;
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: busyMs,
      query_timeout: withinMs,
      types: {
        getTypeParser: (type: number) =>
          integerTypes.includes(type) ? (text: string) => BigInt(text) : (text: string) => text,
      } as pg.CustomTypesConfig,
    });
    client.on("error", () => {
      connected = undefined;
    });
    await client.connect();
    return client;
  };
  const run = async (sql: string): Promise<Row[]> => {
    connected ??= connect();
    try {
      return (await (await connected).query(sql)).rows as Row[];
    } catch (error) {
      connected = undefined;
      throw error;
    }
  };
  return {
    all: run,
    write: async (sql) => {
      await run(sql);
    },
    hold: async () => {
      const client = await connect();
      await client.query("begin");
      await client.query("lock table holders in exclusive mode");
      return async () => {
        await client.query("rollback");
        await client.end();
      };
    },
    close: async () => {
      await (await connected?.catch(() => undefined))?.end();
    },
  };
}

const sumOf = (columns: string): string => `coalesce(sum(${columns}), 0)`;

const accountsSql = `
  select a.id, a.balance_nanos as balance, a.leased_nanos as leased, coalesce(l.leases, 0) as leases,
    coalesce(e.credited, 0) as credited, coalesce(e.charged, 0) as charged, coalesce(e.lost, 0) as lost
  from accounts a
  left join (select subject, ${sumOf("amount_nanos")} as leases from leases where kind = 'account' group by subject) l
    on l.subject = a.id
  left join (
    select account_id,
      ${sumOf("case when kind in ('topup', 'adjustment', 'refund', 'expiry') then amount_nanos else 0 end")} as credited,
      ${sumOf("case when kind = 'charge' then -amount_nanos else 0 end")} as charged,
      ${sumOf("case when kind = 'operator_loss' then amount_nanos else 0 end")} as lost
    from ledger_entries group by account_id) e
    on e.account_id = a.id
  order by a.id`;

const requestsSql = `
  select id, key_id, account_id, state, status, usage_source, is_stream, input_tokens, cached_input_tokens,
    cache_write_tokens, output_tokens, charge_nanos, loss_nanos
  from requests`;

const budgetsSql = `
  select b.id, b.leased_nanos as leased, coalesce(l.leases, 0) as leases
  from key_budgets b
  left join (select subject, ${sumOf("amount_nanos")} as leases from leases where kind = 'budget' group by subject) l
    on l.subject = b.id
  where b.leased_nanos <> coalesce(l.leases, 0) or b.leased_nanos < 0`;

const leasesSql = `
  select l.holder_id, l.kind, l.subject, l.amount_nanos, h.expires_at
  from leases l left join holders h on h.id = l.holder_id
  where l.amount_nanos > 0`;

const text = (cell: Cell | undefined): string => String(cell ?? "");
const big = (cell: Cell | undefined): bigint => (typeof cell === "bigint" ? cell : BigInt(cell ?? 0));

function toRequest(row: Row): RequestSeen {
  const cachedInput = Number(row["cached_input_tokens"]);
  return {
    id: text(row["id"]),
    keyId: text(row["key_id"]),
    accountId: text(row["account_id"]),
    state: text(row["state"]),
    status: Number(row["status"]),
    source: text(row["usage_source"]),
    isStream: Number(row["is_stream"]) === 1,
    input: Number(row["input_tokens"]) + cachedInput + Number(row["cache_write_tokens"]),
    cachedInput,
    output: Number(row["output_tokens"]),
    charge: big(row["charge_nanos"]),
    loss: big(row["loss_nanos"]),
  };
}

/**
 * Opens a reader; the database must exist and be migrated. A PostgreSQL server that does not answer
 * `withinMs` is asked on a new connection the next time; default: it is waited for.
 */
export function openLedgerReader(place: LedgerTarget, withinMs?: number): LedgerReader {
  const connection = place.kind === "sqlite" ? openSqlite(place.file) : openPostgres(place.url, withinMs);
  return {
    accounts: async () =>
      (await connection.all(accountsSql)).map((row) => ({
        id: text(row["id"]),
        balance: big(row["balance"]),
        leased: big(row["leased"]),
        leases: big(row["leases"]),
        credited: big(row["credited"]),
        charged: big(row["charged"]),
        lost: big(row["lost"]),
      })),
    requests: async () => (await connection.all(requestsSql)).map(toRequest),
    charges: async () =>
      (
        await connection.all(
          "select request_id, account_id, -amount_nanos as amount from ledger_entries where kind = 'charge'",
        )
      ).map((row) => ({
        requestId: text(row["request_id"]),
        accountId: text(row["account_id"]),
        amount: big(row["amount"]),
      })),
    leases: async () =>
      (await connection.all(leasesSql)).map((row) => ({
        holderId: text(row["holder_id"]),
        kind: text(row["kind"]),
        subject: text(row["subject"]),
        amount: big(row["amount_nanos"]),
        expiresInMs: row["expires_at"] === null ? Number.NaN : Number(row["expires_at"]) - Date.now(),
      })),
    budgetsOff: async () =>
      (await connection.all(budgetsSql)).map(
        (row) => `${row["id"]}: ${row["leased"]} units said to be lent, leases of ${row["leases"]}`,
      ),
    holders: async () => (await connection.all("select id from holders")).map((row) => text(row["id"])),
    ageHolders: (ids) =>
      connection.write(
        `update holders set expires_at = expires_at - 3600000 where id in (${ids.map((id) => `'${id}'`).join()})`,
      ),
    holdHeartbeats: () => connection.hold(),
    close: () => connection.close(),
  };
}
