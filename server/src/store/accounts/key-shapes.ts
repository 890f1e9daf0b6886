/** API keys as the store keeps them and gives them back: never the secret itself. Types only. */

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
  /** Found by a pass it expires with that, where the key lives longer. */
  readonly key: ApiKey;
  /** The secret is a pass (`accounts/keys.ts`): it may end at any moment, and is asked for again each time. */
  readonly isPass?: true;
  readonly accountStatus: AccountStatus;
  readonly accountLimits: AccountLimits;
}
