/**
 * What the rest of the product asks of the database. One type, the same for SQLite and PostgreSQL; no SQL leaves `store/`.
 * Every method may be called from the event loop: none of them does storage work on it.
 */

import type { Catalog, PriceRow } from "@plaza/contract/catalog.ts";
import type { NanoUsd } from "@plaza/contract/money.ts";
import type {
  ModelReport,
  ProcessReadings,
  ProcessStates,
  UpstreamState,
} from "@plaza/contract/upstream-states.ts";
import type { SliceAsk } from "../domain/limits/limit.ts";
import type { LeaseWish } from "../domain/money/ledger.ts";
import type { Account, AccountLimits, AccountStatus } from "./accounts/account-shapes.ts";
import type { CodesStore } from "./accounts/codes.ts";
import type { ApiKey, ApiKeyStatus, KeyLimits, KeyWithAccount, NewApiKey } from "./accounts/key-shapes.ts";
import type { KeysStore } from "./accounts/keys.ts";
import type { CatalogEditStore } from "./catalog/catalog-edit.ts";
import type { CatalogDifference } from "./catalog/catalog-shapes.ts";
import type { BudgetSpending, LeaseGrant, LeaseSubject } from "./ledger/lease-shapes.ts";
import type { LedgerEntry, LedgerReport, NewLedgerEntry } from "./ledger/ledger-shapes.ts";
import type { SliceReply } from "./limits/slice-shapes.ts";
import type { Change, KnownNews, News, ProcessReport } from "./operation/news-shapes.ts";
import type { OperationStore } from "./operation/operation.ts";
import type { JournalReadings, StorageFault, StorageReadings } from "./operation/storage-shapes.ts";
import type { PeopleStore } from "./people/people.ts";
import type { ReasoningStore } from "./requests/reasoning-shapes.ts";
import type { RefusalStore } from "./requests/refusal-shapes.ts";
import type { RequestRow, StoredRequest } from "./requests/request-shapes.ts";
import type { IdempotencyClaim, Settlement } from "./requests/settlement-shapes.ts";
import type { UsageStore } from "./usage/usage.ts";

