/**
 * Idempotency-Keys: who works on a call, and the answer kept for one that is repeated. An answer is written by the batch that
 * settles its request, so that no call is charged without its answer being there for the next try.
 */
import type { ExpressionBuilder, Kysely, Transaction } from "kysely";
import type { Clock } from "../lib/clock.ts";
import type { Database, IdempotencyKeysTable } from "./schema.ts";
import type { IdempotencyClaim, Store } from "./store.ts";
import type { DialectWays } from "./store-core.ts";

/** Old answers are looked for once in this many claims, this many at a time. */
const pruneEvery = 100;
const pruneMax = 1_000;

/** Gives free what a holder that is gone was working on. */
export async function dropClaims(trx: Transaction<Database>, holderId: string): Promise<void> {
  await trx.deleteFrom("idempotency_keys").where("holder_id", "=", holderId).execute();
}

/** Claimed by a holder that is gone: it was swept before the claim, or `dropClaims` would have given it free. */
const isAbandoned = (eb: ExpressionBuilder<Database, "idempotency_keys">) =>
  eb.and([
    eb("holder_id", "is not", null),
    eb.not(eb.exists(eb.selectFrom("holders").select("id").whereRef("holders.id", "=", "holder_id"))),
  ]);

function meet(row: IdempotencyKeysTable, fingerprint: string): IdempotencyClaim {
  if (row.fingerprint !== fingerprint) return { kind: "other_body" };
  if (row.status === null || row.body === null) return { kind: "in_flight" };
  const headers = JSON.parse(row.headers ?? "[]") as string[];
  return { kind: "done", requestId: row.request_id, answer: { status: row.status, headers, body: row.body } };
}

export function createIdempotencyMethods(
  db: Kysely<Database>,
  clock: Clock,
  ways: DialectWays,
): Pick<Store, "claimIdempotencyKey"> {
  let claims = 0;

  async function prune(trx: Transaction<Database>, nowMs: number): Promise<void> {
    claims += 1;
    if (claims % pruneEvery !== 0) return;
    const old = await trx
      .selectFrom("idempotency_keys")
      .select(["account_id", "key"])
      .where("expires_at", "<=", nowMs)
      .limit(pruneMax)
      .execute();
    for (const row of old) {
      await trx
        .deleteFrom("idempotency_keys")
        .where("account_id", "=", row.account_id)
        .where("key", "=", row.key)
        .where("expires_at", "<=", nowMs)
        .execute();
    }
  }

  return {
    claimIdempotencyKey({ accountId, key, fingerprint, requestId, holderId, expiresAt }) {
      return db.transaction().execute(async (trx): Promise<IdempotencyClaim> => {
        const nowMs = clock.wallMs();
        await prune(trx, nowMs);
        const row = {
          account_id: accountId,
          key,
          fingerprint,
          request_id: requestId,
          holder_id: holderId,
          status: null,
          headers: null,
          body: null,
          expires_at: expiresAt,
        };
        await trx
          .deleteFrom("idempotency_keys")
          .where("account_id", "=", accountId)
          .where("key", "=", key)
          .where((eb) => eb.or([eb("expires_at", "<=", nowMs), isAbandoned(eb)]))
          .execute();
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto("idempotency_keys")
          .values(row)
          .onConflict((conflict) => conflict.columns(["account_id", "key"]).doNothing())
          .executeTakeFirstOrThrow();
        if ((numInsertedOrUpdatedRows ?? 0n) > 0n) return { kind: "claimed" };
        const met = await trx
          .selectFrom("idempotency_keys")
          .selectAll()
          .where("account_id", "=", accountId)
          .where("key", "=", key)
          .$if(ways.locksRows, (query) => query.forShare())
          .executeTakeFirst();
        // Given free between the two statements: the caller may try again.
        return met === undefined ? { kind: "in_flight" } : meet(met, fingerprint);
      });
    },
  };
}
