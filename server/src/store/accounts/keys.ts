/**
 * Store methods for API keys and accounts as the console changes them, and for ephemeral keys. The serving
 * thread loads this file, so it has no SQL.
 */
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { Account, AccountStatus } from "./account-shapes.ts";
import type { ApiKey } from "./key-shapes.ts";

/** The status shown in lists: an active key past its expiry is `expired`. */
export type ShownKeyStatus = ApiKey["status"] | "expired";

/** The limits given are changed; null removes one. Used for keys and accounts. */
export interface LimitsChange {
  readonly requestsPerMinute?: number | null | undefined;
  readonly tokensPerMinute?: number | null | undefined;
  readonly concurrency?: number | null | undefined;
}

/** A key with further data for the console. */
export interface ConsoleKey extends ApiKey {
  /** The user who created it, with a null name if deleted. Null: the command line or the operator. */
  readonly createdBy: { readonly id: string; readonly name: string | null } | null;
  /** Spent in the current period of its budget; 0 without a budget. */
  readonly spent: NanoUsd;
  readonly revision: number;
}

/** The keys a user may see: all keys of an account, or only those the user created. */
export interface KeyScope {
  readonly accountId: string;
  readonly createdBy?: string | undefined;
}

/** The start of a page: after the item with this time and id. */
export interface After {
  readonly createdAt: number;
  readonly id: string;
}

export interface KeyFilter {
  readonly scope: KeyScope;
  /** Part of the name, or the start of the visible prefix. */
  readonly search?: string | undefined;
  readonly statuses?: readonly ShownKeyStatus[] | undefined;
  /** "" stands for keys without one. */
  readonly projects?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly after?: After | undefined;
  readonly limit: number;
}

/** Labels that some keys have, each once, in order. */
export interface KeyLabels {
  readonly projects: readonly string[];
  readonly tags: readonly string[];
}

export interface LabelSearch {
  /** Of these accounts only; undefined: of all. */
  readonly accounts?: readonly string[] | undefined;
  /** Part of a label, ignoring case as far as the database does. */
  readonly search?: string | undefined;
  /** Most projects, and most tags. */
  readonly max: number;
}

export interface FoundLabels extends KeyLabels {
  /** False: there are more, which a search may find. */
  readonly isWhole: boolean;
}

/** The members given are changed; null removes one. */
export interface KeyChange {
  readonly name?: string | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly ips?: readonly string[] | null | undefined;
  readonly limits?: LimitsChange | undefined;
  readonly budget?: ApiKey["budget"] | undefined;
  readonly expiresAt?: number | null | undefined;
  readonly project?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly status?: "active" | "disabled" | undefined;
}

/** `missing`: does not exist or is outside the scope. `revoked`: is revoked, which is final. */
export type KeyOutcome =
  | { readonly kind: "done"; readonly key: ConsoleKey }
  | { readonly kind: "missing" | "changed_meanwhile" | "revoked" };

/** An account with further data for its operator. */
export interface ConsoleAccount extends Account {
  /** Its own threshold; null: the installation's. */
  readonly lowBalance: NanoUsd | null;
  readonly users: number;
  /** Number of keys, without revoked ones. */
  readonly keys: number;
  readonly revision: number;
}

/** A key of any account. */
export interface LimitedKey extends ConsoleKey {
  readonly accountName: string;
}

export interface LimitedKeyFilter {
  /** Part of the key's or its account's name, the start of the visible prefix, or one of the ids. */
  readonly search?: string | undefined;
  readonly after?: After | undefined;
  readonly limit: number;
}

export interface AccountFilter {
  /** Part of the name or of a user's email address, or the id. */
  readonly search?: string | undefined;
  readonly statuses?: readonly AccountStatus[] | undefined;
  /** Only accounts with their own limits. */
  readonly hasOwnLimits?: boolean | undefined;
  readonly after?: After | undefined;
  readonly limit: number;
}

/** The members given are changed; null removes one. */
export interface AccountChange {
  readonly name?: string | undefined;
  readonly limits?: LimitsChange | undefined;
  readonly lowBalance?: NanoUsd | null | undefined;
  /** How long its responses are kept, in milliseconds; 0 also deletes what is stored. */
  readonly responsesKeptMs?: number | null | undefined;
  readonly status?: AccountStatus | undefined;
}

/** `closed`: is closed, which is final. */
export type AccountOutcome =
  | { readonly kind: "done"; readonly account: ConsoleAccount }
  | { readonly kind: "missing" | "changed_meanwhile" | "closed" };

/** A member of an account, for the operator. */
export interface AccountPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: "owner" | "member";
  readonly status: "active" | "disabled";
  readonly seenAt: number | null;
}

export interface KeysStore {
  /** Newest first. */
  pageKeys(filter: KeyFilter): Promise<ConsoleKey[]>;
  /** Keys of all accounts with their own limit or budget, newest first, without revoked ones. */
  pageLimitedKeys(filter: LimitedKeyFilter): Promise<LimitedKey[]>;
  /** The labels of the keys in scope, revoked ones too. */
  listKeyLabels(scope: KeyScope): Promise<KeyLabels>;
  /** The first labels in order, of keys of any account, revoked ones too. */
  findLabels(search: LabelSearch): Promise<FoundLabels>;
  findConsoleKey(id: string, scope: KeyScope): Promise<ConsoleKey | undefined>;
  /** Number of an account's keys that are not revoked. */
  countKeys(accountId: string): Promise<number>;
  changeKey(id: string, scope: KeyScope, revision: number, change: KeyChange): Promise<KeyOutcome>;
  /** Revokes a key for good and ends its ephemeral keys. */
  revokeKey(id: string, scope: KeyScope): Promise<ConsoleKey | undefined>;

  /**
   * Stores an ephemeral key: a second secret of a key, for one session. It ends with the session, the key or
   * its own expiry, whichever is first. Returns false when the session has ended. A session keeps its newest
   * 20.
   */
  addEphemeralKey(ephemeral: {
    digest: string;
    keyId: string;
    sessionId: string;
    expiresAt: number;
  }): Promise<boolean>;

  /** Newest first. */
  pageAccounts(filter: AccountFilter): Promise<ConsoleAccount[]>;
  findConsoleAccount(id: string): Promise<ConsoleAccount | undefined>;
  /** Oldest first, at most 1,000. */
  listAccountPeople(accountId: string): Promise<AccountPerson[]>;
  changeAccount(id: string, revision: number, change: AccountChange): Promise<AccountOutcome>;
}

/** Every method of `KeysStore`; `create-store.ts` forwards them to the storage thread unchanged. */
export const keysMethods = {
  pageKeys: true,
  pageLimitedKeys: true,
  listKeyLabels: true,
  findLabels: true,
  findConsoleKey: true,
  countKeys: true,
  changeKey: true,
  revokeKey: true,
  addEphemeralKey: true,
  pageAccounts: true,
  findConsoleAccount: true,
  listAccountPeople: true,
  changeAccount: true,
} as const satisfies Record<keyof KeysStore, true>;
