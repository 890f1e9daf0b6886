/** Kysely types of the lists of accounts (`../lists/fill.ts`), on SQLite only. */

/** Each request that was copied, by its account and time. */
export interface RequestsOfAccountTable {
  account_id: string;
  created_at: number;
  id: string;
}

/** Each ledger entry that was copied. */
export interface EntriesOfAccountTable {
  account_id: string;
  id: number;
}

/** How far both are filled: at most one row, and none before anything is. */
export interface AccountListsTable {
  id: number;
  /** The last request copied, as in `insertion-order.ts`. */
  mark: number;
  mark_id: string;
  /** The last entry copied. */
  entry_mark: number;
  /** 1: the indexes by account are gone (migration 26). */
  is_alone: number;
  /** When nothing was left to copy, in Unix milliseconds. */
  filled_at: number;
}

export interface ListTables {
  requests_of_account: RequestsOfAccountTable;
  entries_of_account: EntriesOfAccountTable;
  account_lists: AccountListsTable;
}
