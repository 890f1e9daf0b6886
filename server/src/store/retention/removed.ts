/** What readers must know of removed requests. */
import { type Kysely, sql, type Transaction } from "kysely";
import { firstIdAt } from "../../lib/id.ts";
import { hasMigration } from "../migrations/history.ts";
import { nanosOfSum, sumOfNanos } from "../sql/expressions.ts";
import type { Database } from "../sql/schema.ts";

/** The migration that made the tables, which may have to wait (`0027-requests-kept.ts`). */
const madeBy = 27;

/** True when there are tables of removed requests; until then nothing is removed. */
export const canRemove = (db: Kysely<Database>): Promise<boolean> => hasMigration(db, madeBy);

/** Requests from before this time (Unix milliseconds) have smaller ids, all others have not. */
export const requestsFrom = (ms: number): string => firstIdAt("req", ms);

/** The beginning of a UTC day before which requests may be gone, in Unix milliseconds; 0: none is. */
export async function removedBelow(db: Kysely<Database>): Promise<number> {
  if (!(await canRemove(db))) return 0;
  const row = await db.selectFrom("removed_requests").select("below_ms").executeTakeFirst();
  return row?.below_ms ?? 0;
}

/** What removed requests of each key paid. */
export async function removedPayments(trx: Transaction<Database>): Promise<ReadonlyMap<string, bigint>> {
  if (!(await canRemove(trx))) return new Map();
  const rows = await trx
    .selectFrom("removed_by_key")
    .select(["key_id", sumOfNanos(sql.ref("paid_nanos")).as("paid_nanos")])
    .groupBy("key_id")
    .execute();
  return new Map(rows.map((row) => [row.key_id, nanosOfSum(row.paid_nanos)]));
}
