/**
 * Grants that expire: deducts spending from them (`domain/money/grants.ts`) and takes back the unused rest
 * when they expire.
 */
import { message, textOf } from "@plaza/contract/messages/message.ts";
import type { Kysely, Selectable, Transaction } from "kysely";
import { useGrants } from "../../domain/money/grants.ts";
import { lockAccount } from "../accounts/accounts.ts";
import { insertChange } from "../operation/changes.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { AccountsTable, Database } from "../sql/schema.ts";
import { nextEntryNumber } from "./entry-numbers.ts";

/** Accounts handled per call; the rest follow in later calls. */
const accountsMax = 100;

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Deducts the account's spending since the last time from its grants. The account's row must be locked. */
export async function allocateGrants(
  trx: Transaction<Database>,
  account: Selectable<AccountsTable>,
): Promise<void> {
  const rows = await trx
    .selectFrom("grants")
    .selectAll()
    .where("account_id", "=", account.id)
    .where("remaining_nanos", ">", 0n)
    .execute();
  const grants = rows.map((row) => ({
    entryId: row.entry_id,
    remaining: row.remaining_nanos,
    expiresAt: row.expires_at,
  }));
  for (const grant of useGrants(grants, account.spent_nanos - account.allocated_nanos)) {
    await trx
      .updateTable("grants")
      .set({ remaining_nanos: grant.remaining })
      .where("account_id", "=", account.id)
      .where("entry_id", "=", grant.entryId)
      .execute();
  }
  await trx
    .updateTable("accounts")
    .set({ allocated_nanos: account.spent_nanos })
    .where("id", "=", account.id)
    .execute();
}

/** Takes back the rest of the account's expired grants, except what is lent; later calls take that. */
async function expireAccount(
  trx: Transaction<Database>,
  accountId: string,
  nowMs: number,
  dialect: SqlDialect,
): Promise<void> {
  const account = await lockAccount(trx, accountId, dialect);
  await allocateGrants(trx, account);
  const due = await trx
    .selectFrom("grants")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("expires_at", "<=", nowMs)
    .where("remaining_nanos", ">", 0n)
    .orderBy("expires_at")
    .execute();
  let free = account.balance_nanos - account.leased_nanos;
  let taken = 0n;
  for (const grant of due) {
    if (free <= 0n) break;
    const amount = least(grant.remaining_nanos, free);
    free -= amount;
    taken += amount;
    await trx
      .insertInto("ledger_entries")
      .values({
        ...(await nextEntryNumber(trx, accountId, dialect)),
        account_id: accountId,
        kind: "expiry",
        amount_nanos: -amount,
        note: textOf(message("ledger.unusedRest", { entry: String(grant.entry_id) })),
        created_at: nowMs,
      })
      .execute();
    await trx
      .updateTable("grants")
      .set({ remaining_nanos: grant.remaining_nanos - amount })
      .where("account_id", "=", accountId)
      .where("entry_id", "=", grant.entry_id)
      .execute();
  }
  if (taken === 0n) return;
  await trx
    .updateTable("accounts")
    .set({ balance_nanos: account.balance_nanos - taken })
    .where("id", "=", accountId)
    .execute();
  await insertChange(trx, { kind: "account", subject: accountId }, nowMs);
}

/** Expires grants that are due, account by account. */
export async function expireGrants(db: Kysely<Database>, nowMs: number, dialect: SqlDialect): Promise<void> {
  const due = await db
    .selectFrom("grants")
    .innerJoin("accounts", "accounts.id", "grants.account_id")
    .select("account_id")
    .distinct()
    .where("grants.expires_at", "<=", nowMs)
    .where("remaining_nanos", ">", 0n)
    // An account whose balance is fully lent is skipped, so that it does not block the others.
    .where((eb) => eb.or([eb("balance_nanos", ">", eb.ref("leased_nanos")), eb("balance_nanos", "=", 0n)]))
    .limit(accountsMax)
    .execute();
  for (const { account_id: accountId } of due) {
    await db.transaction().execute((trx) => expireAccount(trx, accountId, nowMs, dialect));
  }
}
