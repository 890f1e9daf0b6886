/**
 * What one batch reads and changes of accounts, leases and budgets, in memory for the length of its transaction. Both
 * dialects run a batch through it: they bring the rows (`LedgerSource`) and write back what changed. The rules themselves
 * are in `domain/ledger.ts`.
 */
import { type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import { storedMax } from "../domain/cost.ts";
import { available, giveBack, least, lend, lendable, type Pot, pay } from "../domain/ledger.ts";
import { at, type RequestValue } from "./request-row.ts";
import type { LeaseGrant, LeaseSubject } from "./store.ts";
import type { ReturnEntry, TakeEntry } from "./store-core.ts";

/** What an account's row holds of interest here. */
export interface AccountFunds {
  readonly balance: bigint;
  readonly leased: bigint;
  readonly spent: bigint;
  /** Neither suspended nor closed. */
  readonly isActive: boolean;
}

export interface BudgetFunds {
  readonly spent: bigint;
  readonly leased: bigint;
}

/** Rows as the transaction sees them, locked where the dialect needs that. Each is asked for once. */
export interface LedgerSource {
  account(id: string): AccountFunds | undefined;
  /** Amount of a lease; undefined when the holder has none there. */
  lease(holderId: string, kind: LeaseSubject["kind"], subject: string): bigint | undefined;
  budget(id: string): BudgetFunds | undefined;
  /** What the key may spend in a period; null when it has no budget (any more). */
  budgetAmount(keyId: string): bigint | null;
  /** Is the holder registered and not expired? */
  isAlive(holderId: string): boolean;
}

export interface LeaseState {
  readonly holderId: string;
  readonly kind: LeaseSubject["kind"];
  readonly subject: string;
  amount: bigint;
  /** Was the row there before this batch? */
  readonly isStored: boolean;
  isChanged: boolean;
  /** Given back wholly: the row goes. */
  isGone: boolean;
}

interface AccountState {
  readonly id: string;
  funds: AccountFunds;
  isChanged: boolean;
}

interface BudgetState {
  readonly id: string;
  keyId: string;
  funds: BudgetFunds;
  readonly isStored: boolean;
  isChanged: boolean;
}

/** What one request will do; nothing is done before `apply`, which comes before the next request is planned. */
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

  constructor(source: LedgerSource) {
    this.#source = source;
  }

  /**
   * Plans the money of the request whose values begin at `offset`. Throws RangeError when its account is not there, or when
   * it would take from a lease less than nothing. `isForOperator`: the account does not pay; its lease gets back what was
   * taken, and the whole charge is the operator's loss.
   */
  settle(values: readonly RequestValue[], offset: number, isForOperator = false): SettlementPlan {
    const charge = amountAt(values, offset + at.charge);
    const holderId = values[offset + at.holderId] as string | null;
    if (holderId === null && charge === 0n) return nothing;
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
    const applyBudget = this.#planBudget(values, offset, charge - loss);
    return {
      charge,
      loss,
      apply: () => {
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

  /** Throws RangeError when there is no such account. */
  requireAccount(id: string): void {
    if (this.#account(id) === undefined) throw noAccount(id);
  }

  /** A budget counts all that was spent, also what went beyond it. */
  #planBudget(values: readonly RequestValue[], offset: number, spent: bigint): (() => void) | undefined {
    const id = values[offset + at.budgetId] as string | null;
    if (id === null) return undefined;
    const keyId = values[offset + at.keyId] as string;
    const budget = this.#budget(id, keyId);
    // A key without a budget has nothing to count into.
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

  /** Takes a lease back, wholly or in part; what went back. */
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

  take({ holderId, subject, wish }: TakeEntry): LeaseGrant {
    const refusal = this.#refusal(holderId, subject);
    if (refusal !== undefined) {
      return { status: refusal, amount: nanoUsd(0n), available: nanoUsd(0n), lentElsewhere: nanoUsd(0n) };
    }
    const lease = this.#lease(holderId, subject.kind, subject.id);
    const pot = this.#pot(subject) ?? { total: 0n, leased: 0n };
    const amount = lendable(pot, wish);
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
      lentElsewhere: nanoUsd(after.leased - lease.amount),
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
    // Lending and returning move nothing but the leased part.
    state.funds = { ...state.funds, leased: pot.leased } as AccountFunds;
    state.isChanged = true;
  }

  #account(id: string): AccountState | undefined {
    const known = this.accounts.get(id);
    if (known !== undefined) return known;
    const funds = this.#source.account(id);
    if (funds === undefined) return undefined;
    const state: AccountState = { id, funds, isChanged: false };
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
      state = {
        id,
        keyId,
        funds: stored ?? { spent: 0n, leased: 0n },
        isStored: stored !== undefined,
        isChanged: false,
      };
      this.budgets.set(id, state);
    }
    return state;
  }
}

const noAccount = (id: string) => new RangeError(`there is no account ${id}`);

const potOf = ({ balance, leased }: AccountFunds): Pot => ({ total: balance, leased });

function setLease(lease: LeaseState, amount: bigint): void {
  if (lease.amount === amount) return;
  lease.amount = amount;
  lease.isChanged = true;
}
