/**
 * On PostgreSQL an account's row has the number of its last ledger entry, so that entries can be numbered
 * without a sequence for all (decision 12 step 4). Null until the account's first entry after migration 38.
 */
import type { Migration } from "./migration.ts";

export const lastEntries: Migration = {
  version: 37,
  name: "last_entries",
  kind: "expand",
  isIndependent: true,
  sqlite: [],
  postgres: ["alter table accounts add column last_entry bigint"],
};
