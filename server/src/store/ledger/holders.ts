/**
 * Serving processes and their leases. A holder is alive while its heartbeats arrive, by the database's clock.
 * When they stop, the next process to notice returns its leases to their accounts and budgets.
 */
import { nanoUsd } from "@plaza/contract/money.ts";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import { createLimitPruner, loseSlices } from "../limits/limits.ts";
import { readHistory, requireServable } from "../migrations/history.ts";
import { migrations, newestSchema } from "../migrations/index.ts";
import { insertChange } from "../operation/changes.ts";
import { createAnswerPruner, dropClaims, holdClaims } from "../requests/idempotency.ts";
import { createReasoningPruner } from "../requests/reasoning.ts";
import { createResponsePruner } from "../responses/responses.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { Store } from "../store.ts";
import { expireGrants } from "./grants.ts";
import { holderLifeMs } from "./lease-shapes.ts";

/** Leases returned per transaction, so that other transactions can run in between. */
const leasesPerStep = 500;

async function databaseNow(db: Kysely<Database>, dialect: SqlDialect): Promise<number> {
  const { now } = await db.selectNoFrom(dialect.databaseNow().as("now")).executeTakeFirstOrThrow();
  return now;
}

/** Returns some of a holder's leases. When none are left it deletes the holder and returns false. */
async function returnSome(
  trx: Transaction<Database>,
  holderId: string,
  dialect: SqlDialect,
): Promise<boolean> {
  // The holder's row is the lock: a batch of that holder prevents a sweep in the middle.
  const holder = await trx
    .selectFrom("holders")
    .select(["has_journal", dialect.databaseNow().as("now")])
    .where("id", "=", holderId)
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .executeTakeFirst();
  const leases = await trx
    .selectFrom("leases")
    .select(["kind", "subject", "amount_nanos"])
    .where("holder_id", "=", holderId)
    .orderBy("kind")
    .orderBy("subject")
    .limit(leasesPerStep)
    .execute();
  for (const { kind, subject, amount_nanos: amount } of leases) {
    const table = kind === "account" ? "accounts" : "key_budgets";
    await trx
      .updateTable(table)
      .set({ leased_nanos: sql`leased_nanos - ${amount}` })
      .where("id", "=", subject)
      .execute();
    await trx
      .deleteFrom("leases")
      .where("holder_id", "=", holderId)
      .where("kind", "=", kind)
      .where("subject", "=", subject)
      .execute();
  }
  if (leases.length > 0 || (await loseSlices(trx, holderId, dialect))) return true;
  if (holder?.has_journal === 1) await holdClaims(trx, holderId, holder.now);
  else await dropClaims(trx, holderId);
  await trx.deleteFrom("holders").where("id", "=", holderId).execute();
  return false;
}

async function returnAll(db: Kysely<Database>, holderId: string, dialect: SqlDialect): Promise<void> {
  for (let isMore = true; isMore; ) {
    isMore = await db.transaction().execute((trx) => returnSome(trx, holderId, dialect));
  }
}

type HolderMethods = Pick<
  Store,
  "openHolder" | "heartbeat" | "noteJournal" | "closeHolder" | "recallLeases" | "findBudget"
>;

/** `lazyDb`: for writes that a power cut may lose. */
export function createHolderMethods(
  db: Kysely<Database>,
  lazyDb: Kysely<Database>,
  clock: Clock,
  dialect: SqlDialect,
): HolderMethods {
  const pruneLimits = createLimitPruner(lazyDb, clock, dialect);
  const pruneAnswers = createAnswerPruner(lazyDb, clock);
  const pruneReasoning = createReasoningPruner(lazyDb, clock);
  const pruneResponses = createResponsePruner(lazyDb, clock);
  return {
    openHolder: (id) =>
      // One transaction, so that no contract can be applied between the look and the row that holds it off.
      db.transaction().execute(async (trx) => {
        requireServable(await readHistory(trx, true), migrations, dialect.name);
        const nowMs = await databaseNow(trx, dialect);
        await trx
          .insertInto("holders")
          .values({
            id,
            created_at: nowMs,
            expires_at: nowMs + holderLifeMs,
            schema_version: newestSchema(),
          })
          .execute();
      }),
    async heartbeat(holderId) {
      const nowMs = await databaseNow(db, dialect);
      const { numUpdatedRows } = await db
        .updateTable("holders")
        .set({ expires_at: nowMs + holderLifeMs })
        .where("id", "=", holderId)
        .where("expires_at", ">", nowMs)
        .executeTakeFirstOrThrow();
      const dead = await db.selectFrom("holders").select("id").where("expires_at", "<=", nowMs).execute();
      for (const { id } of dead) await returnAll(db, id, dialect);
      await expireGrants(db, nowMs, dialect);
      await pruneLimits(nowMs);
      await pruneAnswers();
      await pruneReasoning();
      await pruneResponses();
      return numUpdatedRows > 0n;
    },
    async noteJournal(holderId, hasJournal) {
      await db
        .updateTable("holders")
        .set({ has_journal: hasJournal ? 1 : 0 })
        .where("id", "=", holderId)
        .execute();
    },
    closeHolder: (id) => returnAll(db, id, dialect),
    async recallLeases(accountId) {
      await db
        .transaction()
        .execute((trx) => insertChange(trx, { kind: "recall", subject: accountId }, clock.wallMs()));
    },
    async findBudget(id) {
      const row = await db.selectFrom("key_budgets").selectAll().where("id", "=", id).executeTakeFirst();
      return row && { spent: nanoUsd(row.spent_nanos), leased: nanoUsd(row.leased_nanos) };
    },
  };
}