export interface Store
  extends PeopleStore,
    KeysStore,
    CodesStore,
    OperationStore,
    UsageStore,
    RefusalStore,
    ReasoningStore,
    CatalogEditStore {
  /** Brings the schema up to date; several processes may call it at once. Throws when a newer Plaza wrote the database. */
  migrate(): Promise<void>;

  createAccount(input: { id: string; name: string; balance: NanoUsd }): Promise<Account>;
  findAccount(id: string): Promise<Account | undefined>;
  listAccounts(): Promise<Account[]>;

  /** Throws when the account does not exist. */
  createKey(input: NewApiKey): Promise<ApiKey>;
  /** Finds by SHA-256 digest (hex) of its secret, or of a pass of it whose session has not ended. */
  findKeyByDigest(digest: string): Promise<KeyWithAccount | undefined>;
  listKeys(accountId?: string): Promise<ApiKey[]>;
  /** Changes a key's status for ever (revoked) or for now (disabled/active); undefined when there is no such key. A revoked key stays revoked. */
  setKeyStatus(id: string, status: ApiKeyStatus): Promise<ApiKey | undefined>;
  /** Changes the limits that are given, null to none; undefined when there is no such key. A revoked key stays as it is. */
  setKeyLimits(id: string, limits: Partial<KeyLimits>): Promise<ApiKey | undefined>;
  setAccountStatus(id: string, status: AccountStatus): Promise<Account | undefined>;
  /** Changes the limits that are given, null back to the default; undefined when there is no such account. */
  setAccountLimits(id: string, limits: Partial<AccountLimits>): Promise<Account | undefined>;

  /** The stored catalog, or undefined before the first `applyCatalog`. Credentials come back unsealed. */
  loadCatalog(): Promise<Catalog | undefined>;
  /**
   * Makes the stored catalog equal to this one but for what the console manages, in one transaction; no change, no new revision. Throws
   * `invalid` where this one has what the console has, or leaves out what the console's things refer to.
   */
  applyCatalog(catalog: Catalog): Promise<CatalogDifference>;
  /** The difference `applyCatalog` would make; throws as it does. */
  compareCatalog(catalog: Catalog): Promise<CatalogDifference>;
  /**
   * Opens every credential with any of these keys and seals it with the first, in one transaction; resolves with their number. The
   * keys are in the key file already, so that whoever seals meanwhile uses the same one. Throws `unreadable_credentials`.
   */
  resealCredentials(secretKeys: Uint8Array): Promise<number>;
  /**
   * Says that this process seals with its key; throws `another_secret_key` when the installation has another one. The first process
   * of an installation makes its own the installation's. Everything that seals asks the same by itself.
   */
  claimSealingKey(): Promise<void>;
  /** Makes this process's key the installation's after the old one was lost; what that sealed stays unreadable. */
  resetSealingKey(): Promise<void>;

  /**
   * Resolves as soon as there is something that the asker does not know, within a fifth of a second, or with nothing after `waitMs`;
   * earlier when the store is closed. For serving processes: they ask again each time. Rejects when the database cannot be asked.
   */
  waitForNews(known: KnownNews, waitMs: number): Promise<News>;
  /** Changes after `afterId`, oldest first, at most 1,000. */
  listChanges(afterId: number): Promise<Change[]>;
  lastChangeId(): Promise<number>;

  /**
   * Adds a line to an account's ledger and moves its balance with it. `isNew` is false when the reference was used before
   * for the same amount. Throws `not_found`, `duplicate` (reference used for another amount) or `invalid`.
   */
  addEntry(entry: NewLedgerEntry): Promise<{ entry: LedgerEntry; isNew: boolean; balance: NanoUsd }>;
  /** Newest first. */
  listEntries(filter: { accountId: string; limit: number }): Promise<LedgerEntry[]>;
  /** Adds everything up again, in one view of the database. */
  verifyLedger(): Promise<LedgerReport>;

  /** Registers a serving process; leases are lent to it until its heartbeats stop. */
  openHolder(id: string): Promise<void>;
  /**
   * Says that a holder lives, takes back the leases of those that do not, and expires grants. False: it was thought dead itself and
   * its leases are gone; it must go on under another id.
   */
  heartbeat(holderId: string): Promise<boolean>;
  /** Notes whether settlements of a holder wait in a journal. While it is noted and the holder dies, the keys it answered stay taken for a while. */
  noteJournal(holderId: string, hasJournal: boolean): Promise<void>;
  /** Gives back everything lent to a holder that stops. */
  closeHolder(id: string): Promise<void>;
  /** Asks the holders of idle leases on an account to give them back. */
  recallLeases(accountId: string): Promise<void>;
  findBudget(id: string): Promise<BudgetSpending | undefined>;

  /** Grows a lease. Calls made close together share one commit, also with `recordRequest`. */
  takeLease(holderId: string, subject: LeaseSubject, wish: LeaseWish): Promise<LeaseGrant>;
  /** Gives back a part of a lease, or all of it; resolves with what went back. */
  returnLease(holderId: string, subject: LeaseSubject, amount: NanoUsd | "all"): Promise<NanoUsd>;

  /**
   * Takes what a process reports of its slices of limits, and lends it more, at most one ask about a bucket. Not durable: after
   * a power cut the last moments are forgotten.
   */
  takeSlices(holderId: string, asks: readonly SliceAsk[]): Promise<SliceReply>;

  /**
   * Writes one row with what it does to the money; resolves when both are durable. Calls made close together share one
   * commit. A request id that is there already changes nothing. Rejects when the queue is full or the disk refuses.
   */
  recordRequest(row: RequestRow, settlement?: Settlement): Promise<void>;
  /** Newest first. */
  listRequests(filter: { accountId?: string | undefined; limit: number }): Promise<StoredRequest[]>;
  /** One request with the price row it was charged by. */
  findRequest(id: string): Promise<{ request: StoredRequest; price: PriceRow | undefined } | undefined>;

  /** Takes an Idempotency-Key for a request of this holder, or says what became of it. */
  claimIdempotencyKey(claim: {
    accountId: string;
    key: string;
    fingerprint: string;
    requestId: string;
    holderId: string;
    /** Unix milliseconds. */
    expiresAt: number;
  }): Promise<IdempotencyClaim>;
  /** Gives a claim back whose request ended without being settled; nothing happens when it is not there any more. */
  dropIdempotencyClaim(claim: { accountId: string; key: string; requestId: string }): Promise<void>;

  /** Keeps what a process says about its upstreams and itself, instead of what it said before; nothing for a holder that is gone. */
  publishUpstreamStates(
    holderId: string,
    upstreams: readonly UpstreamState[],
    readings?: ProcessReadings,
    models?: ModelReport,
  ): Promise<void>;
  /** What every process that lives last said of its models; nothing of those that said nothing. */
  listModelReports(): Promise<ProcessReport[]>;
  /** What every process that lives last said, the oldest process first. */
  listUpstreamStates(): Promise<ProcessStates[]>;

  /**
   * Looks through the whole database file for damage, if it is no larger than `bytesMax`; throws StoreError `damaged`. Does
   * nothing on PostgreSQL, which watches over its own files.
   */
  checkFile(bytesMax: number): Promise<void>;

  /**
   * Writes a row, without waiting for the disk, and looks whether the file is sound, cheaply; to be called every few seconds by a serving process. Rejects
   * with StoreError. On PostgreSQL it does nothing: commits and heartbeats show what is wrong there.
   */
  checkStorage(): Promise<void>;
  /** Sizes and connections, for the metrics. Rejects with StoreError. */
  readStorage(): Promise<StorageReadings>;
  /** What waits in this process's journal. Known here, without asking. */
  journalReadings(): JournalReadings;
  /** What is wrong with the disk or the file, from the errors of the last calls; undefined: nothing known. Known here, without asking. */
  storageFault(): StorageFault | undefined;

  /** Does the database not answer, or are there settlements it has not got yet? Known here, without asking it. */
  isBehind(): boolean;

  /** How many requests this process gave the store since it was opened. Known here, without asking it. */
  requestsGiven(): number;

  /** A cheap round trip, for readiness. */
  ping(): Promise<void>;
  /** Writes what is queued and closes. */
  close(): Promise<void>;
}
