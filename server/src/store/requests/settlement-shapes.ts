/**
 * What is written in one transaction with a request's row: charges and the idempotency key. Types, and the
 * list of methods.
 */
import type { LeasePart } from "../ledger/lease-shapes.ts";

/** An answer stored for repeated calls with the same idempotency key. */
export interface StoredAnswer {
  readonly status: number;
  /** Flat: name, value, name, value … */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

/**
 * What is written in one transaction with a request's row: charges, and the result for its idempotency key.
 */
export interface Settlement {
  /** The holder whose lease pays; absent when nothing was held. */
  readonly holderId?: string | undefined;
  readonly account?: LeasePart | undefined;
  /** Present when the key has a budget. */
  readonly budget?: (LeasePart & { readonly id: string }) | undefined;
  /**
   * Present when the caller sent an idempotency key: the answer to store, or undefined to release the key.
   */
  readonly idempotency?: { readonly key: string; readonly answer: StoredAnswer | undefined } | undefined;
}

/**
 * The result of claiming a key. `fenced`: the holder has expired and may not claim. `in_journal`: a process
 * that died with settlements in its journal may have answered it, and the journal may still appear.
 */
export type IdempotencyClaim =
  | { readonly kind: "claimed" | "in_flight" | "in_journal" | "other_body" | "fenced" }
  | { readonly kind: "done"; readonly requestId: string; readonly answer: StoredAnswer };

/** Store methods for idempotency keys. */
export interface IdempotencyStore {
  /** Claims an idempotency key for a request of this holder, or returns its state. */
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
   * Releases a claim whose request ended without settlement; does nothing when the claim no longer exists.
   */
  dropIdempotencyClaim(claim: { accountId: string; key: string; requestId: string }): Promise<void>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const idempotencyMethods = {
  claimIdempotencyKey: true,
  dropIdempotencyClaim: true,
} as const satisfies Record<keyof IdempotencyStore, true>;
