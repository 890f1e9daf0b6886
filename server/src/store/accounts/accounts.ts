/**
 * Accounts and their balances. A balance is never set directly: it changes together with a ledger entry, in
 * one transaction.
 */

import { message } from "@plaza/contract/messages/message.ts";
import { formatUsd, type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import { responsesKeptMaxMs } from "@plaza/contract/responses-kept.ts";
import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import { StoreError } from "../error.ts";
import { nextEntryNumber } from "../ledger/entry-numbers.ts";
import { insertChange } from "../operation/changes.ts";
import { deleteResponsesOf } from "../responses/responses.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { AccountsTable, Database } from "../sql/schema.ts";
import type { Store } from "../store.ts";
import type { Account, AccountLimits, AccountStatus } from "./account-shapes.ts";

type AccountMethods = Pick<
  Store,
  | "createAccount"
  | "findAccount"
  | "listAccounts"
  | "setAccountStatus"
  | "setAccountLimits"
  | "setResponsesKept"
>;

/** Highest balance (five billion dollars). A larger one is a mistake, and amounts must fit in 64 bits. */
const balanceMax = nanoUsd(5_000_000_000n * 1_000_000_000n);

/** Throws `invalid` when the balance is above the maximum. */
export function checkBalance(balance: bigint): void {
  if (balance <= balanceMax) return;
  throw new StoreError("invalid", message("store.balanceTooLarge", { max: formatUsd(balanceMax) }));
}

/** The status of an account, from its row. */
export function accountStatus(row: {
  status: "active" | "suspended";
  closed_at: number | null;
}): AccountStatus {
  return row.closed_at === null ? row.status : "closed";
}

/** An account's own limits, from its row. */
export function accountLimits(row: {
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  concurrency: number | null;
}): AccountLimits {
  return {
    requestsPerMinute: row.requests_per_minute,
    tokensPerMinute: row.tokens_per_minute,
    concurrency: row.concurrency,
  };
}

/** Throws `invalid` unless every limit is null or a whole number. Used for accounts and keys. */
export function checkLimits(
  limits: { readonly [Kind in keyof AccountLimits]?: number | null | undefined },
): void {
  for (const [name, limit] of Object.entries(limits)) {
    if (limit === null || limit === undefined || (Number.isSafeInteger(limit) && limit >= 0)) continue;
    throw new StoreError("invalid", message("store.limitInvalid", { name, max: Number.MAX_SAFE_INTEGER }));
  }
}

/** Throws `invalid` unless it is null or a time that responses may be kept. */
export function checkResponsesKept(keptMs: number | null | undefined): void {
  if (keptMs === null || keptMs === undefined) return;
  if (Number.isSafeInteger(keptMs) && keptMs >= 0 && keptMs <= responsesKeptMaxMs) return;
  throw new StoreError("invalid", message("store.keptInvalid", { max: responsesKeptMaxMs }));
}

/** Converts an account's row. */
export function toAccount(row: Selectable<AccountsTable>): Account {
  return {
    id: row.id,
    name: row.name,
    status: accountStatus(row),
    limits: accountLimits(row),
    responsesKeptMs: row.responses_kept_ms,
    balance: nanoUsd(row.balance_nanos),
    leased: nanoUsd(row.leased_nanos),
    createdAt: row.created_at,
  };
}

/** Locks the account's row for this transaction and returns it. Throws `not_found`. */
export async function lockAccount(
  trx: Transaction<Database>,
  id: string,
  dialect: SqlDialect,
): Promise<Selectable<AccountsTable>> {
  const row = await trx
    .selectFrom("accounts")
    .selectAll()
    .where("id", "=", id)
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .executeTakeFirst();
  if (row === undefined) throw new StoreError("not_found", message("store.accountUnknown", { id }));
  return row;
}

/** Inserts an account; a balance to begin with is its first top-up. */
export async function insertAccount(
  trx: Transaction<Database>,
  { id, name, balance = nanoUsd(0n) }: { id: string; name: string; balance?: NanoUsd },
  nowMs: number,
  dialect: SqlDialect,
): Promise<Account> {
  const row = await trx
    .insertInto("accounts")
    .values({ id, name, status: "active", balance_nanos: balance, created_at: nowMs })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (balance > 0n) {
    await trx
      .insertInto("ledger_entries")
      .values({
        ...(await nextEntryNumber(trx, id, dialect)),
        account_id: id,
        kind: "topup",
        amount_nanos: balance,
        created_at: nowMs,
      })
      .execute();
  }
  await insertChange(trx, { kind: "account", subject: id }, nowMs);
  return toAccount(row);
}

export function createAccountMethods(
  db: Kysely<Database>,
  clock: Clock,
  dialect: SqlDialect,
): AccountMethods {
  async function findAccount(id: string): Promise<Account | undefined> {
    const row = await db.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
    return row && toAccount(row);
  }

  return {
    findAccount,
    async createAccount({ id, name, balance }) {
      if (balance < 0n) throw new StoreError("invalid", message("store.startNegative"));
      checkBalance(balance);
      const nowMs = clock.wallMs();
      return await db
        .transaction()
        .execute((trx) => insertAccount(trx, { id, name, balance }, nowMs, dialect));
    },
    async listAccounts() {
      const rows = await db.selectFrom("accounts").selectAll().orderBy("created_at").orderBy("id").execute();
      return rows.map(toAccount);
    },
    async setAccountStatus(id, status) {
      await db.transaction().execute(async (trx) => {
        const nowMs = clock.wallMs();
        const { numUpdatedRows } = await trx
          .updateTable("accounts")
          .set({ ...(status === "closed" ? { closed_at: nowMs } : { status }), revision: sql`revision + 1` })
          .where("id", "=", id)
          .where("closed_at", "is", null)
          .$if(status !== "closed", (query) => query.where("status", "<>", status as "active"))
          .executeTakeFirstOrThrow();
        if (numUpdatedRows > 0n) await insertChange(trx, { kind: "account", subject: id }, nowMs);
      });
      return await findAccount(id);
    },
    async setAccountLimits(id, limits) {
      checkLimits(limits);
      return await db.transaction().execute(async (trx) => {
        const before = await trx.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
        if (before === undefined) return undefined;
        const old = accountLimits(before);
        const { requestsPerMinute = old.requestsPerMinute, tokensPerMinute = old.tokensPerMinute } = limits;
        const { concurrency = old.concurrency } = limits;
        const isSame =
          requestsPerMinute === old.requestsPerMinute &&
          tokensPerMinute === old.tokensPerMinute &&
          concurrency === old.concurrency;
        if (isSame) return toAccount(before);
        const row = await trx
          .updateTable("accounts")
          .set({
            requests_per_minute: requestsPerMinute,
            tokens_per_minute: tokensPerMinute,
            concurrency,
            revision: sql`revision + 1`,
          })
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await insertChange(trx, { kind: "account", subject: id }, clock.wallMs());
        return toAccount(row);
      });
    },
    async setResponsesKept(id, keptMs) {
      checkResponsesKept(keptMs);
      return await db.transaction().execute(async (trx) => {
        const before = await trx.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
        if (before === undefined) return undefined;
        if (keptMs === before.responses_kept_ms) return toAccount(before);
        const row = await trx
          .updateTable("accounts")
          .set({ responses_kept_ms: keptMs, revision: sql`revision + 1` })
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirstOrThrow();
        if (keptMs === 0) await deleteResponsesOf(trx, id);
        await insertChange(trx, { kind: "account", subject: id }, clock.wallMs());
        return toAccount(row);
      });
    },
  };
}
