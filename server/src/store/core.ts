import type { LedgerBatch, LedgerReply } from "./ledger/batch.ts";
import type { Store } from "./store.ts";

/** Methods of Store whose calls are collected into batches on the caller's side. */
export type BatchedMethod = "recordRequest" | "takeLease" | "returnLease";

/** Methods that are answered on the caller's side and never reach a core. */
export type CallersMethod = BatchedMethod | "isBehind" | "storageFault" | "journalReadings" | "requestsGiven";

export interface StoreCore extends Omit<Store, CallersMethod> {
  /**
   * Commits a batch. Resolves when it is durable; rejects when nothing was written. Requests whose id is
   * already there are left as they are, with everything that belongs to them.
   */
  commitLedger(batch: LedgerBatch): Promise<LedgerReply>;
}

/** What every dialect shares; the others are its own. */
export type SharedMethods = Omit<
  StoreCore,
  "migrate" | "commitLedger" | "checkFile" | "checkStorage" | "readStorage" | "ping" | "close"
>;
