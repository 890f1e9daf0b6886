/**
 * The rules of money, as pure functions over a few numbers: lending a part of a pot to a process, paying a
 * charge out of it, giving back what was not used. Both stores run these same functions inside their
 * transactions; the seeded simulator runs them without any store. They know no SQL, no clock and no request.
 *
 * Invariants (each also a database constraint): 0 ≤ leased ≤ total; leased =
 * Σ leases; total never falls below 0.
 */

/**
 * A shared amount that processes borrow from: an account's balance, or what is left
 * of a key's budget. NanoUsd throughout.
 */
export interface Pot {
  /** What there is, lent parts included. */
  readonly total: bigint;
  /** Sum of the leases on it. */
  readonly leased: bigint;
}

/** What a process asks for when its lease does not cover a hold. */
export interface LeaseRequest {
  /** Less than this is of no use: refuse. */
  readonly atLeast: bigint;
  /** What the waiting holds are short of. */
  readonly need: bigint;
  /** What the process would like, looking ahead; ≥ need. */
  readonly want: bigint;
  /**
   * Size of one hold: lending beyond `need` comes in whole multiples, so that
   * no crumbs lie idle in two processes.
   */
  readonly unit: bigint;
}

/** How one request is paid for. */
export interface Payment {
  /** What the request costs the account. */
  readonly charge: bigint;
  /**
   * How much of the charge the process takes out of its lease; the rest must come from the unleased balance.
   */
  readonly fromLease: bigint;
  /** What the process gives back of its lease at the same time. */
  readonly release: bigint;
}

export interface Paid {
  readonly pot: Pot;
  /** What is left of the lease. */
  readonly lease: bigint;
  /** Part of the charge that neither the lease nor the pot could pay: the operator bears it. */
  readonly loss: bigint;
}

/**
 * One lease may take at most this fraction of what is available beyond its
 * need, so that others get their share.
 */
const lendingShare = 8n;

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const notNegative = (a: bigint): bigint => (a > 0n ? a : 0n);

/** What may still be lent. */
export function available(pot: Pot): bigint {
  return pot.total - pot.leased;
}

/**
 * How much to lend: `need`, plus whole units ahead of it while there is plenty; all there is when that is
 * less than `need` but still of use; otherwise nothing.
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

/** Takes up to `amount` of a lease back into the pot. */
export function giveBack(pot: Pot, lease: bigint, amount: bigint): { pot: Pot; lease: bigint } {
  const returned = least(amount, lease);
  return { pot: { total: pot.total, leased: pot.leased - returned }, lease: lease - returned };
}

/**
 * Pays a charge. `lease` is what the database knows of the process's lease: 0 when it expired
 * meanwhile, and then the whole charge comes from what is available. The pot never falls below zero:
 * what is not covered is the operator's loss.
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
