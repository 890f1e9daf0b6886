/**
 * On PostgreSQL the keys of requests, ledger entries and grants name the account, as an engine that spreads
 * rows by account wants them (`../../postgres/spreading.test.ts`, decision 12 step 4). Entries lose an index
 * by the way: the new key serves the lists of an account, too. Statements of every server since schema 20
 * name no key in `on conflict`, so that older servers go on with either.
 *
 * The new indexes are built beforehand, while servers go on. The exchange waits for settlements at the first
 * table; once it has that, only for readers of the others, for a moment that is shorter than a server takes
 * to call it a deadlock. Rows of the small tables are checked against the new key afterwards.
 */
import { sql } from "kysely";
import type { Migration } from "../migration.ts";

const requestsKey = "requests_with_account";
const entriesKey = "ledger_entries_with_account";
const entriesByRequest = "ledger_entries_by_request_and_account";
const grantsKey = "grants_with_account";

const entryOf = { grants: "grants_entry_of_account", codes: "codes_entry_of_account" };

const refer = (table: keyof typeof entryOf): string =>
  `alter table ${table} drop constraint ${table}_entry_id_fkey, add constraint ${entryOf[table]}
    foreign key (account_id, entry_id) references ledger_entries (account_id, id) not valid`;

const exchange = (table: string, index: string): string =>
  `alter table ${table} drop constraint ${table}_pkey, add constraint ${table}_pkey primary key using index ${index}`;

export const keysWithAccount: Migration = {
  version: 29,
  name: "keys_with_account",
  kind: "contract",
  needs: 23,
  sqlite: [],
  indexes: [
    { name: requestsKey, table: "requests", text: "(id, account_id)" },
    { name: entriesKey, table: "ledger_entries", text: "(account_id, id)" },
    {
      name: entriesByRequest,
      table: "ledger_entries",
      text: "(request_id, kind, account_id) where request_id is not null",
    },
    { name: grantsKey, table: "grants", text: "(account_id, entry_id)" },
  ],
  postgres: [
    "lock table requests in access exclusive mode",
    `set local lock_timeout = '200ms'`,
    "lock table ledger_entries, grants, codes in access exclusive mode",
    exchange("requests", requestsKey),
    ...(["grants", "codes"] as const).map(refer),
    exchange("grants", grantsKey),
    exchange("ledger_entries", entriesKey),
    "drop index ledger_entries_by_account",
    "drop index ledger_entries_by_request",
    `alter index ${entriesByRequest} rename to ledger_entries_by_request`,
  ],
  backfill: {
    async chunk({ trx, cursor, dialect }) {
      if (dialect === "sqlite") return { cursor, rows: 0, isLast: true };
      const table = cursor === "" ? "grants" : "codes";
      await sql.raw(`alter table ${table} validate constraint ${entryOf[table]}`).execute(trx);
      return { cursor: "grants", rows: 0, isLast: table === "codes" };
    },
  },
};
