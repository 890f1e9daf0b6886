/** Leases: what a serving process borrows of an account's balance or a key's budget. Types only. */
import type { NanoUsd } from "@plaza/contract/money.ts";

/** What is lent: a part of an account's balance, or of what is left of a key's budget (`domain/money/budget.ts` makes the id). */
export interface LeaseSubject {
  readonly kind: "account" | "budget";
  readonly id: string;
  /** The account; for a budget the key. */
  readonly ownerId: string;
}

/** Answer to a wish for a larger lease. */
export interface LeaseGrant {
  /**
   * `granted`: the lease grew by `amount`. `short`: too little is available. `fenced`: this holder has expired and may
   * lend nothing any more. `suspended`: the account is suspended or closed.
   */
  readonly status: "granted" | "short" | "fenced" | "suspended";
  readonly amount: NanoUsd;
  /** What is left to lend afterwards. */
  readonly available: NanoUsd;
  /** What other holders have borrowed. */
  readonly lentElsewhere: NanoUsd;
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
