/**
 * What is written in one transaction with a request's row: its money and its
 * Idempotency-Key. Types, and lists of names.
 */
import type { LeasePart } from "../ledger/lease-shapes.ts";

/** An answer kept for a call that is repeated with the same Idempotency-Key. */
export interface StoredAnswer {
  readonly status: number;
  /** Flat: name, value, name, value … */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

/**
 * What is written in one transaction with a request's row: its money, and
 * what becomes of its Idempotency-Key.
 */
export interface Settlement {
  /** Whose lease pays, and how; absent where nothing was set aside. */
  readonly holderId?: string | undefined;
  readonly account?: LeasePart | undefined;
  /** Where the key has a budget. */
  readonly budget?: (LeasePart & { readonly id: string }) | undefined;
  /**
   * Where the caller sent an Idempotency-Key: the answer to keep, or undefined to give the key free again.
   */
  readonly idempotency?: { readonly key: string; readonly answer: StoredAnswer | undefined } | undefined;
}

/**
 * What a call with an Idempotency-Key meets. `fenced`: the holder has expired and may claim nothing
 * any more. `in_journal`: it was perhaps answered by a process that died with settlements in its
 * journal, and that journal is waited for.
 */
export type IdempotencyClaim =
  | { readonly kind: "claimed" | "in_flight" | "in_journal" | "other_body" | "fenced" }
  | { readonly kind: "done"; readonly requestId: string; readonly answer: StoredAnswer };

/** Idempotency-Keys. */
export interface IdempotencyStore {
  /** Takes an Idempotency-Key for a request of this holder, or says what became of it. */
  claimIdempotencyKey(claim: {
    accountId: string;
    key: string;
    fingerprint: string;
    requestId: string;
    holderId: string;
    /** Unix milliseconds. */
    expiresAt: number;
  }): Promise<IdempotencyClaim>;
  /**
   * Gives a claim back whose request ended without being settled; nothing
   * happens when it is not there any more.
   */
  dropIdempotencyClaim(claim: { accountId: string; key: string; requestId: string }): Promise<void>;
}

/** Its methods that are handed to the storage thread as they are (`create-store.ts`). */
export const idempotencyMethods = {
  claimIdempotencyKey: true,
  dropIdempotencyClaim: true,
} as const satisfies Record<keyof IdempotencyStore, true>;
