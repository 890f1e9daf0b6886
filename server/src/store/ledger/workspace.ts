/**
 * What one batch reads and changes of accounts, leases and budgets, held in memory during its transaction.
 * Both dialects use it: they supply the rows (`LedgerSource`) and write back the changes.
 * `domain/money/ledger.ts` has the rules.
 */
import { type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import { storedMax } from "../../domain/money/cost.ts";
import {
  available,
  giveBack,
  least,
  lend,
  lendable,
  type Paid,
  type Pot,
  pay,
} from "../../domain/money/ledger.ts";
import { invariant } from "../../lib/invariant.ts";
import { at, type RequestValue } from "../requests/row.ts";
import type { ReturnEntry, TakeEntry } from "./batch.ts";
import type { LeaseGrant, LeaseSubject } from "./lease-shapes.ts";

/** The columns of an account's row used here. */
export interface AccountFunds {
  readonly balance: bigint;
  readonly leased: bigint;
  readonly spent: bigint;
  /** True when it is neither suspended nor closed. */
  readonly isActive: boolean;
}

export interface BudgetFunds {
  readonly spent: bigint;
  readonly leased: bigint;
}

/** Rows as the transaction sees them, locked where the dialect needs it. Each is read once. */
export interface LedgerSource {
  account(id: string): AccountFunds | undefined;
  /** Amount of a lease; undefined when the holder has none there. */
  lease(holderId: string, kind: LeaseSubject["kind"], subject: string): bigint | undefined;
  budget(id: string): BudgetFunds | undefined;
  /** The key's budget for a period; null when it has none. */
  budgetAmount(keyId: string): bigint | null;
  /** True when the holder is registered and not expired. */
  isAlive(holderId: string): boolean;
}

export interface LeaseState {
  readonly holderId: string;
  readonly kind: LeaseSubject["kind"];
  readonly subject: string;
  amount: bigint;
  /** Its amount before this batch. */
  readonly before: bigint;
  /** True when the row existed before this batch. */
  readonly isStored: boolean;
  isChanged: boolean;
  /** True when it was returned completely and its row must be deleted. */
  isGone: boolean;
}

interface AccountState {
  readonly id: string;
  funds: AccountFunds;
  /** Its row before this batch. */
  readonly before: AccountFunds;
  /** Sum of the ledger entries this batch wrote. */
  entered: bigint;
  /** Growth of its leases in this batch; checked by `verify`. */
  lent: bigint;
  isChanged: boolean;
}

interface BudgetState {
  readonly id: string;
  keyId: string;
  funds: BudgetFunds;
  readonly before: BudgetFunds;
  /** Growth of its leases in this batch; checked by `verify`. */
  lent: bigint;
  readonly isStored: boolean;
  isChanged: boolean;
}

/**
 * The planned effects of one request. `apply` performs them, and must be called before the next request is
 * planned.
 */
export interface SettlementPlan {
  readonly charge: bigint;
  readonly loss: bigint;
  apply(): void;
}

const leaseParts = [at.accountFromLease, at.accountRelease, at.budgetFromLease, at.budgetRelease];

const nothing: SettlementPlan = { charge: 0n, loss: 0n, apply: () => {} };

const amountAt = (values: readonly RequestValue[], index: number): bigint => (values[index] as bigint) ?? 0n;

export class LedgerWorkspace {
  readonly accounts = new Map<string, AccountState>();
  readonly leases = new Map<string, LeaseState>();
  readonly budgets = new Map<string, BudgetState>();
  readonly #source: LedgerSource;
  readonly #alive = new Map<string, boolean>();
  readonly #settled = new Set<string>();

  constructor(source: LedgerSource) {
    this.#source = source;
  }

  /**
   * Plans the settlement of the request whose values begin at `offset`. Throws RangeError when its account
   * does not exist or it would take a negative amount from a lease, and BrokenInvariant when the amounts
   * would not add up. `isForOperator`: the account does not pay; its lease gets back what was taken, and the
   * whole charge is the operator's loss.
   */
  settle(values: readonly RequestValue[], offset: number, isForOperator = false): SettlementPlan {
    const charge = amountAt(values, offset + at.charge);
    const holderId = values[offset + at.holderId] as string | null;
    if (holderId === null && charge === 0n) return nothing;
    const requestId = values[offset + at.id] as string;
    for (const index of leaseParts) {
      if (amountAt(values, offset + index) < 0n) throw new RangeError("a part of a lease cannot be negative");
    }
    const accountId = values[offset + at.accountId] as string;
    const account = this.#account(accountId);
    if (account === undefined) throw noAccount(accountId);
    const lease = this.#lease(holderId ?? "", "account", accountId);
    const fromLease = amountAt(values, offset + at.accountFromLease);
    const release = amountAt(values, offset + at.accountRelease);
    const paid = isForOperator
      ? pay(potOf(account.funds), lease.amount, { charge: 0n, fromLease: 0n, release: release + fromLease })
      : pay(potOf(account.funds), lease.amount, { charge, fromLease, release });
    const loss = isForOperator ? charge : paid.loss;
    requireSound(account.funds, lease.amount, paid, charge, loss, requestId);
    const applyBudget = this.#planBudget(values, offset, charge - loss);
    return {
      charge,
      loss,
      apply: () => {
        invariant(!this.#settled.has(requestId), "a request is settled once in a batch", requestId);
        this.#settled.add(requestId);
        account.funds = {
          balance: paid.pot.total,
          leased: paid.pot.leased,
          spent: account.funds.spent + charge - loss,
          isActive: account.funds.isActive,
        };
        account.isChanged = true;
        setLease(lease, paid.lease);
        applyBudget?.();
      },
    };
  }

  /** Throws RangeError when the account does not exist. */
  requireAccount(id: string): void {
    if (this.#account(id) === undefined) throw noAccount(id);
  }

  /** Counts an entry that was written to an account's ledger. */
  enter(accountId: string, amount: bigint): void {
    const account = this.#account(accountId);
    if (account === undefined) throw noAccount(accountId);
    account.entered += amount;
  }

  /**
   * Checks the whole batch before anything is written back: balances changed by the entries written, and lent
   * amounts by the changes of leases. Throws BrokenInvariant.
   */
  verify(): void {
    for (const { kind, subject, amount, before, isGone } of this.leases.values()) {
      invariant(
        amount >= 0n && (!isGone || amount === 0n),
        "a lease is never negative, and one that goes is empty",
        subject,
      );
      const pot = kind === "account" ? this.accounts.get(subject) : this.budgets.get(subject);
      if (pot !== undefined) pot.lent += amount - before;
    }
    for (const { id, funds, before, entered, lent } of this.accounts.values()) {
      invariant(funds.balance - before.balance === entered, "a balance moves by its ledger entries", id);
      invariant(
        funds.leased - before.leased === lent,
        "what is lent of an account is the sum of its leases",
        id,
      );
    }
    for (const { id, funds, before, lent } of this.budgets.values()) {
      invariant(
        funds.leased - before.leased === lent,
        "what is lent of a budget is the sum of its leases",
        id,
      );
    }
  }

  /** Counts everything spent in the budget, including what exceeds it. */
  #planBudget(values: readonly RequestValue[], offset: number, spent: bigint): (() => void) | undefined {
    const id = values[offset + at.budgetId] as string | null;
    if (id === null) return undefined;
    const keyId = values[offset + at.keyId] as string;
    const budget = this.#budget(id, keyId);
    // A key without a budget has nothing to count.
    if (!budget.isStored && this.#source.budgetAmount(keyId) === null) return undefined;
    const lease = this.#lease((values[offset + at.holderId] as string | null) ?? "", "budget", id);
    const wanted =
      amountAt(values, offset + at.budgetFromLease) + amountAt(values, offset + at.budgetRelease);
    const after = giveBack({ total: 0n, leased: budget.funds.leased }, lease.amount, wanted);
    return () => {
      budget.funds = { spent: least(budget.funds.spent + spent, storedMax), leased: after.pot.leased };
      budget.isChanged = true;
      setLease(lease, after.lease);
    };
  }

  /** Returns all or part of a lease; returns the amount. */
  giveBack({ holderId, subject, amount }: ReturnEntry): NanoUsd {
    const lease = this.#lease(holderId, subject.kind, subject.id);
    const before = lease.amount;
    const pot = this.#pot(subject);
    if (pot === undefined) return nanoUsd(0n);
    const after = giveBack(pot, before, amount === "all" ? before : amount > 0n ? amount : 0n);
    if (after.lease !== before) this.#setPot(subject, after.pot);
    setLease(lease, after.lease);
    if (amount === "all") {
      lease.isGone = true;
      lease.isChanged = true;
    }
    return nanoUsd(before - after.lease);
  }

  take({ holderId, subject, requested }: TakeEntry): LeaseGrant {
    const refusal = this.#refusal(holderId, subject);
    if (refusal !== undefined) {
      return { status: refusal, amount: nanoUsd(0n), available: nanoUsd(0n), lentToOthers: nanoUsd(0n) };
    }
    const lease = this.#lease(holderId, subject.kind, subject.id);
    const pot = this.#pot(subject) ?? { total: 0n, leased: 0n };
    const amount = lendable(pot, requested);
    invariant(
      amount >= 0n && (amount === 0n || amount <= available(pot)),
      "only what is available is lent",
      subject.id,
    );
    const after = lend(pot, amount);
    if (amount > 0n) {
      this.#setPot(subject, after);
      setLease(lease, lease.amount + amount);
      lease.isGone = false;
    }
    return {
      status: amount > 0n ? "granted" : "short",
      amount: nanoUsd(amount),
      available: nanoUsd(available(after)),
      lentToOthers: nanoUsd(after.leased - lease.amount),
    };
  }

  #refusal(holderId: string, subject: LeaseSubject): "fenced" | "suspended" | undefined {
    let isAlive = this.#alive.get(holderId);
    if (isAlive === undefined) {
      isAlive = this.#source.isAlive(holderId);
      this.#alive.set(holderId, isAlive);
    }
    if (!isAlive) return "fenced";
    if (subject.kind === "budget") return undefined;
    return this.#account(subject.id)?.funds.isActive === true ? undefined : "suspended";
  }

  #pot(subject: LeaseSubject): Pot | undefined {
    if (subject.kind === "account") {
      const account = this.#account(subject.id);
      return account && potOf(account.funds);
    }
    const { funds } = this.#budget(subject.id, subject.ownerId);
    const amount = this.#source.budgetAmount(subject.ownerId);
    return { total: (amount ?? 0n) - funds.spent, leased: funds.leased };
  }

  #setPot(subject: LeaseSubject, pot: Pot): void {
    const state =
      subject.kind === "account" ? this.#account(subject.id) : this.#budget(subject.id, subject.ownerId);
    if (state === undefined) return;
    // Lending and returning change only the lent part.
    state.funds = { ...state.funds, leased: pot.leased } as AccountFunds;
    state.isChanged = true;
  }

  #account(id: string): AccountState | undefined {
    const known = this.accounts.get(id);
    if (known !== undefined) return known;
    const funds = this.#source.account(id);
    if (funds === undefined) return undefined;
    const state: AccountState = { id, funds, before: funds, entered: 0n, lent: 0n, isChanged: false };
    this.accounts.set(id, state);
    return state;
  }

  #lease(holderId: string, kind: LeaseSubject["kind"], subject: string): LeaseState {
    const key = `${holderId}\n${kind}\n${subject}`;
    let state = this.leases.get(key);
    if (state === undefined) {
      const stored = this.#source.lease(holderId, kind, subject);
      state = {
        holderId,
        kind,
        subject,
        amount: stored ?? 0n,
        before: stored ?? 0n,
        isStored: stored !== undefined,
        isChanged: false,
        isGone: false,
      };
      this.leases.set(key, state);
    }
    return state;
  }

  #budget(id: string, keyId: string): BudgetState {
    let state = this.budgets.get(id);
    if (state === undefined) {
      const stored = this.#source.budget(id);
      const funds = stored ?? { spent: 0n, leased: 0n };
      state = {
        id,
        keyId,
        funds,
        before: funds,
        lent: 0n,
        isStored: stored !== undefined,
        isChanged: false,
      };
      this.budgets.set(id, state);
    }
    return state;
  }
}

/** Checks what one settlement will do to an account and its lease. */
function requireSound(
  before: AccountFunds,
  lease: bigint,
  paid: Paid,
  charge: bigint,
  loss: bigint,
  requestId: string,
): void {
  const { pot } = paid;
  invariant(charge >= 0n, "a charge is never negative", requestId);
  invariant(loss >= 0n && loss <= charge, "the operator bears no more than the charge", requestId);
  invariant(pot.total === before.balance - charge + loss, "an account pays what it is charged", requestId);
  invariant(
    paid.lease >= 0n && paid.lease <= lease,
    "a settlement takes no more than its lease has",
    requestId,
  );
  invariant(
    before.leased - pot.leased === lease - paid.lease,
    "a settlement leaves the leases of others alone",
    requestId,
  );
  invariant(0n <= pot.leased && pot.leased <= pot.total, "no more is lent than there is", requestId);
}

const noAccount = (id: string) => new RangeError(`account ${id} not found`);

const potOf = ({ balance, leased }: AccountFunds): Pot => ({ total: balance, leased });

function setLease(lease: LeaseState, amount: bigint): void {
  if (lease.amount === amount) return;
  lease.amount = amount;
  lease.isChanged = true;
}
