/**
 * API keys as the store keeps them and gives them back: never the secret itself. Types, and lists of names.
 */

import type { NanoUsd } from "@plaza/contract/money.ts";
import type { AccountLimits, AccountStatus } from "./account-shapes.ts";

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
  /** Addresses and networks it may be used from; null = anywhere. */
  readonly ips: readonly string[] | null;
  /** Unix milliseconds; null = never. */
  readonly expiresAt: number | null;
  readonly createdAt: number;
}

/** What a key may use of each kind; null = no limit of its own. */
export type KeyLimits = Pick<ApiKey, "requestsPerMinute" | "tokensPerMinute" | "concurrency">;

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
  /** null or absent = anywhere. */
  readonly ips?: readonly string[] | null;
  readonly expiresAt: number | null;
  /** Id of the user who makes it; null or absent = the command line or the operator. */
  readonly createdBy?: string | null;
}

/** A key with what `authenticate` needs of its account. */
export interface KeyWithAccount {
  /** Found by an ephemeral key it expires with that, where the key lives longer. */
  readonly key: ApiKey;
  /**
   * The secret is an ephemeral key (`accounts/keys.ts`): it may end at any
   * moment, and is asked for again each time.
   */
  readonly isEphemeral?: true;
  readonly accountStatus: AccountStatus;
  readonly accountLimits: AccountLimits;
}

/** What the store offers of API keys. */
export interface ApiKeysStore {
  /** Throws when the account does not exist. */
  createKey(input: NewApiKey): Promise<ApiKey>;
  /**
   * Finds by SHA-256 digest (hex) of its secret, or of an ephemeral key of it whose session has not ended.
   */
  findKeyByDigest(digest: string): Promise<KeyWithAccount | undefined>;
  listKeys(accountId?: string): Promise<ApiKey[]>;
  /**
   * Changes a key's status for ever (revoked) or for now (disabled/active); undefined when there is no
   * such key. A revoked key stays revoked.
   */
  setKeyStatus(id: string, status: ApiKeyStatus): Promise<ApiKey | undefined>;
  /**
   * Changes the limits that are given, null to none; undefined when there is no
   * such key. A revoked key stays as it is.
   */
  setKeyLimits(id: string, limits: Partial<KeyLimits>): Promise<ApiKey | undefined>;
}

/** Its methods that are handed to the storage thread as they are (`create-store.ts`). */
export const apiKeyMethods = {
  createKey: true,
  findKeyByDigest: true,
  listKeys: true,
  setKeyStatus: true,
  setKeyLimits: true,
} as const satisfies Record<keyof ApiKeysStore, true>;
