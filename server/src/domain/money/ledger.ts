/**
 * The rules of money as pure functions on a few numbers: lending part of a pot to a process, paying a charge
 * from it, returning what was not used. Both stores run them inside their transactions; the seeded simulator
 * runs them without a store. No SQL, no clock.
 *
 * Invariants (each also a database constraint): 0 ≤ leased ≤ total; leased = Σ leases; total never falls
 * below 0.
 */

/**
 * A shared amount that processes borrow from: an account's balance, or the rest of a key's budget. Always
 * NanoUsd.
 */
export interface Pot {
  /** The total, including lent parts. */
  readonly total: bigint;
  /** Sum of the leases on it. */
  readonly leased: bigint;
}

/** A process's request when its lease does not cover a hold. */
export interface LeaseRequest {
  /** Refuse if less than this is available. */
  readonly atLeast: bigint;
  /** The amount that waiting holds lack. */
  readonly need: bigint;
  /** The preferred amount, in advance of need; ≥ need. */
  readonly want: bigint;
  /**
   * Size of one hold. Lending beyond `need` is in whole multiples, so that no small remainders lie idle in
   * several processes.
   */
  readonly unit: bigint;
}

/** How one request is paid for. */
export interface Payment {
  /** What the request costs the account. */
  readonly charge: bigint;
  /** The part of the charge taken from the lease; the rest must come from the balance that is not lent. */
  readonly fromLease: bigint;
  /** The amount the process returns from its lease at the same time. */
  readonly release: bigint;
}

export interface Paid {
  readonly pot: Pot;
  /** The remaining lease. */
  readonly lease: bigint;
  /** The part of the charge that neither lease nor pot could pay; the operator bears it. */
  readonly loss: bigint;
}

/**
 * A lease may take at most this fraction of what is available beyond its need, so that other processes get a
 * share.
 */
const lendingShare = 8n;

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const notNegative = (a: bigint): bigint => (a > 0n ? a : 0n);

/** What can still be lent. */
export function available(pot: Pot): bigint {
  return pot.total - pot.leased;
}

/**
 * How much to lend: `need`, plus whole units in advance while there is plenty; everything when that is less
 * than `need` but at least `atLeast`; otherwise nothing.
 */
export function lendable(pot: Pot, requested: LeaseRequest): bigint {
  const free = notNegative(available(pot));
  if (free < requested.need) return free >= requested.atLeast ? free : 0n;
  const ahead = least(requested.want, free / lendingShare) - requested.need;
  return ahead > 0n && requested.unit > 0n
    ? requested.need + (ahead / requested.unit) * requested.unit
    : requested.need;
}

/** Lends `amount`, which must be available. */
export function lend(pot: Pot, amount: bigint): Pot {
  return { total: pot.total, leased: pot.leased + amount };
}

/** Moves up to `amount` from a lease back to the pot. */
export function giveBack(pot: Pot, lease: bigint, amount: bigint): { pot: Pot; lease: bigint } {
  const returned = least(amount, lease);
  return { pot: { total: pot.total, leased: pot.leased - returned }, lease: lease - returned };
}

/**
 * Pays a charge. `lease`: the process's lease in the database, or 0 if it expired, and then the whole charge
 * comes from the available amount. The pot never falls below zero: what is not covered is the operator's
 * loss.
 */
export function pay(pot: Pot, lease: bigint, payment: Payment): Paid {
  const fromLease = least(least(payment.fromLease, payment.charge), lease);
  const rest = payment.charge - fromLease;
  const fromPot = least(rest, notNegative(available(pot)));
  const release = least(payment.release, lease - fromLease);
  return {
    pot: { total: pot.total - fromLease - fromPot, leased: pot.leased - fromLease - release },
    lease: lease - fromLease - release,
    loss: rest - fromPot,
  };
}
