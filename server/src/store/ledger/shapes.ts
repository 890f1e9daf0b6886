/**
 * Ledger entries as the store returns them, and the findings of the ledger check. Types, and the list of
 * methods.
 */
import type { Params } from "@plaza/contract/messages/shape.ts";
import type { NanoUsd } from "@plaza/contract/money.ts";

/** An entry of an account's ledger. Entries are only added. */
export interface LedgerEntry {
  readonly id: number;
  readonly accountId: string;
  readonly kind: "topup" | "charge" | "adjustment" | "refund" | "operator_loss" | "expiry";
  /** Positive amounts add to the balance. */
  readonly amount: NanoUsd;
  readonly requestId: string | null;
  readonly reference: string | null;
  readonly note: string | null;
  /** Unix milliseconds; only for a top-up whose unused rest expires. */
  readonly expiresAt: number | null;
  readonly createdAt: number;
}

/** An entry made by a person: a payment or a correction. */
export interface NewLedgerEntry {
  readonly accountId: string;
  readonly kind: "topup" | "adjustment" | "refund";
  /** Positive, except for an adjustment, which may deduct from the part of the balance that is not lent. */
  readonly amount: NanoUsd;
  /** The refunded request. */
  readonly requestId?: string | undefined;
  /** A second entry of the account with the same reference returns the first one. */
  readonly reference?: string | undefined;
  readonly note?: string | undefined;
  readonly expiresAt?: number | undefined;
  /**
   * Instead of `expiresAt`: milliseconds after it is written, so that a repeated request describes the same
   * entry.
   */
  readonly expiresAfterMs?: number | undefined;
}

/** A problem found by `verifyLedger`. */
export interface LedgerFinding {
  readonly what: "balance" | "lease" | "charge" | "request" | "budget" | "grant" | "bounds";
  /** The account, request, budget or entry it concerns. */
  readonly subject: string;
  /** The problem as text, with both numbers. */
  readonly text: string;
  /** The same for the console; absent in reports of older versions. */
  readonly id?: string;
  readonly params?: Params | undefined;
}

export interface LedgerReport {
  readonly isOk: boolean;
  readonly findings: readonly LedgerFinding[];
  /** Number of findings that are not listed. */
  readonly moreFindings: number;
  readonly accounts: number;
  readonly entries: number;
  readonly requests: number;
  readonly leases: number;
  readonly totals: {
    /** Sum of all balances. */
    readonly balance: NanoUsd;
    readonly leased: NanoUsd;
    /** Top-ups, refunds and adjustments, minus expired amounts: balance = credited − charged + lost. */
    readonly credited: NanoUsd;
    readonly charged: NanoUsd;
    readonly lost: NanoUsd;
  };
}

/** Store methods for the ledger. */
export interface LedgerStore {
  /**
   * Adds an entry to an account's ledger and changes its balance. `isNew` is false when the reference was
   * already used for the same amount. Throws `not_found`, `duplicate` (reference used for another amount) or
   * `invalid`.
   */
  addEntry(entry: NewLedgerEntry): Promise<{ entry: LedgerEntry; isNew: boolean; balance: NanoUsd }>;
  /** Newest first. */
  listEntries(filter: { accountId: string; limit: number }): Promise<LedgerEntry[]>;
  /** Recomputes everything in one snapshot of the database. */
  verifyLedger(): Promise<LedgerReport>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const ledgerMethods = {
  addEntry: true,
  listEntries: true,
  verifyLedger: true,
} as const satisfies Record<keyof LedgerStore, true>;
