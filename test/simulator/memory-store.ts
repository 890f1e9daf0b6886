/**
 * An in-memory store. Its transactions run the real `LedgerWorkspace` in the order of the real writers
 * (`store/sqlite/ledger-writer.ts`); its sweep, grants and constraints follow the database's. Operations are
 * atomic; `store-link.ts` simulates the network.
 */
import { useGrants } from "../../server/src/domain/money/grants.ts";
import type { LedgerBatch, LedgerReply, RowFault, TakeEntry } from "../../server/src/store/ledger/batch.ts";
import type { LeaseSubject } from "../../server/src/store/ledger/lease-shapes.ts";
import { holderLifeMs } from "../../server/src/store/ledger/lease-shapes.ts";
import {
  type LeaseState,
  type LedgerSource,
  LedgerWorkspace,
} from "../../server/src/store/ledger/workspace.ts";
import { at, type RequestValue, valuesPerRequest } from "../../server/src/store/requests/row.ts";
import { must, type NaiveModel } from "./naive-model.ts";

interface AccountRow {
  readonly id: string;
  balance: bigint;
  leased: bigint;
  spent: bigint;
  /** Part of `spent` that was deducted from grants. */
  allocated: bigint;
  isActive: boolean;
  grants: { entryId: number; remaining: bigint; expiresAt: number }[];
}

interface BudgetRow {
  readonly id: string;
  readonly keyId: string;
  spent: bigint;
  leased: bigint;
}

interface LeaseRow {
  readonly holderId: string;
  readonly kind: LeaseSubject["kind"];
  readonly subject: string;
  amount: bigint;
}

