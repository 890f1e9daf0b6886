/**
 * Store methods for redemption codes and pages of the ledger. The serving thread loads this file, so it has
 * no SQL.
 */
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { LedgerEntry } from "../ledger/shapes.ts";
import type { After } from "./keys.ts";

/** Codes created together. */
export interface CodeBatch {
  readonly id: string;
  readonly note: string;
  /** Amount of each code. */
  readonly amount: NanoUsd;
  readonly codes: number;
  readonly redeemed: number;
  readonly expiresAt: number | null;
  /** A user or an operator token. The name is null for a deleted user. */
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
  /** In order of their numbers. */
  readonly codes: readonly { readonly digest: string; readonly visibleEnd: string }[];
}

/** One code, without its text. */
export interface Code {
  /** Number within its batch, from 1. */
  readonly number: number;
  readonly visibleEnd: string;
  readonly redeemedAt: number | null;
  readonly account: { readonly id: string; readonly name: string } | null;
  /** The name is null for a deleted user. */
  readonly user: { readonly id: string; readonly name: string | null } | null;
  readonly entryId: number | null;
}

/** The result of redeeming a code. */
export type RedeemOutcome =
  | { readonly kind: "done"; readonly entry: LedgerEntry; readonly balance: NanoUsd }
  | { readonly kind: "unknown" | "voided" | "account_closed" }
  | { readonly kind: "redeemed"; readonly at: number; readonly isOwn: boolean }
  | { readonly kind: "expired"; readonly at: number };

/** A ledger entry and the balance after it. */
export interface EntryWithBalance extends LedgerEntry {
  readonly balanceAfter: NanoUsd;
}

/** A position in a ledger: just above the entry with this id, with the balance at that point. */
export interface EntryPosition {
  readonly id: number;
  readonly balance: NanoUsd;
}

export interface EntryFilter {
  readonly accountId: string;
  readonly kinds?: readonly LedgerEntry["kind"][] | undefined;
  /** Unix milliseconds; `from` is inclusive, `to` exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Absent: starts with the newest entry. */
  readonly before?: EntryPosition | undefined;
  readonly limit: number;
}

export interface CodesStore {
  createCodes(batch: NewCodeBatch): Promise<CodeBatch>;
  /** Newest first. */
  pageCodeBatches(page: { limit: number; after?: After | undefined }): Promise<CodeBatch[]>;
  findCodeBatch(id: string): Promise<{ batch: CodeBatch; codes: Code[] } | undefined>;
  /** Makes the unredeemed codes of a batch unusable. A batch that is already void stays unchanged. */
  voidCodeBatch(id: string, nowMs: number): Promise<CodeBatch | undefined>;
  /** Adds a code's amount to an account. A code works once. */
  redeemCode(redeem: { digest: string; accountId: string; userId: string | null }): Promise<RedeemOutcome>;

  /**
   * Entries of an account's ledger, newest first, with the exact balance after each. Reads a bounded number
   * of entries, so the result may have fewer than `limit` although more exist. `next`: where to continue;
   * null at the end.
   */
  scanEntries(filter: EntryFilter): Promise<{ entries: EntryWithBalance[]; next: EntryPosition | null }>;
  /** The account's balance after this entry. */
  balanceAfterEntry(entry: { accountId: string; id: number }): Promise<NanoUsd>;
}

/** Every method of `CodesStore`; `create-store.ts` forwards them to the storage thread unchanged. */
export const codesMethods = {
  createCodes: true,
  pageCodeBatches: true,
  findCodeBatch: true,
  voidCodeBatch: true,
  redeemCode: true,
  scanEntries: true,
  balanceAfterEntry: true,
} as const satisfies Record<keyof CodesStore, true>;
