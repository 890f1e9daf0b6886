/** Types of API keys as the store returns them, never with the secret, and the list of their methods. */

import type { NanoUsd } from "@plaza/contract/money.ts";
import type { AccountLimits, AccountStatus } from "./account-shapes.ts";

export type ApiKeyStatus = "active" | "disabled" | "revoked";

/** A stored API key, without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The first characters of the secret, which may be shown. */
  readonly visiblePrefix: string;
  readonly status: ApiKeyStatus;
  /** Public ids of the models this key may use; null: all. */
  readonly models: readonly string[] | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrency: number | null;
  readonly budget: { readonly amount: NanoUsd; readonly period: "day" | "month" } | null;
  /** Addresses and networks the key may be used from; null: any. */
  readonly ips: readonly string[] | null;
  /** Unix milliseconds; null: never. */
  readonly expiresAt: number | null;
  /** By which usage is grouped; null: none. */
  readonly project: string | null;
  readonly tags: readonly string[];
  readonly createdAt: number;
}

/** A key's own limits; null: none. */
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
  /** Null or absent: any. */
  readonly ips?: readonly string[] | null;
  readonly expiresAt: number | null;
  readonly project?: string | null;
  readonly tags?: readonly string[];
  /** Id of the user who creates it; null or absent: the command line or the operator. */
  readonly createdBy?: string | null;
}

/** A key with the account data that `authenticate` needs. */
export interface KeyWithAccount {
  /** When found by an ephemeral key, it expires no later than that. */
  readonly key: ApiKey;
  /**
   * The secret is an ephemeral key (`accounts/keys.ts`), which may end at any moment, so it is looked up for
   * every call.
   */
  readonly isEphemeral?: true;
  readonly accountStatus: AccountStatus;
  readonly accountLimits: AccountLimits;
  /** How long the account's responses are kept, in milliseconds; absent: the installation's setting. */
  readonly responsesKeptMs?: number | undefined;
}

/** Store methods for API keys. */
export interface ApiKeysStore {
  /** Throws when the account does not exist. */
  createKey(input: NewApiKey): Promise<ApiKey>;
  /**
   * Finds a key by the SHA-256 digest (hex) of its secret, or of an ephemeral key whose session is still
   * open.
   */
  findKeyByDigest(digest: string): Promise<KeyWithAccount | undefined>;
  /** True when there are keys, not revoked, that were imported from another gateway: of another form. */
  hasImportedKeys(): Promise<boolean>;
  listKeys(accountId?: string): Promise<ApiKey[]>;
  /** Sets a key's status. Revoked is final. Returns undefined when the key does not exist. */
  setKeyStatus(id: string, status: ApiKeyStatus): Promise<ApiKey | undefined>;
  /**
   * Changes the limits given; null removes one. A revoked key is not changed. Returns undefined when the key
   * does not exist.
   */
  setKeyLimits(id: string, limits: Partial<KeyLimits>): Promise<ApiKey | undefined>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const apiKeyMethods = {
  createKey: true,
  findKeyByDigest: true,
  hasImportedKeys: true,
  listKeys: true,
  setKeyStatus: true,
  setKeyLimits: true,
} as const satisfies Record<keyof ApiKeysStore, true>;
