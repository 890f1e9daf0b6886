/** What the store's behaviour suites are given: databases, and stores opened on them. Types only. */

import type { TestContext } from "node:test";
import type { Store } from "../store.ts";

/** A database without rows, until `drop`. */
export interface TestDatabase {
  /** Opens a store on it; further calls open further stores on the same rows. */
  open(options: { secretKey: Buffer; secretKeyFile?: string | undefined }): Promise<Store>;
  drop(): Promise<void>;
}

/** May return a database that already has the tables, if creating them is slow; never for `isBare`. */
export type NewDatabase = (options?: { isBare: true }) => Promise<TestDatabase>;

/**
 * The test's own database, with its first store open and migrated. Everything opened is closed with the test.
 */
export interface Fixture {
  readonly store: Store;
  /** Another store on the same database. */
  reopen(secretKey?: Buffer, secretKeyFile?: string): Promise<Store>;
}

export type NewFixture = (context: TestContext) => Promise<Fixture>;
