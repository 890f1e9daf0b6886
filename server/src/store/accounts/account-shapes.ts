/** Types of accounts as the store returns them, and the list of their methods. */
import type { NanoUsd } from "@plaza/contract/money.ts";

/** A closed account can never be reopened. */
export type AccountStatus = "active" | "suspended" | "closed";

/** An account's own limits; null: the catalog's default applies. */
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
  /** How long its responses are kept, in milliseconds; 0: not at all; null: the installation's setting. */
  readonly responsesKeptMs: number | null;
  /** Sum of the account's ledger entries. */
  readonly balance: NanoUsd;
  /** Part of the balance currently lent to serving processes. */
  readonly leased: NanoUsd;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** Store methods for accounts. */
export interface AccountsStore {
  createAccount(input: { id: string; name: string; balance: NanoUsd }): Promise<Account>;
  findAccount(id: string): Promise<Account | undefined>;
  listAccounts(): Promise<Account[]>;
  setAccountStatus(id: string, status: AccountStatus): Promise<Account | undefined>;
  /**
   * Changes the limits given; null restores the default. Returns undefined when the account does not exist.
   */
  setAccountLimits(id: string, limits: Partial<AccountLimits>): Promise<Account | undefined>;
  /**
   * Changes how long the account's responses are kept; null restores the default, 0 also deletes what is
   * stored. Returns undefined when the account does not exist.
   */
  setResponsesKept(id: string, keptMs: number | null): Promise<Account | undefined>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const accountMethods = {
  createAccount: true,
  findAccount: true,
  listAccounts: true,
  setAccountStatus: true,
  setAccountLimits: true,
  setResponsesKept: true,
} as const satisfies Record<keyof AccountsStore, true>;
