/**
 * Writes a batch of request rows in one durable transaction. The hot path: one compiled statement, no query builder.
 */
import { type RequestValue, requestColumns } from "./request-row.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { isRefusedValue } from "./sqlite-errors.ts";
import type { RowFault } from "./store-core.ts";

/** A row whose id is known is left as it is: recording is safe to repeat. */
const insertSql = `insert into requests (${requestColumns.join(", ")})
  values (${requestColumns.map(() => "?").join(", ")}) on conflict do nothing`;

/**
 * Commits the rows (flat, `requestColumns.length` values each) and returns those that were refused for their own values;
 * the others are durable. Throws SQLite's error, with nothing written, when the transaction as a whole failed. Whoever
 * calls holds the connection's lock.
 */
export async function writeRequests(
  connection: SqliteConnection,
  values: readonly RequestValue[],
): Promise<readonly RowFault[] | undefined> {
  const { statement } = connection.prepare(insertSql);
  let faults: RowFault[] | undefined;
  await connection.begin("immediate");
  try {
    for (let at = 0; at < values.length; at += requestColumns.length) {
      try {
        statement.run(...values.slice(at, at + requestColumns.length));
      } catch (error) {
        if (!isRefusedValue(error)) throw error;
        faults ??= [];
        faults.push({ index: at / requestColumns.length, message: (error as Error).message });
      }
    }
    connection.commit();
  } catch (error) {
    connection.rollback();
    throw error;
  }
  return faults;
}
