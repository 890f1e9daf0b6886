/**
 * The plain truth the store is compared with: per account a list of credits and charges, added up from scratch whenever
 * asked. It knows the outside only: what was paid in, what was charged, and what callers were told.
 */

/** Thrown when something that must hold does not. */
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

/** What the model compares itself with: one account as the store sees it. */
export interface SeenAccount {
  readonly balance: bigint;
  readonly leased: bigint;
  /** Sum of the leases on it, added up from the leases. */
  readonly leases: bigint;
}

export interface NaiveModel {
  /** Money that came in (positive) or was taken away. */
  credit(accountId: string, amount: bigint): void;
  /** A request that was committed. Throws when it was before. */
  charged(requestId: string, charge: Charge): void;
  /** A caller was told that its request is settled. */
  acknowledged(requestId: string, accountId: string, charge: bigint): void;
  checkAccount(accountId: string, seen: SeenAccount): void;
  /** What a budget's period has seen. */
  budgetSpent(budgetId: string): bigint;
  totals(): { readonly credited: bigint; readonly charged: bigint; readonly lost: bigint; readonly acknowledged: number };
}

interface Account {
  readonly credits: bigint[];
  readonly charges: Charge[];
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
      account = { credits: [], charges: [] };
      accounts.set(id, account);
    }
    return account;
  }

  return {
    credit: (accountId, amount) => void accountOf(accountId).credits.push(amount),
    charged(requestId, charge) {
      must(!charges.has(requestId), () => `request ${requestId} is charged a second time`);
      must(charge.loss >= 0n && charge.loss <= charge.charge, () => `loss ${charge.loss} of charge ${charge.charge}`);
      charges.set(requestId, charge);
      accountOf(charge.accountId).charges.push(charge);
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
    checkAccount(accountId, { balance, leased, leases }) {
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
        () => `${accountId}: balance ${balance}, but credits ${credited} - charges ${charged} + losses ${lost}`,
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
