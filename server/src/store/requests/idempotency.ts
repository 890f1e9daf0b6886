/**
 * Idempotency-Keys: who works on a call, and the answer kept for one that is repeated. An answer
 * is written by the batch that settles its request, so that no call is charged without its
 * answer being there for the next try.
 */
import type { ExpressionBuilder, Kysely, Selectable, Transaction } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database, IdempotencyKeysTable } from "../sql/schema.ts";
import type { Store } from "../store.ts";
import type { IdempotencyClaim } from "./settlement-shapes.ts";

/** Old answers are looked for once in this many claims, this many at a time. */
const pruneEvery = 100;
const pruneMax = 1_000;

/** Most keys of one account; beyond it those that expire first go. */
const keysPerAccountMax = 100_000;

/** Gives free what a holder that is gone was working on. */
export async function dropClaims(trx: Transaction<Database>, holderId: string): Promise<void> {
  await trx.deleteFrom("idempotency_keys").where("holder_id", "=", holderId).execute();
}

/**
 * How long the claims of a process stay taken that died with settlements in its journal: as long as a machine
 * takes to come back, or a disk to be moved. Then the call is made again, and should the journal come back
 * after all, the operator pays for one of the two.
 */
const journalPatienceMs = 15 * 60_000;

/** Keeps taken, for a while, what a holder was working on whose journal may have the answers. */
export async function holdClaims(trx: Transaction<Database>, holderId: string, nowMs: number): Promise<void> {
  await trx
    .updateTable("idempotency_keys")
    .set({ held_until: nowMs + journalPatienceMs })
    .where("holder_id", "=", holderId)
    .execute();
}

function meet(row: Selectable<IdempotencyKeysTable>, fingerprint: string): IdempotencyClaim {
  if (row.fingerprint !== fingerprint) return { kind: "other_body" };
  if (row.status === null || row.body === null) {
    return { kind: row.held_until === null ? "in_flight" : "in_journal" };
  }
  const headers = JSON.parse(row.headers ?? "[]") as string[];
  return { kind: "done", requestId: row.request_id, answer: { status: row.status, headers, body: row.body } };
}

/**
 * In nobody's hands any more: expired, or claimed by a holder that is gone and whose journal did not come.
 */
function isFree(eb: ExpressionBuilder<Database, "idempotency_keys">, nowMs: number) {
  const holder = eb
    .selectFrom("holders")
    .select("holders.id")
    .whereRef("holders.id", "=", "idempotency_keys.holder_id");
  return eb.or([
    eb("expires_at", "<=", nowMs),
    eb.and([
      eb("holder_id", "is not", null),
      eb.not(eb.exists(holder)),
      eb.or([eb("held_until", "is", null), eb("held_until", "<=", nowMs)]),
    ]),
  ]);
}

/**
 * Is the holder still there? One that is swept at this moment is waited for,
 * so that no claim outlives its holder.
 */
async function isHeld(trx: Transaction<Database>, holderId: string, dialect: SqlDialect): Promise<boolean> {
  const holder = await trx
    .selectFrom("holders")
    .select("id")
    .where("id", "=", holderId)
    .$if(dialect.locksRows, (query) => query.forKeyShare())
    .executeTakeFirst();
  return holder !== undefined;
}

/** Removes some of what has expired. */
async function dropExpired(trx: Transaction<Database>, nowMs: number): Promise<void> {
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

/** Removes the oldest answers of an account that keeps too many; what is in flight stays. */
async function dropBeyond(trx: Transaction<Database>, accountId: string, keysMax: number): Promise<void> {
  const first = await trx
    .selectFrom("idempotency_keys")
    .select("expires_at")
    .where("account_id", "=", accountId)
    .orderBy("expires_at", "desc")
    .offset(keysMax)
    .limit(1)
    .executeTakeFirst();
  if (first === undefined) return;
  await trx
    .deleteFrom("idempotency_keys")
    .where("account_id", "=", accountId)
    .where("expires_at", "<=", first.expires_at)
    .where("holder_id", "is", null)
    .execute();
}

export function createIdempotencyMethods(
  db: Kysely<Database>,
  clock: Clock,
  dialect: SqlDialect,
  keysMax = keysPerAccountMax,
): Pick<Store, "claimIdempotencyKey" | "dropIdempotencyClaim"> {
  let claims = 0;

  async function prune(trx: Transaction<Database>, accountId: string, nowMs: number): Promise<void> {
    claims += 1;
    if (claims % pruneEvery !== 0) return;
    await dropExpired(trx, nowMs);
    await dropBeyond(trx, accountId, keysMax);
  }

  return {
    claimIdempotencyKey({ accountId, key, fingerprint, requestId, holderId, expiresAt }) {
      return db.transaction().execute(async (trx): Promise<IdempotencyClaim> => {
        const nowMs = clock.wallMs();
        if (!(await isHeld(trx, holderId, dialect))) return { kind: "fenced" };
        await prune(trx, accountId, nowMs);
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
          .where((eb) => isFree(eb, nowMs))
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
          .$if(dialect.locksRows, (query) => query.forShare())
          .executeTakeFirst();
        // Given free between the two statements: the caller may try again.
        return met === undefined ? { kind: "in_flight" } : meet(met, fingerprint);
      });
    },
    async dropIdempotencyClaim({ accountId, key, requestId }) {
      await db
        .deleteFrom("idempotency_keys")
        .where("account_id", "=", accountId)
        .where("key", "=", key)
        .where("request_id", "=", requestId)
        .where("holder_id", "is not", null)
        .execute();
    },
  };
}
