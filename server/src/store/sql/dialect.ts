/** What differs between SQLite and PostgreSQL beyond their SQL builders. Types only. */

import type { Kysely, RawBuilder, Transaction } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import type { BulkInsert } from "./bulk-insert.ts";
import type { InsertionOrder } from "./insertion-order.ts";
import type { Database } from "./schema.ts";

/** How a dialect tells the time and locks rows. */
export interface SqlDialect {
  /**
   * Unix milliseconds by the database's own clock, as an SQL expression: all
   * processes of an installation agree on it.
   */
  readonly databaseNow: () => RawBuilder<number>;
  /**
   * Does a transaction that reads have to lock the rows it is going to write?
   * (SQLite's write transactions are alone.)
   */
  readonly locksRows: boolean;
  /**
   * Lets a transaction that has just begun commit without waiting for the disk,
   * where that is said per transaction.
   */
  readonly commitLazily: (trx: Transaction<Database>) => Promise<void>;
  /** In which order rows came into `requests`. */
  readonly insertionOrder: InsertionOrder;
  readonly bulkInsert: BulkInsert;
}

/** What the console's parts of the store are made with. */
export interface MethodsOptions {
  readonly db: Kysely<Database>;
  /** For what may be forgotten in a power cut. */
  readonly lazyDb: Kysely<Database>;
  readonly clock: Clock;
  readonly dialect: SqlDialect;
  /** The sealing keys as they are now (`lib/secret.ts`); asked within the transaction that needs them. */
  readonly keysNow: () => Uint8Array;
}
