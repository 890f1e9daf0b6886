/**
 * The requests and the ledger entries of each account, in tables that are filled behind the settlements
 * (`../../lists/fill.ts`), so that no settlement has to write an index by account. `account_lists` says how
 * far they are filled. PostgreSQL keeps its indexes: there a copy costs as much as it saves. Columns:
 * `../../sql/schema-lists.ts`.
 */
import type { Migration } from "../migration.ts";

export const listsOfAccounts: Migration = {
  version: 23,
  name: "lists_of_accounts",
  kind: "expand",
  sqlite: [
    `create table requests_of_account (
      account_id text not null,
      created_at integer not null,
      id text not null,
      primary key (account_id, created_at, id)
    ) strict, without rowid`,
    `create table entries_of_account (
      account_id text not null,
      id integer not null,
      primary key (account_id, id)
    ) strict, without rowid`,
    `create table account_lists (
      id integer primary key not null check (id = 1),
      mark integer not null,
      mark_id text not null,
      entry_mark integer not null,
      is_alone integer not null check (is_alone in (0, 1)),
      filled_at integer not null
    ) strict`,
  ],
  postgres: [],
};
