/**
 * What a configuration file may say besides the catalog: settings, accounts with their keys, and users. Types
 * only. Balances and passwords are no configuration.
 */
import type { Limits } from "@plaza/contract/catalog.ts";
import type { NanoUsd } from "@plaza/contract/money.ts";

/** Settings of the installation; one that is absent stays as it is. */
export interface SettingsConfiguration {
  readonly name?: string | undefined;
  readonly plazaIsPublic?: boolean | undefined;
  /** Null: users are never warned. */
  readonly lowBalance?: NanoUsd | null | undefined;
}

/** An API key; what is absent is not restricted. */
export interface KeyConfiguration {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the whole secret, hex in lower case. */
  readonly digest: string;
  readonly visiblePrefix: string;
  readonly status: "active" | "disabled";
  readonly models?: readonly string[] | undefined;
  readonly ips?: readonly string[] | undefined;
  readonly limits?: Limits | undefined;
  readonly budget?: { readonly amount: NanoUsd; readonly period: "day" | "month" } | undefined;
  /** Unix milliseconds. */
  readonly expiresAt?: number | undefined;
  readonly project?: string | undefined;
  /** Absent, not empty, for none. */
  readonly tags?: readonly string[] | undefined;
}

/** An account; the installation's defaults apply to what is absent. */
export interface AccountConfiguration {
  readonly id: string;
  readonly name: string;
  readonly status: "active" | "suspended";
  readonly limits?: Limits | undefined;
  readonly responsesKeptMs?: number | undefined;
  readonly lowBalance?: NanoUsd | undefined;
  /** Absent: its keys are left alone. */
  readonly keys?: readonly KeyConfiguration[] | undefined;
}

/** A user; what is absent stays as it is. */
export interface UserConfiguration {
  /** In lower case. */
  readonly email: string;
  /** Id; null: no account. */
  readonly account?: string | null | undefined;
  readonly role?: "owner" | "member" | undefined;
  readonly isOperator?: boolean | undefined;
  readonly status?: "active" | "disabled" | undefined;
}

/** The sections of a file; one that is absent is left alone. */
export interface Configuration {
  readonly settings?: SettingsConfiguration | undefined;
  readonly accounts?: readonly AccountConfiguration[] | undefined;
  readonly users?: readonly UserConfiguration[] | undefined;
}

/** A key as stored. */
export interface StoredKey extends Omit<KeyConfiguration, "status"> {
  readonly accountId: string;
  readonly status: "active" | "disabled" | "revoked";
  readonly revision: number;
}

/** An account as stored, without its keys. */
export interface StoredAccount extends Omit<AccountConfiguration, "status" | "keys"> {
  readonly status: "active" | "suspended" | "closed";
  readonly revision: number;
}

/** A user as stored. */
export interface StoredUser {
  readonly id: string;
  readonly email: string;
  readonly account: string | null;
  readonly role: "owner" | "member";
  readonly isOperator: boolean;
  readonly status: "active" | "disabled";
  readonly revision: number;
}

/** The settings as stored. */
export interface StoredSettings {
  readonly name: string;
  readonly plazaIsPublic: boolean;
  readonly lowBalance: NanoUsd | null;
  readonly revision: number;
}

/** Everything stored that a file could say. Accounts and keys by id, users by email address. */
export interface StoredConfiguration {
  readonly settings: StoredSettings;
  readonly accounts: readonly StoredAccount[];
  readonly keys: readonly StoredKey[];
  readonly users: readonly StoredUser[];
}
