/** What the behaviour suites of the store are given: databases, and stores open on them. Types only. */

import type { TestContext } from "node:test";
import type { Store } from "../store.ts";

/** One database without rows, until `drop`. */
export interface TestDatabase {
  /** Opens a store on it, the second and third time another one on the same rows. */
  open(options: { secretKey: Buffer; secretKeyFile?: string | undefined }): Promise<Store>;
  drop(): Promise<void>;
}

/**
 * One with the schema's tables may be given where they are wanted and making
 * them takes long; never for `isBare`.
 */
export type NewDatabase = (options?: { isBare: true }) => Promise<TestDatabase>;

/**
 * A database of this test's own, with its first store open and migrated.
 * Everything opened is closed with the test.
 */
export interface Fixture {
  readonly store: Store;
  /** Another store on the same database. */
  reopen(secretKey?: Buffer, secretKeyFile?: string): Promise<Store>;
}

export type NewFixture = (context: TestContext) => Promise<Fixture>;
