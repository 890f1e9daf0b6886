/**
 * What the rest of the product asks of the database. One type, the same for SQLite and PostgreSQL; no SQL leaves `store/`.
 * Every method may be called from the event loop: none of them does storage work on it.
 */
import type { Catalog } from "@plaza/contract/catalog.ts";
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { RequestState, UsageSource } from "@plaza/contract/usage.ts";

export type AccountStatus = "active" | "suspended";

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly status: AccountStatus;
  readonly balance: NanoUsd;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

export type ApiKeyStatus = "active" | "disabled" | "revoked";

/** An API key as it is stored: never the secret itself. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** What may be shown: the first characters of the secret. */
  readonly visiblePrefix: string;
  readonly status: ApiKeyStatus;
  /** Public model ids this key may use; null = all. */
  readonly models: readonly string[] | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrency: number | null;
  readonly budget: { readonly amount: NanoUsd; readonly period: "day" | "month" } | null;
  /** Unix milliseconds; null = never. */
  readonly expiresAt: number | null;
  readonly createdAt: number;
}

export interface NewApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly visiblePrefix: string;
  /** SHA-256 of the whole secret, hex. */
  readonly digest: string;
  readonly models: readonly string[] | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrency: number | null;
  readonly budget: { readonly amount: NanoUsd; readonly period: "day" | "month" } | null;
  readonly expiresAt: number | null;
}

/** A key with what `authenticate` needs of its account. */
export interface KeyWithAccount {
  readonly key: ApiKey;
  readonly accountStatus: AccountStatus;
}

/** One client call, as it ended. Times are Unix or elapsed milliseconds; tokens are disjoint classes (contract/usage.ts). */
export interface RequestRow {
  readonly id: string;
  readonly createdAt: number;
  readonly accountId: string;
  readonly keyId: string;
  /** Public model id as asked for; null when the body never named one. */
  readonly modelId: string | null;
  readonly upstreamId: string | null;
  /** The model's name at the upstream that answered. */
  readonly upstreamModel: string | null;
  readonly isStream: boolean;
  /** HTTP status sent (499 when the caller left before one was). */
  readonly status: number;
  readonly state: RequestState;
  readonly errorCode: string | null;
  readonly attempts: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly usageSource: UsageSource;
  readonly firstTokenMs: number | null;
  readonly durationMs: number;
}

/** Something other processes must notice. `id` grows; a reader remembers the last one it saw. */
export interface Change {
  readonly id: number;
  readonly kind: "key" | "account" | "catalog";
  /** Key or account id; empty for the catalog. */
  readonly subject: string;
}

/** What `applyCatalog` changed, as ids. */
export interface CatalogDifference {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export interface Store {
  /** Brings the schema up to date; several processes may call it at once. Throws when a newer Plaza wrote the database. */
  migrate(): Promise<void>;

  createAccount(input: { id: string; name: string; balance: NanoUsd }): Promise<Account>;
  findAccount(id: string): Promise<Account | undefined>;
  listAccounts(): Promise<Account[]>;

  /** Throws when the account does not exist. */
  createKey(input: NewApiKey): Promise<ApiKey>;
  /** Finds by SHA-256 digest (hex). */
  findKeyByDigest(digest: string): Promise<KeyWithAccount | undefined>;
  listKeys(accountId?: string): Promise<ApiKey[]>;
  /** Changes a key's status for ever (revoked) or for now (disabled/active); undefined when there is no such key. A revoked key stays revoked. */
  setKeyStatus(id: string, status: ApiKeyStatus): Promise<ApiKey | undefined>;
  setAccountStatus(id: string, status: AccountStatus): Promise<Account | undefined>;

  /** The stored catalog, or undefined before the first `applyCatalog`. Credentials come back unsealed. */
  loadCatalog(): Promise<Catalog | undefined>;
  /** Makes the stored catalog equal to this one, in one transaction; no change, no new revision. */
  applyCatalog(catalog: Catalog): Promise<CatalogDifference>;
  /** The difference `applyCatalog` would make. */
  compareCatalog(catalog: Catalog): Promise<CatalogDifference>;

  /** Changes after `afterId`, oldest first, at most 1,000. */
  listChanges(afterId: number): Promise<Change[]>;
  lastChangeId(): Promise<number>;

  /** Writes one row; resolves when it is durable. Calls made close together share one commit. Rejects when the queue is full or the disk refuses. */
  recordRequest(row: RequestRow): Promise<void>;
  /** Newest first. */
  listRequests(filter: { accountId?: string | undefined; limit: number }): Promise<RequestRow[]>;

  /** A cheap round trip, for readiness. */
  ping(): Promise<void>;
  /** Writes what is queued and closes. */
  close(): Promise<void>;
}
