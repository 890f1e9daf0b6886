import type { LedgerBatch, LedgerReply } from "./ledger/batch.ts";
import type { Store } from "./store.ts";

/** Store methods whose calls are collected into batches on the caller's side. */
export type BatchedMethod = "recordRequest" | "takeLease" | "returnLease";

/** Store methods that are answered on the caller's side and never reach a core. */
export type CallersMethod = BatchedMethod | "isBehind" | "storageFault" | "journalReadings" | "requestsGiven";

export interface StoreCore extends Omit<Store, CallersMethod> {
  /**
   * Commits a batch. Resolves when it is durable; rejects when nothing was written. A request that its
   * account already has is skipped with everything that belongs to it. An id is always of one account.
   */
  commitLedger(batch: LedgerBatch): Promise<LedgerReply>;
}

/** Methods shared by all dialects; each dialect adds the others. */
export type SharedMethods = Omit<
  StoreCore,
  | "migrate"
  | "readMigrations"
  | "commitLedger"
  | "checkFile"
  | "checkStorage"
  | "readStorage"
  | "ping"
  | "close"
>;
