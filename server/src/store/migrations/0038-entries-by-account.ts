/**
 * On PostgreSQL ledger entries get their numbers by account (`../ledger/entry-numbers.ts`), and the sequence
 * ends. Servers before 37 know the sequence alone, so it waits for them: a number of both kinds would be one
 * entry less. No lock of an account's row is held while it runs, so each transaction that writes entries has
 * locked its account before or after, and knows which way is right.
 */
import type { Migration } from "./migration.ts";

export const entriesByAccount: Migration = {
  version: 38,
  name: "entries_by_account",
  kind: "contract",
  needs: 37,
  sqlite: [],
  postgres: [
    "lock table accounts in exclusive mode",
    `set local lock_timeout = '200ms'`,
    "alter table ledger_entries alter column id drop identity",
  ],
};
