/** SQL for `codes.ts`: redemption codes. `codes-entries.ts` has the pages of the ledger. */
import { message, textOf } from "@plaza/contract/messages/message.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Kysely, Transaction } from "kysely";
import { StoreError } from "../error.ts";
import { addEntry } from "../ledger/entries.ts";
import type { MethodsOptions, SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import { lockAccount } from "./accounts.ts";
import type { Code, CodeBatch, CodesStore, NewCodeBatch, RedeemOutcome } from "./codes.ts";
import { createEntryPageMethods } from "./codes-entries.ts";

const batches = (db: Kysely<Database>) =>
  db
    .selectFrom("code_batches")
    .leftJoin("users", "users.id", "code_batches.created_by")
    .leftJoin("operator_tokens", "operator_tokens.id", "code_batches.created_by")
    .selectAll("code_batches")
    .select((eb) => [
      eb.fn.coalesce("users.name", "operator_tokens.name").as("created_by_name"),
      eb
        .selectFrom("codes")
        .select(({ fn }) => fn.countAll<number | bigint>().as("count"))
        .whereRef("codes.batch_id", "=", "code_batches.id")
        .where("codes.redeemed_at", "is not", null)
        .as("redeemed"),
    ]);

type BatchRow = Awaited<ReturnType<ReturnType<typeof batches>["execute"]>>[number];

const toBatch = (row: BatchRow): CodeBatch => ({
  id: row.id,
  note: row.note,
  amount: nanoUsd(row.amount_nanos),
  codes: row.codes,
  redeemed: Number(row.redeemed ?? 0),
  expiresAt: row.expires_at,
  createdBy: row.created_by === null ? null : { id: row.created_by, name: row.created_by_name },
  createdAt: row.created_at,
  voidedAt: row.voided_at,
});

async function findBatch(db: Kysely<Database>, id: string): Promise<CodeBatch | undefined> {
  const row = await batches(db).where("code_batches.id", "=", id).executeTakeFirst();
  return row && toBatch(row);
}

async function createBatch(
  trx: Transaction<Database>,
  { id, note, amount, expiresAt, createdBy, codes }: NewCodeBatch,
  nowMs: number,
): Promise<CodeBatch> {
  if (amount <= 0n) throw new StoreError("invalid", message("store.codeZero"));
  if (codes.length === 0) throw new StoreError("invalid", message("store.batchEmpty"));
  const batch = {
    id,
    note,
    amount_nanos: amount,
    codes: codes.length,
    expires_at: expiresAt,
    created_by: createdBy,
    created_at: nowMs,
  };
  await trx.insertInto("code_batches").values(batch).execute();
  await trx
    .insertInto("codes")
    .values(
      codes.map(({ digest, visibleEnd }, index) => ({
        digest,
        batch_id: id,
        number: index + 1,
        visible_end: visibleEnd,
      })),
    )
    .execute();
  const made = await findBatch(trx, id);
  if (made === undefined) throw new StoreError("not_found", message("store.batchUnknown", { id }));
  return made;
}

async function listCodes(db: Kysely<Database>, batchId: string): Promise<Code[]> {
  const rows = await db
    .selectFrom("codes")
    .leftJoin("accounts", "accounts.id", "codes.account_id")
    .leftJoin("users", "users.id", "codes.user_id")
    .select([
      "codes.number",
      "codes.visible_end",
      "codes.redeemed_at",
      "codes.account_id",
      "codes.user_id",
      "codes.entry_id",
      "accounts.name as account_name",
      "users.name as user_name",
    ])
    .where("codes.batch_id", "=", batchId)
    .orderBy("codes.number")
    .execute();
  return rows.map((row) => ({
    number: row.number,
    visibleEnd: row.visible_end,
    redeemedAt: row.redeemed_at,
    account: row.account_id === null ? null : { id: row.account_id, name: row.account_name ?? "" },
    user: row.user_id === null ? null : { id: row.user_id, name: row.user_name },
    entryId: row.entry_id,
  }));
}

/**
 * Locks the code's row and then its batch's. All code uses this order, so two transactions cannot deadlock.
 */
async function redeem(
  trx: Transaction<Database>,
  { digest, accountId, userId }: Parameters<CodesStore["redeemCode"]>[0],
  nowMs: number,
  dialect: SqlDialect,
): Promise<RedeemOutcome> {
  const code = await trx
    .selectFrom("codes")
    .selectAll()
    .where("digest", "=", digest)
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .executeTakeFirst();
  if (code === undefined) return { kind: "unknown" };
  if (code.redeemed_at !== null)
    return { kind: "redeemed", at: code.redeemed_at, isOwn: code.account_id === accountId };
  const batch = await trx
    .selectFrom("code_batches")
    .selectAll()
    .where("id", "=", code.batch_id)
    .$if(dialect.locksRows, (query) => query.forShare())
    .executeTakeFirstOrThrow();
  if (batch.voided_at !== null) return { kind: "voided" };
  if (batch.expires_at !== null && batch.expires_at <= nowMs)
    return { kind: "expired", at: batch.expires_at };
  if ((await lockAccount(trx, accountId, dialect)).closed_at !== null) return { kind: "account_closed" };
  const added = await addEntry(
    trx,
    {
      accountId,
      kind: "topup",
      amount: nanoUsd(batch.amount_nanos),
      reference: `code:${batch.id}:${code.number}`,
      note: textOf(message("ledger.code", { end: code.visible_end })),
    },
    nowMs,
    dialect,
  );
  await trx
    .updateTable("codes")
    .set({ redeemed_at: nowMs, account_id: accountId, user_id: userId, entry_id: added.entry.id })
    .where("digest", "=", digest)
    .execute();
  return { kind: "done", entry: added.entry, balance: added.balance };
}

export function createCodesMethods(options: MethodsOptions): CodesStore {
  const { db, clock, dialect } = options;
  return {
    createCodes: (batch) => db.transaction().execute((trx) => createBatch(trx, batch, clock.wallMs())),
    async pageCodeBatches({ limit, after }) {
      const rows = await batches(db)
        .$if(after !== undefined, (query) =>
          query.where((eb) =>
            eb(
              eb.refTuple("code_batches.created_at", "code_batches.id"),
              "<",
              eb.tuple(after?.createdAt ?? 0, after?.id ?? ""),
            ),
          ),
        )
        .orderBy("code_batches.created_at", "desc")
        .orderBy("code_batches.id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toBatch);
    },
    async findCodeBatch(id) {
      const batch = await findBatch(db, id);
      return batch && { batch, codes: await listCodes(db, id) };
    },
    async voidCodeBatch(id, nowMs) {
      await db
        .updateTable("code_batches")
        .set({ voided_at: nowMs })
        .where("id", "=", id)
        .where("voided_at", "is", null)
        .execute();
      return await findBatch(db, id);
    },
    redeemCode: (redemption) =>
      db.transaction().execute((trx) => redeem(trx, redemption, clock.wallMs(), dialect)),
    ...createEntryPageMethods(options),
  };
}
