/**
 * Leases: what a serving process borrows of an account's balance or a
 * key's budget. Types, and lists of names.
 */

import type { NanoUsd } from "@plaza/contract/money.ts";
import type { LeaseRequest } from "../../domain/money/ledger.ts";

/**
 * What is lent: a part of an account's balance, or of what is left of a key's budget
 * (`domain/money/budget.ts` makes the id).
 */
export interface LeaseSubject {
  readonly kind: "account" | "budget";
  readonly id: string;
  /** The account; for a budget the key. */
  readonly ownerId: string;
}

/** Answer to a request for a larger lease. */
export interface LeaseGrant {
  /**
   * `granted`: the lease grew by `amount`. `short`: too little is available. `fenced`: this holder has
   * expired and may lend nothing any more. `suspended`: the account is suspended or closed.
   */
  readonly status: "granted" | "short" | "fenced" | "suspended";
  readonly amount: NanoUsd;
  /** What is left to lend afterwards. */
  readonly available: NanoUsd;
  /** What other holders have borrowed. */
  readonly lentToOthers: NanoUsd;
}

/** What one request does to a lease (`domain/money/ledger.ts`). */
export interface LeasePart {
  readonly fromLease: NanoUsd;
  readonly release: NanoUsd;
}

/** What a budget's period has seen. */
export interface BudgetSpending {
  readonly spent: NanoUsd;
  readonly leased: NanoUsd;
}

/** What a serving process asks of leases and of itself as their holder. */
export interface LeasesStore {
  /** Registers a serving process; leases are lent to it until its heartbeats stop. */
  openHolder(id: string): Promise<void>;
  /**
   * Says that a holder lives, takes back the leases of those that do not, and expires grants. False: it was
   * thought dead itself and its leases are gone; it must go on under another id.
   */
  heartbeat(holderId: string): Promise<boolean>;
  /**
   * Notes whether settlements of a holder wait in a journal. While it is noted and the holder dies, the keys
   * it answered stay taken for a while.
   */
  noteJournal(holderId: string, hasJournal: boolean): Promise<void>;
  /** Gives back everything lent to a holder that stops. */
  closeHolder(id: string): Promise<void>;
  /** Asks the holders of idle leases on an account to give them back. */
  recallLeases(accountId: string): Promise<void>;
  findBudget(id: string): Promise<BudgetSpending | undefined>;
  /** Grows a lease. Calls made close together share one commit, also with `recordRequest`. */
  takeLease(holderId: string, subject: LeaseSubject, requested: LeaseRequest): Promise<LeaseGrant>;
  /** Gives back a part of a lease, or all of it; resolves with what went back. */
  returnLease(holderId: string, subject: LeaseSubject, amount: NanoUsd | "all"): Promise<NanoUsd>;
}

/** Its methods that are handed to the storage thread as they are (`create-store.ts`). */
export const leaseMethods = {
  openHolder: true,
  heartbeat: true,
  noteJournal: true,
  closeHolder: true,
  recallLeases: true,
  findBudget: true,
} as const satisfies Record<Exclude<keyof LeasesStore, "takeLease" | "returnLease">, true>;

/**
 * How long after its last heartbeat a holder is thought dead, in milliseconds. The gateway stops lending
 * somewhat earlier. Apart from `holders.ts`, so that serving processes know it without loading any SQL.
 */
export const holderLifeMs = 45_000;
