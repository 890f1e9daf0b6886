/** Refused calls without a row of their own: counts per key, reason and minute, and sums over them. */
import { type Kysely, sql } from "kysely";
import { keyHasLabels } from "../accounts/key-labels.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { RefusalStore, RefusalSum } from "./refusal-shapes.ts";

/** Most sums returned. There are few reasons, so the keys with the fewest refusals are cut off. */
const sumsMax = 100;

/**
 * The primary key begins with the account. One index seek per account, and one for its oldest count, avoids
 * reading all counts that stay.
 */
async function pruneRefusals(
  { db, dialect }: { db: Kysely<Database>; dialect: SqlDialect },
  before: number,
  rowsMax: number,
): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    await dialect.commitLazily(trx);
    const { numAffectedRows } = await sql`
      with recursive account (id) as (
        select min(account_id) from refusals
        union all
        select (select min(account_id) from refusals where account_id > account.id) from account
          where account.id is not null
      )
      delete from refusals where (account_id, minute, key_id, error_code) in (
        select old.account_id, old.minute, old.key_id, old.error_code
        from account join refusals as old on old.account_id = account.id and old.minute < ${before}
        limit ${rowsMax}
      )`.execute(trx);
    return Number(numAffectedRows ?? 0n);
  });
}

/** `lazyDb`: for writes that a power cut may lose. */
export function createRefusalMethods(
  db: Kysely<Database>,
  lazyDb: Kysely<Database>,
  dialect: SqlDialect,
): RefusalStore {
  return {
    pruneRefusals: (before, rowsMax) => pruneRefusals({ db: lazyDb, dialect }, before, rowsMax),
    async addRefusals(counts) {
      if (counts.length === 0) return;
      await db.transaction().execute(async (trx) => {
        // One global order, so that two processes cannot deadlock.
        const sorted = counts.toSorted((a, b) =>
          `${a.accountId} ${a.keyId}` < `${b.accountId} ${b.keyId}` ? -1 : 1,
        );
        for (const { accountId, keyId, errorCode, minute, count } of sorted) {
          await trx
            .insertInto("refusals")
            .values({ account_id: accountId, key_id: keyId, error_code: errorCode, minute, count })
            .onConflict((conflict) =>
              conflict
                .columns(["account_id", "minute", "key_id", "error_code"])
                .doUpdateSet({ count: sql<number>`refusals.count + excluded.count` }),
            )
            .execute();
        }
      });
    },
    async sumRefusals(filter) {
      const { accounts, keys, errorCode, fromMs, toMs, ...labels } = filter;
      const rows = await db
        .selectFrom("refusals")
        .leftJoin("api_keys", "api_keys.id", "refusals.key_id")
        .select(["refusals.account_id", "refusals.key_id", "api_keys.name", "refusals.error_code"])
        .select(({ fn }) => [
          fn.sum<number | string>("refusals.count").as("count"),
          fn.min("refusals.minute").as("first"),
          fn.max("refusals.minute").as("last"),
        ])
        .$if(accounts !== undefined, (query) =>
          query.where("refusals.account_id", "in", [...(accounts ?? [])]),
        )
        .$if(keys !== undefined, (query) => query.where("refusals.key_id", "in", [...(keys ?? [])]))
        .where(keyHasLabels("refusals.key_id", labels))
        .$if(errorCode !== undefined, (query) => query.where("refusals.error_code", "=", errorCode ?? ""))
        .$if(fromMs !== undefined, (query) => query.where("refusals.minute", ">=", fromMs ?? 0))
        .$if(toMs !== undefined, (query) => query.where("refusals.minute", "<", toMs ?? 0))
        .groupBy(["refusals.account_id", "refusals.key_id", "api_keys.name", "refusals.error_code"])
        .orderBy("count", "desc")
        .limit(sumsMax)
        .execute();
      return rows.map(
        (row): RefusalSum => ({
          accountId: row.account_id,
          keyId: row.key_id,
          keyName: row.name,
          errorCode: row.error_code,
          count: Number(row.count),
          firstMinute: Number(row.first),
          lastMinute: Number(row.last),
        }),
      );
    },
  };
}
