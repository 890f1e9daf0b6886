/**
 * Idempotency keys: which request works on a call, and the answer stored for repeated calls. The batch that
 * settles a request writes its answer, so no call is charged unless its answer is available to the next try.
 */
import type { ExpressionBuilder, Kysely, Selectable, Transaction } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database, IdempotencyKeysTable } from "../sql/schema.ts";
import type { Store } from "../store.ts";
import type { IdempotencyClaim } from "./settlement-shapes.ts";

/** Old answers are deleted once in this many claims, in steps of this size. */
const pruneEvery = 100;
const pruneMax = 1_000;

/** Most keys per account. Beyond it, those that expire first are deleted. */
const keysPerAccountMax = 100_000;

/** Releases the keys a dead holder was working on. */
export async function dropClaims(trx: Transaction<Database>, holderId: string): Promise<void> {
  await trx.deleteFrom("idempotency_keys").where("holder_id", "=", holderId).execute();
}

/**
 * How long claims of a process stay taken if it died with settlements in its journal: time for a machine to
 * restart or a disk to be moved. Afterwards the call may be made again; if the journal still appears, the
 * operator pays for one of the two.
 */
const journalPatienceMs = 15 * 60_000;

/** Keeps a holder's keys taken for a while, because its journal may have the answers. */
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

/** True for a key that has expired, or whose holder is gone and whose journal did not appear in time. */
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

/** True when the holder still exists. Waits for a sweep of the holder, so that no claim outlives it. */
async function isHeld(trx: Transaction<Database>, holderId: string, dialect: SqlDialect): Promise<boolean> {
  const holder = await trx
    .selectFrom("holders")
    .select("id")
    .where("id", "=", holderId)
    .$if(dialect.locksRows, (query) => query.forKeyShare())
    .executeTakeFirst();
  return holder !== undefined;
}

/** Deletes some expired keys, those that expired first; resolves with how many there were. */
async function dropExpired(db: Kysely<Database>, nowMs: number, rowsMax: number): Promise<number> {
  const old = await db
    .selectFrom("idempotency_keys")
    .select(["account_id", "key"])
    .where("expires_at", "<=", nowMs)
    .orderBy("expires_at")
    .limit(rowsMax)
    .execute();
  for (const row of old) {
    await db
      .deleteFrom("idempotency_keys")
      .where("account_id", "=", row.account_id)
      .where("key", "=", row.key)
      .where("expires_at", "<=", nowMs)
      .execute();
  }
  return old.length;
}

/** Answers deleted with a heartbeat, and how often. */
const prunedMax = 200;
const pruneEveryMs = 60_000;

/**
 * Deletes expired answers, a few at a time, at most once a minute; called with the heartbeats, so that
 * answers go also where no further call has a key.
 */
export function createAnswerPruner(db: Kysely<Database>, clock: Clock): () => Promise<void> {
  let lastMs = -pruneEveryMs;
  return async () => {
    const elapsedMs = clock.elapsedMs();
    if (elapsedMs - lastMs < pruneEveryMs) return;
    // A full step: there may be more, and the next heartbeat goes on.
    if ((await dropExpired(db, clock.wallMs(), prunedMax)) < prunedMax) lastMs = elapsedMs;
  };
}

/** Deletes an account's oldest answers beyond the limit; keys in flight stay. */
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
    await dropExpired(trx, nowMs, pruneMax);
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
        // Released between the two statements; the caller may try again.
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
