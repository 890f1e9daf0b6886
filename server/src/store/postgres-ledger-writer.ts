/**
 * Writes a batch of request rows as one durable statement, whatever their number: a list per column, unfolded by the server.
 * The hot path: no query builder.
 */
import { arrayLiteral } from "./postgres-array.ts";
import type { PostgresClient, PostgresPool } from "./postgres-pool.ts";
import { at, type RequestValue, requestColumns, valuesPerRequest } from "./request-row.ts";
import type { LedgerBatch, LedgerReply, RowFault } from "./store-core.ts";
import { StoreError } from "./store-error.ts";

const textColumns: ReadonlySet<string> = new Set([
  "id",
  "account_id",
  "key_id",
  "model_id",
  "upstream_id",
  "upstream_model",
  "state",
  "error_code",
  "usage_source",
  "usage_parts",
  "attempt_log",
]);

const typeOf = (column: string): string => (textColumns.has(column) ? "text" : "bigint");
const lists = requestColumns.map((column, index) => `$${index + 1}::${typeOf(column)}[]`);

/** A row whose id is known is left as it is: recording is safe to repeat. */
const insertSql = `insert into requests (${requestColumns.join(", ")})
  select * from unnest(${lists.join(", ")}) on conflict do nothing`;

async function insert(client: PostgresClient, values: readonly RequestValue[]): Promise<void> {
  const columns = requestColumns.map((_, index) => arrayLiteral(values, index, valuesPerRequest));
  await client.query(insertSql, columns, "insert_requests");
}

/** Did the statement refuse a value, with the connection and the database sound? */
const isRefusedValue = (thrown: unknown): boolean =>
  thrown instanceof StoreError && (thrown.code === "invalid" || thrown.code === "duplicate");

/** One row at a time, each behind a savepoint, all in one commit. Only for a batch that was refused as a whole. */
async function insertOneByOne(client: PostgresClient, values: readonly RequestValue[]): Promise<RowFault[]> {
  const faults: RowFault[] = [];
  for (let offset = 0; offset < values.length; offset += valuesPerRequest) {
    await client.query("savepoint request");
    try {
      await insert(client, values.slice(offset, offset + valuesPerRequest));
    } catch (error) {
      if (!isRefusedValue(error)) throw error;
      faults.push({ index: offset / valuesPerRequest, message: (error as Error).message });
      await client.query("rollback to savepoint request");
    }
    await client.query("release savepoint request");
  }
  return faults;
}

/** Until settlements are written here too, a batch that moves money is refused whole. */
function requireNoMoney({ values, returns, takes }: LedgerBatch): void {
  let isMoney = returns.length + takes.length > 0;
  for (let offset = 0; offset < values.length; offset += valuesPerRequest) {
    isMoney ||= values[offset + at.holderId] !== null || values[offset + at.charge] !== 0n;
  }
  if (isMoney) throw new StoreError("invalid", "PostgreSQL does not settle charges yet");
}

/**
 * Commits a batch. Requests refused for their own values are returned, everything else is durable. Rejects with StoreError,
 * with nothing known to be written, when the batch as a whole failed.
 */
export async function writeLedger(pool: PostgresPool, batch: LedgerBatch): Promise<LedgerReply> {
  requireNoMoney(batch);
  const reply = { faults: [], returned: [], grants: [] };
  const client = await pool.acquire();
  try {
    await insert(client, batch.values);
    return reply;
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
  } finally {
    client.release();
  }
  return { ...reply, faults: await pool.inTransaction((inner) => insertOneByOne(inner, batch.values)) };
}
