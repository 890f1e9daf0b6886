/**
 * The ledger as the store keeps it: its entries, and what the check that adds them
 * up finds. Types, and lists of names.
 */
import type { Params } from "@plaza/contract/messages/shape.ts";
import type { NanoUsd } from "@plaza/contract/money.ts";

/** A line of an account's ledger. Lines are only ever added. */
export interface LedgerEntry {
  readonly id: number;
  readonly accountId: string;
  readonly kind: "topup" | "charge" | "adjustment" | "refund" | "operator_loss" | "expiry";
  /** Positive adds to the balance. */
  readonly amount: NanoUsd;
  readonly requestId: string | null;
  readonly reference: string | null;
  readonly note: string | null;
  /** Unix milliseconds; only of a top-up whose unused rest expires. */
  readonly expiresAt: number | null;
  readonly createdAt: number;
}

/** A line added by a person: money that came in, or a correction. */
export interface NewLedgerEntry {
  readonly accountId: string;
  readonly kind: "topup" | "adjustment" | "refund";
  /** Positive, except for an adjustment, which may subtract from the unleased balance. */
  readonly amount: NanoUsd;
  /** The request a refund is for. */
  readonly requestId?: string | undefined;
  /** A second entry of the account with the same reference is the first one again. */
  readonly reference?: string | undefined;
  readonly note?: string | undefined;
  readonly expiresAt?: number | undefined;
  /**
   * Instead of `expiresAt`: milliseconds from the moment it is written, so that
   * the same request later is the same entry.
   */
  readonly expiresAfterMs?: number | undefined;
}

/** One thing `verifyLedger` found wrong. */
export interface LedgerFinding {
  readonly what: "balance" | "lease" | "charge" | "request" | "budget" | "grant" | "bounds";
  /** Account, request, budget or entry it is about. */
  readonly subject: string;
  /** In words, with both numbers. */
  readonly text: string;
  /** The same for the console; absent in reports of an older version. */
  readonly id?: string;
  readonly params?: Params | undefined;
}

export interface LedgerReport {
  readonly isOk: boolean;
  readonly findings: readonly LedgerFinding[];
  /** Findings beyond those listed. */
  readonly moreFindings: number;
  readonly accounts: number;
  readonly entries: number;
  readonly requests: number;
  readonly leases: number;
  readonly totals: {
    /** Sum of every balance. */
    readonly balance: NanoUsd;
    readonly leased: NanoUsd;
    /** Top-ups, refunds and adjustments, less what expired: balance = credited − charged + lost. */
    readonly credited: NanoUsd;
    readonly charged: NanoUsd;
    readonly lost: NanoUsd;
  };
}

/** What the store offers of the ledger. */
export interface LedgerStore {
  /**
   * Adds a line to an account's ledger and moves its balance with it. `isNew` is false when the
   * reference was used before for the same amount. Throws `not_found`, `duplicate` (reference
   * used for another amount) or `invalid`.
   */
  addEntry(entry: NewLedgerEntry): Promise<{ entry: LedgerEntry; isNew: boolean; balance: NanoUsd }>;
  /** Newest first. */
  listEntries(filter: { accountId: string; limit: number }): Promise<LedgerEntry[]>;
  /** Adds everything up again, in one view of the database. */
  verifyLedger(): Promise<LedgerReport>;
}

/** Its methods that are handed to the storage thread as they are (`create-store.ts`). */
export const ledgerMethods = {
  addEntry: true,
  listEntries: true,
  verifyLedger: true,
} as const satisfies Record<keyof LedgerStore, true>;
