/**
 * The reference model of the store: per account a list of credits and charges, summed from scratch on every
 * read. It records only external facts: credits, charges and acknowledgements to callers.
 */

/** Thrown when an invariant is violated. */
export class Violation extends Error {}

export function must(holds: boolean, what: () => string): asserts holds {
  if (!holds) throw new Violation(what());
}

interface Charge {
  readonly accountId: string;
  readonly budgetId: string | null;
  readonly charge: bigint;
  readonly loss: bigint;
}

/** One account in the store, for comparison with the model. */
export interface SeenAccount {
  readonly balance: bigint;
  readonly leased: bigint;
  /** Sum of its leases, computed from the leases. */
  readonly leases: bigint;
  /** Total charges. */
  readonly spent: bigint;
}

export interface NaiveModel {
  /** Money credited (positive) or debited. */
  credit(accountId: string, amount: bigint): void;
  /** Part of a credit that expires later, as far as it is unspent. */
  granted(accountId: string, grantId: number, amount: bigint, expiresAt: number): void;
  /** Expired part of a grant. */
  expired(accountId: string, grantId: number, amount: bigint): void;
  /** Remaining amount of a grant. */
  grantLeft(accountId: string, grantId: number): bigint;
  /** A committed request. Throws when it was committed before. */
  charged(requestId: string, charge: Charge): void;
  /** The caller was told that its request is settled. */
  acknowledged(requestId: string, accountId: string, charge: bigint): void;
  checkAccount(accountId: string, seen: SeenAccount): void;
  /** Amount spent in a budget's period. */
  budgetSpent(budgetId: string): bigint;
  totals(): {
    readonly credited: bigint;
    readonly charged: bigint;
    readonly lost: bigint;
    readonly acknowledged: number;
  };
}

interface Grant {
  readonly id: number;
  readonly expiresAt: number;
  left: bigint;
}

interface Account {
  readonly credits: bigint[];
  readonly charges: Charge[];
  readonly grants: Grant[];
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Spends the grants that expire first, then the oldest. */
function spend(grants: readonly Grant[], amount: bigint): void {
  for (let rest = amount; rest > 0n; ) {
    let first: Grant | undefined;
    for (const grant of grants) {
      if (grant.left > 0n && (first === undefined || grant.expiresAt < first.expiresAt)) first = grant;
    }
    if (first === undefined) return;
    const part = least(first.left, rest);
    first.left -= part;
    rest -= part;
  }
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

export function createNaiveModel(): NaiveModel {
  const accounts = new Map<string, Account>();
  const charges = new Map<string, Charge>();
  const budgets = new Map<string, Charge[]>();
  const told = new Set<string>();

  function accountOf(id: string): Account {
    let account = accounts.get(id);
    if (account === undefined) {
      account = { credits: [], charges: [], grants: [] };
      accounts.set(id, account);
    }
    return account;
  }

  return {
    credit: (accountId, amount) => void accountOf(accountId).credits.push(amount),
    granted: (accountId, id, left, expiresAt) =>
      void accountOf(accountId).grants.push({ id, left, expiresAt }),
    expired(accountId, grantId, amount) {
      const grant = accountOf(accountId).grants.find(({ id }) => id === grantId);
      if (grant !== undefined) grant.left -= amount;
    },
    grantLeft: (accountId, grantId) =>
      accountOf(accountId).grants.find(({ id }) => id === grantId)?.left ?? 0n,
    charged(requestId, charge) {
      must(!charges.has(requestId), () => `request ${requestId} is charged a second time`);
      must(
        charge.loss >= 0n && charge.loss <= charge.charge,
        () => `loss ${charge.loss} of charge ${charge.charge}`,
      );
      charges.set(requestId, charge);
      const { charges: charged, grants } = accountOf(charge.accountId);
      charged.push(charge);
      spend(grants, charge.charge - charge.loss);
      if (charge.budgetId === null) return;
      const ofBudget = budgets.get(charge.budgetId);
      if (ofBudget === undefined) budgets.set(charge.budgetId, [charge]);
      else ofBudget.push(charge);
    },
    acknowledged(requestId, accountId, charge) {
      const known = charges.get(requestId);
      must(known !== undefined, () => `request ${requestId} was acknowledged and is not on the ledger`);
      must(
        known.charge === charge && known.accountId === accountId,
        () => `request ${requestId} cost ${charge}, the ledger says ${known.charge}`,
      );
      told.add(requestId);
    },
    checkAccount(accountId, { balance, leased, leases, spent }) {
      const account = accountOf(accountId);
      const credited = sum(account.credits);
      let charged = 0n;
      let lost = 0n;
      for (const { charge, loss } of account.charges) {
        charged += charge;
        lost += loss;
      }
      must(
        balance === credited - charged + lost,
        () =>
          `${accountId}: balance ${balance}, but credits ${credited} - charges ${charged} + losses ${lost}`,
      );
      must(
        spent === charged - lost,
        () => `${accountId}: ${spent} spent, but the charges add up to ${charged - lost}`,
      );
      must(leased >= 0n && leased <= balance, () => `${accountId}: leased ${leased} of balance ${balance}`);
      must(leased === leases, () => `${accountId}: leased ${leased}, but the leases add up to ${leases}`);
    },
    budgetSpent(budgetId) {
      return sum((budgets.get(budgetId) ?? []).map(({ charge, loss }) => charge - loss));
    },
    totals() {
      const all = [...charges.values()];
      return {
        credited: sum([...accounts.values()].flatMap(({ credits }) => credits)),
        charged: sum(all.map(({ charge }) => charge)),
        lost: sum(all.map(({ loss }) => loss)),
        acknowledged: told.size,
      };
    },
  };
}
