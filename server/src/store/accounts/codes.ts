/**
 * Redemption codes and pages of the ledger: what the store offers of them. Loaded by the
 * serving thread, so no SQL code here.
 */
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { LedgerEntry } from "../ledger/shapes.ts";
import type { After } from "./keys.ts";

/** Codes made together. */
export interface CodeBatch {
  readonly id: string;
  readonly note: string;
  /** What each is worth. */
  readonly amount: NanoUsd;
  readonly codes: number;
  readonly redeemed: number;
  readonly expiresAt: number | null;
  /** A user or an operator token; the name is null for one who is gone. */
  readonly createdBy: { readonly id: string; readonly name: string | null } | null;
  readonly createdAt: number;
  readonly voidedAt: number | null;
}

export interface NewCodeBatch {
  readonly id: string;
  readonly note: string;
  readonly amount: NanoUsd;
  readonly expiresAt: number | null;
  readonly createdBy: string | null;
  /** Their order is their number. */
  readonly codes: readonly { readonly digest: string; readonly visibleEnd: string }[];
}

/** One code; never its text. */
export interface Code {
  /** Within its batch, from 1. */
  readonly number: number;
  readonly visibleEnd: string;
  readonly redeemedAt: number | null;
  readonly account: { readonly id: string; readonly name: string } | null;
  /** The name is null for a user who is gone. */
  readonly user: { readonly id: string; readonly name: string | null } | null;
  readonly entryId: number | null;
}

/** The result of redeeming a code. */
export type RedeemOutcome =
  | { readonly kind: "done"; readonly entry: LedgerEntry; readonly balance: NanoUsd }
  | { readonly kind: "unknown" | "voided" | "account_closed" }
  | { readonly kind: "redeemed"; readonly at: number; readonly isOwn: boolean }
  | { readonly kind: "expired"; readonly at: number };

/** A line with the balance once it was written. */
export interface EntryWithBalance extends LedgerEntry {
  readonly balanceAfter: NanoUsd;
}

/** A place in a ledger: just above the line with this id, where the balance was so much. */
export interface EntryPosition {
  readonly id: number;
  readonly balance: NanoUsd;
}

export interface EntryFilter {
  readonly accountId: string;
  readonly kinds?: readonly LedgerEntry["kind"][] | undefined;
  /** Unix milliseconds: from this on, and before that. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Absent: the newest line. */
  readonly before?: EntryPosition | undefined;
  readonly limit: number;
}

export interface CodesStore {
  createCodes(batch: NewCodeBatch): Promise<CodeBatch>;
  /** Newest first. */
  pageCodeBatches(page: { limit: number; after?: After | undefined }): Promise<CodeBatch[]>;
  findCodeBatch(id: string): Promise<{ batch: CodeBatch; codes: Code[] } | undefined>;
  /** What is not redeemed of it never can be. One that is voided already stays as it is. */
  voidCodeBatch(id: string, nowMs: number): Promise<CodeBatch | undefined>;
  /** Adds a code's amount to an account, once and for all. */
  redeemCode(redeem: { digest: string; accountId: string; userId: string | null }): Promise<RedeemOutcome>;

  /**
   * Lines of an account's ledger, newest first, with the exact balance after each. Looks at a
   * bounded number of lines: there may be fewer than `limit`, or none, and still more to come.
   * `next`: where to go on; null = that was all.
   */
  scanEntries(filter: EntryFilter): Promise<{ entries: EntryWithBalance[]; next: EntryPosition | null }>;
  /** The account's balance once this line of it was written. */
  balanceAfterEntry(entry: { accountId: string; id: number }): Promise<NanoUsd>;
}

/** Every method of `CodesStore`; they are handed to the storage thread as they are (`create-store.ts`). */
export const codesMethods = {
  createCodes: true,
  pageCodeBatches: true,
  findCodeBatch: true,
  voidCodeBatch: true,
  redeemCode: true,
  scanEntries: true,
  balanceAfterEntry: true,
} as const satisfies Record<keyof CodesStore, true>;
