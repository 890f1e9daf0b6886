/**
 * Numbers of an account's ledger entries: growing, not without gaps. SQLite numbers entries itself. On
 * PostgreSQL the account's row has the last number, because a sequence for all accounts would be one place
 * that every settlement waits for, which an engine that spreads accounts over machines has not got.
 *
 * Until migration 38 has run, the sequence gives the numbers there: older servers know no other way. Who
 * writes entries has locked the account's row first, and the migration lets no such lock live beside it, so
 * the answer of `isNumbered` and the number stay right until the transaction's end.
 */
import { sql, type Transaction } from "kysely";
import { entriesByAccount } from "../migrations/0038-entries-by-account.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";

/** Condition: accounts number their entries. */
export const isNumbered = `exists (select 1 from schema_migrations where version = ${entriesByAccount.version})`;

/**
 * The number of the last entry of the account in `accounts`, by the entries themselves: one that was written
 * by hand holds up no settlement.
 */
export const lastEntry = `coalesce((select max(ledger_entries.id) from ledger_entries
  where ledger_entries.account_id = accounts.id), 0)`;

/**
 * Takes the number of the account's next entry, for the entry's row; nothing where the database gives it. The
 * account's row must be locked.
 */
export async function nextEntryNumber(
  trx: Transaction<Database>,
  accountId: string,
  { numbersEntries }: SqlDialect,
): Promise<{ readonly id?: number }> {
  if (!numbersEntries) return {};
  const { rows } = await sql<{ id: number }>`update accounts set last_entry = ${sql.raw(lastEntry)} + 1
    where id = ${accountId} and (last_entry is not null or ${sql.raw(isNumbered)}) returning last_entry as id`.execute(
    trx,
  );
  return rows[0] ?? {};
}
