/**
 * The part of a store that sits beside its database: everything but the collecting of batches, which happens on the caller's
 * side (`ledger-batches.ts`). The same for every dialect; `openSqliteCore` and its like put one together.
 */
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { Kysely, RawBuilder, Transaction } from "kysely";
import type { LeaseWish } from "../domain/money/ledger.ts";
import { createKeyRing } from "../lib/secret.ts";
import type { Clock } from "../lib/time/clock.ts";
import { createAccountMethods } from "./accounts/accounts.ts";
import { createApiKeyMethods } from "./accounts/api-keys.ts";
import { createCodesMethods } from "./accounts/codes-methods.ts";
import { createKeysMethods } from "./accounts/keys-methods.ts";
import { createCatalogMethods } from "./catalog/catalog.ts";
import { createCatalogEditMethods } from "./catalog/catalog-edit-methods.ts";
import { createSealingKeyMethods } from "./catalog/sealing-key.ts";
import { createUpstreamStateMethods } from "./catalog/upstream-states.ts";
import { createEntryMethods } from "./ledger/entries.ts";
import { createHolderMethods } from "./ledger/holders.ts";
import { createVerifyMethods } from "./ledger/verify.ts";
import { createLimitMethods } from "./limits/limits.ts";
import { createChangeMethods } from "./operation/changes.ts";
import { createNewsMethods, type NewsSource } from "./operation/news.ts";
import { createOperationMethods } from "./operation/operation-methods.ts";
import { createPeopleMethods } from "./people/people-methods.ts";
import { createIdempotencyMethods } from "./requests/idempotency.ts";
import { createReasoningMethods } from "./requests/reasoning.ts";
import { createRefusalMethods } from "./requests/refusals.ts";
import type { RequestValue } from "./requests/request-row.ts";
import { createRequestMethods } from "./requests/requests.ts";
import type { BulkInsert } from "./sql/bulk-insert.ts";
import type { InsertionOrder } from "./sql/insertion-order.ts";
import type { Database } from "./sql/schema.ts";
import type { LeaseGrant, LeaseSubject, Store } from "./store.ts";
import { createUsageMethods } from "./usage/usage-methods.ts";

/** A row of a batch that was refused for its own values. */
export interface RowFault {
  /** Place in the batch, from 0. */
  readonly index: number;
  readonly message: string;
}

/** A lease to give back, wholly or in part. */
export interface ReturnEntry {
  readonly holderId: string;
  readonly subject: LeaseSubject;
  readonly amount: NanoUsd | "all";
}

/** A lease to make larger. */
export interface TakeEntry {
  readonly holderId: string;
  readonly subject: LeaseSubject;
  readonly wish: LeaseWish;
}

/** What one process writes in one transaction, in this order: requests and their settlements, returns, takes. */
export interface LedgerBatch {
  /** Flat, `valuesPerRequest` values each (`request-row.ts`). */
  readonly values: readonly RequestValue[];
  readonly returns: readonly ReturnEntry[];
  readonly takes: readonly TakeEntry[];
}

export interface LedgerReply {
  readonly faults: readonly RowFault[];
  /** In the order of the batch. */
  readonly returned: readonly NanoUsd[];
  readonly grants: readonly LeaseGrant[];
}

/** Methods of Store whose calls are collected into batches on the caller's side. */
export type BatchedMethod = "recordRequest" | "takeLease" | "returnLease";

/** Methods that are answered on the caller's side and never reach a core. */
export type CallersMethod = BatchedMethod | "isBehind" | "storageFault" | "journalReadings" | "requestsGiven";

export interface StoreCore extends Omit<Store, CallersMethod> {
  /**
   * Commits a batch. Resolves when it is durable; rejects when nothing was written. Requests whose id is already there are
   * left as they are, with everything that belongs to them.
   */
  commitLedger(batch: LedgerBatch): Promise<LedgerReply>;
}

/** What every dialect shares; the others are its own. */
export type SharedMethods = Omit<
  StoreCore,
  "migrate" | "commitLedger" | "checkFile" | "checkStorage" | "readStorage" | "ping" | "close"
>;

/** How a dialect tells the time and locks rows. */
export interface DialectWays {
  /** Unix milliseconds by the database's own clock, as an SQL expression: all processes of an installation agree on it. */
  readonly databaseNow: () => RawBuilder<number>;
  /** Does a transaction that reads have to lock the rows it is going to write? (SQLite's write transactions are alone.) */
  readonly locksRows: boolean;
  /** Lets a transaction that has just begun commit without waiting for the disk, where that is said per transaction. */
  readonly commitLazily: (trx: Transaction<Database>) => Promise<void>;
  /** In which order rows came into `requests`. */
  readonly insertionOrder: InsertionOrder;
  readonly bulkInsert: BulkInsert;
}

/** The keys that seal credentials. */
export interface KeyPlace {
  readonly secretKey: Uint8Array;
  /** Where they are looked up again whenever they are needed: they may have been exchanged. */
  readonly secretKeyFile?: string | undefined;
}

export function createSharedMethods(options: {
  db: Kysely<Database>;
  /** For what may be forgotten in a power cut. */
  lazyDb: Kysely<Database>;
  clock: Clock;
  keys: KeyPlace;
  ways: DialectWays;
  news: NewsSource;
}): SharedMethods {
  const { db, lazyDb, clock, keys, ways, news } = options;
  const keysNow = createKeyRing(keys.secretKey, keys.secretKeyFile);
  const consoleOptions = { db, lazyDb, clock, ways, keysNow };
  const changes = createChangeMethods(db);
  const states = createUpstreamStateMethods(db, ways);
  return {
    ...createAccountMethods(db, clock),
    ...createApiKeyMethods(db, clock),
    ...createCatalogMethods(db, clock, keysNow, ways),
    ...createSealingKeyMethods(db, keysNow),
    ...changes,
    ...createNewsMethods({ ...news, db, clock, ways, methods: { ...changes, ...states } }),
    ...createRequestMethods(db),
    ...createEntryMethods(db, clock, ways),
    ...createHolderMethods(db, lazyDb, clock, ways),
    ...createLimitMethods(lazyDb, ways),
    ...createIdempotencyMethods(db, clock, ways),
    ...createRefusalMethods(db, lazyDb, ways),
    ...states,
    ...createReasoningMethods(lazyDb, clock, keysNow),
    ...createVerifyMethods(db),
    ...createPeopleMethods(consoleOptions),
    ...createKeysMethods(consoleOptions),
    ...createCodesMethods(consoleOptions),
    ...createOperationMethods(consoleOptions),
    ...createUsageMethods(consoleOptions),
    ...createCatalogEditMethods(consoleOptions),
  };
}
