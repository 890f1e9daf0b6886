/** Differences between SQLite and PostgreSQL that SQL builders do not cover. Types only. */

import type { Kysely, RawBuilder, Transaction } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import type { MigrationDialect } from "../migrations/migration.ts";
import type { BulkInsert } from "./bulk-insert.ts";
import type { InsertionOrder } from "./insertion-order.ts";
import type { Database } from "./schema.ts";

/** How a dialect reads the clock, locks and commits. */
export interface SqlDialect {
  /** Selects the statements of migrations. */
  readonly name: MigrationDialect;
  /**
   * Unix milliseconds of the database's clock as an SQL expression; all processes of an installation share
   * it.
   */
  readonly databaseNow: () => RawBuilder<number>;
  /**
   * True when a transaction must lock the rows it reads and will write. (SQLite runs only one writing
   * transaction.)
   */
  readonly locksRows: boolean;
  /**
   * Lets a transaction that has just begun commit without waiting for the disk, if that is set per
   * transaction.
   */
  readonly commitLazily: (trx: Transaction<Database>) => Promise<void>;
  /** The order in which rows were inserted into `requests`. */
  readonly insertionOrder: InsertionOrder;
  readonly bulkInsert: BulkInsert;
  /**
   * True when the requests and entries of an account are listed in tables of their own (`../lists/`), which
   * are filled behind the settlements; otherwise by indexes.
   */
  readonly hasAccountLists: boolean;
  /** True when ledger entries are numbered by account (`../ledger/entry-numbers.ts`). */
  readonly numbersEntries: boolean;
}

/** What the console's store methods are created with. */
export interface MethodsOptions {
  readonly db: Kysely<Database>;
  /** For writes that a power cut may lose. */
  readonly lazyDb: Kysely<Database>;
  readonly clock: Clock;
  readonly dialect: SqlDialect;
  /** Returns the current sealing keys (`lib/secret.ts`); called inside the transaction that needs them. */
  readonly keysNow: () => Uint8Array;
}
