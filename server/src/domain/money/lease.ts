/**
 * One process's side of a lease: the amount lent to it, the holds of running requests, and how much to borrow
 * or return. Pure. `gateway/money/lease-pool.ts` calls the store. All amounts are NanoUsd.
 */
import { invariant } from "../../lib/invariant.ts";
import type { LeaseRequest, Payment } from "./ledger.ts";

/** Lent and held amounts; 0 ≤ held ≤ amount, except briefly when a charge exceeds its hold. */
export interface Lease {
  amount: bigint;
  held: bigint;
}

/** The hold one request needs. */
export interface HoldRequest {
  /** The most it may cost. */
  readonly amount: bigint;
  /** The least that makes calling the upstream worthwhile; ≤ amount. */
  readonly atLeast: bigint;
}

/** Holds a lease borrows in advance; doubled while it is used up within a second. */
export const aheadMin = 4n;
export const aheadMax = 1_024n;

/** With room for fewer holds than this a pot is scarce, and only held amounts are kept. */
const scarceHolds = 8n;

export function free(lease: Lease): bigint {
  return lease.amount > lease.held ? lease.amount - lease.held : 0n;
}

/** Holds as much of the request as the lease has; undefined when that is less than `atLeast`. */
export function place(lease: Lease, requested: HoldRequest, takesLess: boolean): bigint | undefined {
  const there = free(lease);
  if (there >= requested.amount) {
    lease.held += requested.amount;
    return requested.amount;
  }
  if (!takesLess || there < requested.atLeast) return undefined;
  lease.held += there;
  return there;
}

/** What to borrow so that the waiting holds, in order of arrival, fit. */
export function leaseRequestFor(lease: Lease, waiting: readonly HoldRequest[], ahead: bigint): LeaseRequest {
  const there = free(lease);
  const first = waiting[0] ?? { amount: 0n, atLeast: 0n };
  const sum = waiting.reduce((total, { amount }) => total + amount, 0n);
  const shortOf = (amount: bigint) => (amount > there ? amount - there : 0n);
  return {
    atLeast: shortOf(first.atLeast),
    need: shortOf(sum),
    want: shortOf(sum) + ahead * first.amount,
    unit: first.amount,
  };
}

/** True when the pot is so low that idle amounts must be returned at once. `unit`: the size of one hold. */
export function isScarce(available: bigint, unit: bigint): boolean {
  return available < scarceHolds * unit;
}

/**
 * Ends a hold with a charge. A charge above the hold is paid from the free part of the lease, and the store
 * finds the rest. In scarcity everything free is returned in the same commit.
 */
export function endHold(lease: Lease, held: bigint, charge: bigint, isScarceNow: boolean): Payment {
  invariant(charge >= 0n, "a charge is never negative");
  invariant(held >= 0n && held <= lease.held, "no more is ended than is held");
  lease.held -= held;
  const there = free(lease);
  const fromLease = charge < there ? charge : there;
  lease.amount -= fromLease;
  const release = isScarceNow ? free(lease) : 0n;
  lease.amount -= release;
  invariant(lease.amount >= 0n && fromLease >= 0n && release >= 0n, "no part of a lease is negative");
  return { charge, fromLease, release };
}
