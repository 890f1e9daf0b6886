/**
 * One process's side of a lease: what it was lent, what running requests hold of it, and how much to
 * ask for or give back. Pure and small; who asks the store, and when, is
 * `gateway/money/lease-pool.ts`. All amounts are NanoUsd.
 */
import { invariant } from "../../lib/invariant.ts";
import type { LeaseRequest, Payment } from "./ledger.ts";

/** Lent and held amounts; 0 ≤ held ≤ amount but for moments in which a charge exceeds its hold. */
export interface Lease {
  amount: bigint;
  held: bigint;
}

/** What one request sets aside. */
export interface HoldRequest {
  /** The most it may cost. */
  readonly amount: bigint;
  /** What it takes to be worth calling the upstream at all; ≤ amount. */
  readonly atLeast: bigint;
}

/** Holds a lease asks for ahead of need; doubled while it runs out within a second. */
export const aheadMin = 4n;
export const aheadMax = 1_024n;

/** A pot with less than this many holds left is scarce: nothing is kept that is not held. */
const scarceHolds = 8n;

export function free(lease: Lease): bigint {
  return lease.amount > lease.held ? lease.amount - lease.held : 0n;
}

/** Sets aside as much of what is requested as the lease has; undefined when that is less than of use. */
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

/** What to ask the store for, so that the waiting holds (first come first) find room. */
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

/** True when the pot is so low that idle parts must return immediately. `unit` is the size of one hold. */
export function isScarce(available: bigint, unit: bigint): boolean {
  return available < scarceHolds * unit;
}

/**
 * Ends a hold with a charge, which may be more than was held: then the free part of the lease pays, and the
 * store finds the rest. In scarce times everything free goes back with the same commit.
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
