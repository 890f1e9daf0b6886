/**
 * On PostgreSQL the keys of leases and budgets name the account, as those of 29 do. Servers before 34 name
 * the old key of leases in `on conflict`, so it waits for them. The new indexes are built beforehand; the
 * exchange takes both tables for some milliseconds, and gives way to whatever holds the second one.
 */
import type { Migration } from "./migration.ts";

const keys = { leases: "leases_with_account", key_budgets: "key_budgets_with_account" };

const exchange = (table: keyof typeof keys): string =>
  `alter table ${table} alter column account_id set not null, drop constraint ${table}_pkey,
    add constraint ${table}_pkey primary key using index ${keys[table]}`;

export const leasesWithAccount: Migration = {
  version: 35,
  name: "leases_with_account",
  kind: "contract",
  needs: 34,
  sqlite: [],
  indexes: [
    { name: keys.leases, table: "leases", text: "(holder_id, kind, subject, account_id)" },
    { name: keys.key_budgets, table: "key_budgets", text: "(id, account_id)" },
  ],
  postgres: [
    "lock table leases in access exclusive mode",
    `set local lock_timeout = '200ms'`,
    "lock table key_budgets in access exclusive mode",
    `update key_budgets set account_id = api_keys.account_id from api_keys
      where key_budgets.account_id is null and api_keys.id = key_budgets.key_id`,
    // A lease on a budget that does not exist is reported by `plaza ledger verify`, and ends no migration.
    `update leases set account_id = case kind when 'account' then subject
        else coalesce((select account_id from key_budgets where id = leases.subject), '') end
      where account_id is null`,
    exchange("leases"),
    exchange("key_budgets"),
  ],
};
