/**
 * Accounts and their balances. A balance is never set: it moves together with a ledger entry, in one transaction.
 */

import { nanoUsd } from "@plaza/contract/money.ts";
import type { Kysely, Selectable } from "kysely";
import type { Clock } from "../lib/clock.ts";
import { insertChange } from "./changes.ts";
import type { AccountsTable, Database } from "./schema.ts";
import type { Account, Store } from "./store.ts";
import { StoreError } from "./store-error.ts";

type AccountMethods = Pick<Store, "createAccount" | "findAccount" | "listAccounts" | "setAccountStatus">;

function toAccount(row: Selectable<AccountsTable>): Account {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    balance: nanoUsd(row.balance_nanos),
    createdAt: row.created_at,
  };
}

export function createAccountMethods(db: Kysely<Database>, clock: Clock): AccountMethods {
  async function findAccount(id: string): Promise<Account | undefined> {
    const row = await db.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
    return row && toAccount(row);
  }

  return {
    findAccount,
    async createAccount({ id, name, balance }) {
      if (balance < 0n) throw new StoreError("invalid", "an account cannot begin with a negative balance");
      const nowMs = clock.wallMs();
      return await db.transaction().execute(async (trx) => {
        const row = await trx
          .insertInto("accounts")
          .values({ id, name, status: "active", balance_nanos: balance, created_at: nowMs })
          .returningAll()
          .executeTakeFirstOrThrow();
        if (balance > 0n) {
          await trx
            .insertInto("ledger_entries")
            .values({ account_id: id, kind: "topup", amount_nanos: balance, created_at: nowMs })
            .execute();
        }
        await insertChange(trx, { kind: "account", subject: id }, nowMs);
        return toAccount(row);
      });
    },
    async listAccounts() {
      const rows = await db.selectFrom("accounts").selectAll().orderBy("created_at").orderBy("id").execute();
      return rows.map(toAccount);
    },
    async setAccountStatus(id, status) {
      await db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("accounts")
          .set({ status })
          .where("id", "=", id)
          .where("status", "<>", status)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows > 0n) await insertChange(trx, { kind: "account", subject: id }, clock.wallMs());
      });
      return await findAccount(id);
    },
  };
}
