/**
 * Leases: what a serving process borrows from an account's balance or a key's budget. Types, and the list of
 * methods.
 */

import type { NanoUsd } from "@plaza/contract/money.ts";
import type { LeaseRequest } from "../../domain/money/ledger.ts";

/**
 * What is lent: part of an account's balance, or of the rest of a key's budget (`domain/money/budget.ts`
 * makes the id).
 */
export interface LeaseSubject {
  readonly kind: "account" | "budget";
  readonly id: string;
  /** The account's id; for a budget, the key's. */
  readonly ownerId: string;
}

/** The reply to a request for a larger lease. */
export interface LeaseGrant {
  /**
   * `granted`: the lease grew by `amount`. `short`: too little is available. `fenced`: this holder has
   * expired and may not borrow. `suspended`: the account is suspended or closed.
   */
  readonly status: "granted" | "short" | "fenced" | "suspended";
  readonly amount: NanoUsd;
  /** What can still be lent afterwards. */
  readonly available: NanoUsd;
  /** What other holders have borrowed. */
  readonly lentToOthers: NanoUsd;
}

/** The effect of one request on a lease (`domain/money/ledger.ts`). */
export interface LeasePart {
  readonly fromLease: NanoUsd;
  readonly release: NanoUsd;
}

/** The amount spent in a budget's period. */
export interface BudgetSpending {
  readonly spent: NanoUsd;
  readonly leased: NanoUsd;
}

/** Store methods for leases and their holders. */
export interface LeasesStore {
  /** Registers a serving process. It can borrow until its heartbeats stop. */
  openHolder(id: string): Promise<void>;
  /**
   * Reports that a holder is alive, takes back the leases of dead holders, and expires grants. Returns false
   * when the holder itself was considered dead: its leases are gone, and it must continue under another id.
   */
  heartbeat(holderId: string): Promise<boolean>;
  /**
   * Records whether settlements of a holder wait in a journal. If it dies while they do, the idempotency keys
   * it answered stay taken for a while.
   */
  noteJournal(holderId: string, hasJournal: boolean): Promise<void>;
  /** Returns everything lent to a holder that stops. */
  closeHolder(id: string): Promise<void>;
  /** Asks holders with idle leases on an account to return them. */
  recallLeases(accountId: string): Promise<void>;
  findBudget(id: string): Promise<BudgetSpending | undefined>;
  /** Increases a lease. Calls made close together share a commit, also with `recordRequest`. */
  takeLease(holderId: string, subject: LeaseSubject, requested: LeaseRequest): Promise<LeaseGrant>;
  /** Returns all or part of a lease; resolves with the amount returned. */
  returnLease(holderId: string, subject: LeaseSubject, amount: NanoUsd | "all"): Promise<NanoUsd>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const leaseMethods = {
  openHolder: true,
  heartbeat: true,
  noteJournal: true,
  closeHolder: true,
  recallLeases: true,
  findBudget: true,
} as const satisfies Record<Exclude<keyof LeasesStore, "takeLease" | "returnLease">, true>;

/**
 * A holder is considered dead this many milliseconds after its last heartbeat; the gateway stops borrowing
 * somewhat earlier. In this file, so that serving processes can use it without loading SQL.
 */
export const holderLifeMs = 45_000;