export interface MemoryStore {
  readonly accounts: ReadonlyMap<string, AccountRow>;
  /** Budget amount per key and period; null = no budget. */
  readonly budgetAmounts: Map<string, bigint | null>;
  leaseAmount(holderId: string, subjectId: string): bigint;
  /** Increases with every change of a lease. */
  readonly version: number;
  /** Sum leased to a holder. */
  lentTo(holderId: string): bigint;
  /** Sum leased to all other holders. */
  lentBeside(holderIds: ReadonlySet<string>): bigint;
  createAccount(id: string): void;
  /** Adds a top-up, refund or adjustment; returns false when it would take away leased money. */
  addEntry(accountId: string, amount: bigint, expiresAt?: number): boolean;
  setActive(accountId: string, isActive: boolean): void;
  commit(batch: LedgerBatch): LedgerReply;
  openHolder(id: string): void;
  heartbeat(id: string): boolean;
  closeHolder(id: string): void;
  /** Compares accounts and budgets changed since the last check with the model; `isAll`: all of them. */
  check(isAll: boolean): void;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const leaseKey = (holderId: string, subject: string): string => `${holderId}\n${subject}`;

/** `nowMs`: the database's clock, which may jump. */
export function createMemoryStore(model: NaiveModel, nowMs: () => number): MemoryStore {
  const accounts = new Map<string, AccountRow>();
  const budgets = new Map<string, BudgetRow>();
  const budgetAmounts = new Map<string, bigint | null>();
  const holders = new Map<string, number>();
  const leases = new Map<string, LeaseRow>();
  const requests = new Set<string>();
  const touched = new Set<string>();
  let entryIds = 0;
  let version = 0;

  const source = (startedMs: number): LedgerSource => ({
    account: (id) => accounts.get(id),
    lease: (holderId, _kind, subject) => leases.get(leaseKey(holderId, subject))?.amount,
    budget: (id) => budgets.get(id),
    budgetAmount: (keyId) => budgetAmounts.get(keyId) ?? null,
    isAlive: (holderId) => (holders.get(holderId) ?? Number.NEGATIVE_INFINITY) > startedMs,
  });

  function writeRequest(workspace: LedgerWorkspace, values: readonly RequestValue[], offset: number): void {
    const plan = workspace.settle(values, offset);
    const id = values[offset + at.id] as string;
    if (requests.has(id)) return;
    requests.add(id);
    plan.apply();
    const accountId = values[offset + at.accountId] as string;
    const budgetId = values[offset + at.budgetId] as string | null;
    const charge = values[offset + at.charge] as bigint;
    if (charge !== 0n) workspace.enter(accountId, plan.loss - charge);
    model.charged(id, { accountId, budgetId, charge, loss: plan.loss });
    touched.add(accountId);
    const funds = workspace.accounts.get(accountId)?.funds;
    must(
      plan.loss === 0n || funds?.balance === funds?.leased,
      () => `${id}: ${plan.loss} lost of ${charge} while ${funds?.balance} - ${funds?.leased} was available`,
    );
  }

  function writeLease(lease: LeaseState): void {
    version++;
    const key = leaseKey(lease.holderId, lease.subject);
    must(lease.amount >= 0n, () => `lease ${key} of ${lease.amount}`);
    if (lease.isGone) {
      leases.delete(key);
      return;
    }
    must(holders.has(lease.holderId), () => `lease ${key} of a holder that is not there`);
    must(
      lease.isStored === leases.has(key),
      () => `lease ${key}: to be ${lease.isStored ? "changed" : "added"}`,
    );
    const { holderId, kind, subject, amount } = lease;
    leases.set(key, { holderId, kind, subject, amount });
  }

  function writeBack(workspace: LedgerWorkspace): void {
    for (const lease of workspace.leases.values()) if (lease.isChanged) writeLease(lease);
    for (const { id, funds, isChanged } of workspace.accounts.values()) {
      const row = accounts.get(id);
      if (!isChanged || row === undefined) continue;
      row.balance = funds.balance;
      row.leased = funds.leased;
      row.spent = funds.spent;
      touched.add(id);
    }
    for (const { id, keyId, funds, isChanged } of workspace.budgets.values()) {
      if (!isChanged) continue;
      budgets.set(id, { id, keyId, spent: funds.spent, leased: funds.leased });
      touched.add(id);
    }
  }

  /** Checks that leases are taken by unexpired holders only, from active accounts and within budgets. */
  function checkTake({ holderId, subject }: TakeEntry): void {
    must((holders.get(holderId) ?? 0) > nowMs(), () => `${subject.id}: lent to ${holderId}, which expired`);
    if (subject.kind === "account") {
      must(
        accounts.get(subject.id)?.isActive === true,
        () => `${subject.id} is suspended, and lent all the same`,
      );
      return;
    }
    const amount = budgetAmounts.get(subject.ownerId) ?? 0n;
    const { spent, leased } = budgets.get(subject.id) ?? { spent: 0n, leased: 0n };
    must(spent + leased <= amount, () => `${subject.id}: ${spent} spent and ${leased} lent of ${amount}`);
  }

  /** Deducts what was spent since the last call from the grants that expire first. */
  function allocate(account: AccountRow): void {
    account.grants = useGrants(account.grants, account.spent - account.allocated).filter(
      (g) => g.remaining > 0n,
    );
    account.allocated = account.spent;
  }

  function expireGrants(account: AccountRow, startedMs: number): void {
    if (!account.grants.some(({ expiresAt }) => expiresAt <= startedMs)) return;
    allocate(account);
    for (const grant of account.grants) {
      const left = model.grantLeft(account.id, grant.entryId);
      must(
        grant.remaining === left,
        () => `${account.id}: ${grant.remaining} of a grant unused, should be ${left}`,
      );
      if (grant.expiresAt > startedMs) continue;
      const free = account.balance - account.leased;
      const amount = least(grant.remaining, free);
      if (amount <= 0n) break;
      grant.remaining -= amount;
      account.balance -= amount;
      model.credit(account.id, -amount);
      model.expired(account.id, grant.entryId, amount);
      touched.add(account.id);
    }
  }

  function returnAll(holderId: string): void {
    for (const [key, lease] of leases) {
      if (lease.holderId !== holderId) continue;
      const pot = lease.kind === "account" ? accounts.get(lease.subject) : budgets.get(lease.subject);
      if (pot !== undefined) pot.leased -= lease.amount;
      touched.add(lease.subject);
      leases.delete(key);
      version++;
    }
    holders.delete(holderId);
  }

  function leasesOn(subject: string): bigint {
    let sum = 0n;
    for (const lease of leases.values()) if (lease.subject === subject) sum += lease.amount;
    return sum;
  }

  function checkOne(id: string): void {
    const account = accounts.get(id);
    const budget = budgets.get(id);
    if (account !== undefined) model.checkAccount(id, { ...account, leases: leasesOn(id) });
    if (budget === undefined) return;
    const seen = leasesOn(id);
    must(budget.leased === seen, () => `${id}: leased ${budget.leased}, but the leases add up to ${seen}`);
    const spent = model.budgetSpent(id);
    must(budget.spent === spent, () => `${id}: spent ${budget.spent}, but its requests add up to ${spent}`);
  }

  return {
    accounts,
    budgetAmounts,
    get version() {
      return version;
    },
    leaseAmount: (holderId, subjectId) => leases.get(leaseKey(holderId, subjectId))?.amount ?? 0n,
    lentTo(holderId) {
      let sum = 0n;
      for (const lease of leases.values()) if (lease.holderId === holderId) sum += lease.amount;
      return sum;
    },
    lentBeside(holderIds) {
      let sum = 0n;
      for (const lease of leases.values()) if (!holderIds.has(lease.holderId)) sum += lease.amount;
      return sum;
    },
    createAccount(id) {
      accounts.set(id, { id, balance: 0n, leased: 0n, spent: 0n, allocated: 0n, isActive: true, grants: [] });
    },
    addEntry(accountId, amount, expiresAt) {
      const account = accounts.get(accountId) as AccountRow;
      if (amount < 0n && account.balance - account.leased + amount < 0n) return false;
      if (expiresAt !== undefined) {
        allocate(account);
        model.granted(accountId, entryIds, amount, expiresAt);
        account.grants.push({ entryId: entryIds++, remaining: amount, expiresAt });
      }
      account.balance += amount;
      model.credit(accountId, amount);
      touched.add(accountId);
      return true;
    },
    setActive(accountId, isActive) {
      (accounts.get(accountId) as AccountRow).isActive = isActive;
    },
    commit(batch) {
      const workspace = new LedgerWorkspace(source(nowMs()));
      const faults: RowFault[] = [];
      for (let offset = 0; offset < batch.values.length; offset += valuesPerRequest) {
        writeRequest(workspace, batch.values, offset);
      }
      const returned = batch.returns.map((entry) => workspace.giveBack(entry));
      const grants = batch.takes.map((entry) => workspace.take(entry));
      workspace.verify();
      writeBack(workspace);
      batch.takes.forEach((entry, index) => {
        if (grants[index]?.status === "granted") checkTake(entry);
      });
      return { faults, returned, grants };
    },
    openHolder(id) {
      must(!holders.has(id), () => `holder ${id} is opened twice`);
      holders.set(id, nowMs() + holderLifeMs);
    },
    heartbeat(id) {
      const startedMs = nowMs();
      const isAlive = (holders.get(id) ?? Number.NEGATIVE_INFINITY) > startedMs;
      if (isAlive) holders.set(id, startedMs + holderLifeMs);
      for (const [other, expiresAt] of holders) if (expiresAt <= startedMs) returnAll(other);
      for (const account of accounts.values()) expireGrants(account, startedMs);
      return isAlive;
    },
    closeHolder: returnAll,
    check(isAll) {
      if (isAll) for (const id of [...accounts.keys(), ...budgets.keys()]) touched.add(id);
      for (const id of touched) checkOne(id);
      touched.clear();
    },
  };
}
