/**
 * API keys and accounts as the console changes them, and ephemeral keys: what the store offers of them.
 * Loaded by the serving thread, so no SQL code here.
 */
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { Account, AccountStatus } from "./account-shapes.ts";
import type { ApiKey } from "./key-shapes.ts";

/** As a list shows it: what is active but too old is `expired`. */
export type ShownKeyStatus = ApiKey["status"] | "expired";

/** Those that are given are changed, null to none. The same for keys and accounts. */
export interface LimitsChange {
  readonly requestsPerMinute?: number | null | undefined;
  readonly tokensPerMinute?: number | null | undefined;
  readonly concurrency?: number | null | undefined;
}

/** A key with what the console says of it besides. */
export interface ConsoleKey extends ApiKey {
  /** A user; the name is null for one who is gone. null: the command line or the operator. */
  readonly createdBy: { readonly id: string; readonly name: string | null } | null;
  /** What its budget's period that runs now has seen; 0 without a budget. */
  readonly spent: NanoUsd;
  readonly revision: number;
}

/** The keys a user may see: all of an account, or only those the user created. */
export interface KeyScope {
  readonly accountId: string;
  readonly createdBy?: string | undefined;
}

/** Where a page begins: after the one with this time and id. */
export interface After {
  readonly createdAt: number;
  readonly id: string;
}

export interface KeyFilter {
  readonly scope: KeyScope;
  /** A part of the name, or the beginning of the visible prefix. */
  readonly search?: string | undefined;
  readonly statuses?: readonly ShownKeyStatus[] | undefined;
  readonly after?: After | undefined;
  readonly limit: number;
}

/** What is given is changed, null to none. */
export interface KeyChange {
  readonly name?: string | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly ips?: readonly string[] | null | undefined;
  readonly limits?: LimitsChange | undefined;
  readonly budget?: ApiKey["budget"] | undefined;
  readonly expiresAt?: number | null | undefined;
  readonly status?: "active" | "disabled" | undefined;
}

/** `missing`: not there, or not in the scope. `revoked`: for ever. */
export type KeyOutcome =
  | { readonly kind: "done"; readonly key: ConsoleKey }
  | { readonly kind: "missing" | "changed_meanwhile" | "revoked" };

/** An account with what its operator sees of it besides. */
export interface ConsoleAccount extends Account {
  /** Its own threshold; null = the installation's. */
  readonly lowBalance: NanoUsd | null;
  readonly users: number;
  /** Not counting revoked ones. */
  readonly keys: number;
  readonly revision: number;
}

/** A key of any account. */
export interface LimitedKey extends ConsoleKey {
  readonly accountName: string;
}

export interface LimitedKeyFilter {
  /** A part of the key's or its account's name, the beginning of the visible prefix, or one of the ids. */
  readonly search?: string | undefined;
  readonly after?: After | undefined;
  readonly limit: number;
}

export interface AccountFilter {
  /** A part of the name or of a user's email address, or the id. */
  readonly search?: string | undefined;
  readonly statuses?: readonly AccountStatus[] | undefined;
  /** Only those with a limit of their own. */
  readonly hasOwnLimits?: boolean | undefined;
  readonly after?: After | undefined;
  readonly limit: number;
}

/** What is given is changed, null to none. */
export interface AccountChange {
  readonly name?: string | undefined;
  readonly limits?: LimitsChange | undefined;
  readonly lowBalance?: NanoUsd | null | undefined;
  readonly status?: AccountStatus | undefined;
}

/** `closed`: for ever. */
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
  /** Of all accounts, those with a limit or a budget of their own, newest first; not the revoked ones. */
  pageLimitedKeys(filter: LimitedKeyFilter): Promise<LimitedKey[]>;
  findConsoleKey(id: string, scope: KeyScope): Promise<ConsoleKey | undefined>;
  /** Keys of an account that are not revoked. */
  countKeys(accountId: string): Promise<number>;
  changeKey(id: string, scope: KeyScope, revision: number, change: KeyChange): Promise<KeyOutcome>;
  /** For ever; its ephemeral keys end with it. */
  revokeKey(id: string, scope: KeyScope): Promise<ConsoleKey | undefined>;

  /**
   * Keeps an ephemeral key: a second secret of a key for one session. It ends with the session, the key or
   * its own time, whichever is first. False where the session is over. A session keeps its newest 20.
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

/** Every method of `KeysStore`; they are handed to the storage thread as they are (`create-store.ts`). */
export const keysMethods = {
  pageKeys: true,
  pageLimitedKeys: true,
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
