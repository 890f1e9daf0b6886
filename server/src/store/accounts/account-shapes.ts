/** Accounts as the store keeps them. Types, and lists of names. */
import type { NanoUsd } from "@plaza/contract/money.ts";

/** A closed account stays closed. */
export type AccountStatus = "active" | "suspended" | "closed";

/** What an account may use of each kind; null = the catalog's default for every account. */
export interface AccountLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrency: number | null;
}

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly status: AccountStatus;
  readonly limits: AccountLimits;
  /** Sum of the account's ledger entries. */
  readonly balance: NanoUsd;
  /** Part of the balance lent to serving processes at the moment. */
  readonly leased: NanoUsd;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** What the store offers of accounts. */
export interface AccountsStore {
  createAccount(input: { id: string; name: string; balance: NanoUsd }): Promise<Account>;
  findAccount(id: string): Promise<Account | undefined>;
  listAccounts(): Promise<Account[]>;
  setAccountStatus(id: string, status: AccountStatus): Promise<Account | undefined>;
  /** Changes the limits that are given, null back to the default; undefined when there is no such account. */
  setAccountLimits(id: string, limits: Partial<AccountLimits>): Promise<Account | undefined>;
}

/** Its methods that are handed to the storage thread as they are (`create-store.ts`). */
export const accountMethods = {
  createAccount: true,
  findAccount: true,
  listAccounts: true,
  setAccountStatus: true,
  setAccountLimits: true,
} as const satisfies Record<keyof AccountsStore, true>;
