/**
 * The money this process may spend on one account or one key's budget: a lease, the holds on it, and the
 * calls that wait because it is too small. It asks the store for more when they wait, and gives back what
 * lies idle. It knows nothing of requests and prices.
 */

import { nanoUsd } from "@plaza/contract/money.ts";
import {
  aheadMax,
  aheadMin,
  endHold,
  free,
  type HoldRequest,
  isScarce,
  type Lease,
  leaseRequestFor,
  place,
} from "../../domain/money/lease.ts";
import type { Payment } from "../../domain/money/ledger.ts";
import { invariant } from "../../lib/invariant.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { LeaseGrant, LeaseSubject, LeasesStore } from "../../store/ledger/lease-shapes.ts";

export type LendingStore = Pick<LeasesStore, "takeLease" | "returnLease" | "recallLeases">;

/** The part of the surroundings a lease pool needs. */
export interface LeasePoolContext {
  readonly store: LendingStore;
  readonly clock: Clock;
  /** The holder leases are lent to now; changes when this process was thought dead. */
  readonly holderId: () => string;
  /** May the leases be used now? False from the moment in which the store may have given them to others. */
  readonly isValid: () => boolean;
  readonly sleep: (ms: number) => Promise<void>;
  /** The store says that this holder has expired. */
  readonly onFenced: () => void;
}

/** Why a hold was not placed. */
export type Refusal =
  | { readonly kind: "short"; readonly available: bigint }
  | { readonly kind: "suspended" }
  /** This process's leases are gone: try again under its new holder. */
  | { readonly kind: "fenced" };

/** Money set aside for one request. */
export interface PooledHold {
  readonly leasePool: LeasePool;
  /** The holder it was placed under. */
  readonly holderId: string;
  readonly amount: bigint;
  isEnded: boolean;
}

interface Waiter extends HoldRequest {
  readonly settle: (outcome: PooledHold | Refusal) => void;
  readonly fail: (error: unknown) => void;
}

/** A lease that ran out sooner than this asks for more ahead. */
const busyMs = 1_000;
/** A lease nobody used for this long goes back. */
const idleMs = 2_000;
/**
 * Pauses between asking others for their idle leases and asking the store again: the first four in any case …
 */
const recallPausesMs = [150, 250, 350, 500, 500, 500, 500, 500];
/**
 * … the others only while money still moves: what was paid or given back
 * elsewhere may be enough a moment later.
 */
const recallsMin = 4;
/**
 * How long a refusal stands for equal or larger holds where all the money there is
 * was counted, unless some comes back.
 */
const shortMs = 500;
const waitersMax = 10_000;

const enough: LeaseGrant = {
  status: "granted",
  amount: nanoUsd(0n),
  available: nanoUsd(0n),
  lentToOthers: nanoUsd(0n),
};

/** Nothing is lent with a refusal, and never less than nothing. */
const isSound = ({ status, amount }: LeaseGrant): boolean =>
  status === "granted" ? amount >= 0n : amount === 0n;

export class LeasePool {
  readonly subject: LeaseSubject;
  readonly #context: LeasePoolContext;
  #lease: Lease = { amount: 0n, held: 0n };
  #holderId: string;
  #waiters: Waiter[] = [];
  #isAsking = false;
  #isScarce = false;
  #ahead = aheadMin;
  #lastTakeMs = Number.NEGATIVE_INFINITY;
  #lastUseMs: number;
  /** Most that was held or spent at a time since the last tick. */
  #peak = 0n;
  /**
   * Was anything taken since the lease was last given back wholly? Then the store
   * may have lent more than is known here.
   */
  #isOpen = false;
  /** Takes asked for, so that a lease given back wholly is told from one taken again meanwhile. */
  #takes = 0;
  #isReturningAll = false;
  /** A call to the store failed, and nobody knows whether it was done. */
  #isDoubtful = false;
  #short: { readonly untilMs: number; readonly atLeast: bigint; readonly available: bigint } | undefined;

  constructor(subject: LeaseSubject, context: LeasePoolContext) {
    this.subject = subject;
    this.#context = context;
    this.#holderId = context.holderId();
    this.#lastUseMs = context.clock.elapsedMs();
  }

  /** Nothing lent, for certain, nothing held or waited for: may be forgotten. */
  get isEmpty(): boolean {
    return !this.#isOpen && this.#lease.held === 0n && this.#waiters.length === 0 && !this.#isAsking;
  }

  get lent(): bigint {
    return this.#lease.amount;
  }

  get held(): bigint {
    return this.#lease.held;
  }

  /** Sets money aside where the lease covers all of it and nobody waits; undefined otherwise. */
  holdAtOnce(amount: bigint): PooledHold | undefined {
    if (this.#waiters.length > 0 || !this.#context.isValid()) return undefined;
    if (place(this.#lease, { amount, atLeast: amount }, false) === undefined) return undefined;
    this.#lastUseMs = this.#context.clock.elapsedMs();
    return this.#placed(amount);
  }

  /**
   * Sets money aside: at once where the lease covers it, else when the store has lent more or refused to.
   * Rejects when the store cannot be asked, or too many wait for it already.
   */
  hold(requested: HoldRequest): PooledHold | Refusal | Promise<PooledHold | Refusal> {
    if (!this.#context.isValid()) return { kind: "fenced" };
    const nowMs = this.#context.clock.elapsedMs();
    this.#lastUseMs = nowMs;
    const atOnce = this.holdAtOnce(requested.amount);
    if (atOnce !== undefined) return atOnce;
    const short = this.#short;
    if (short !== undefined && nowMs < short.untilMs && requested.atLeast >= short.atLeast) {
      return { kind: "short", available: short.available };
    }
    if (this.#waiters.length >= waitersMax) {
      return Promise.reject(new Error(`${waitersMax} calls wait for ${this.subject.id} already`));
    }
    return new Promise((resolve, reject) => {
      this.#waiters.push({ ...requested, settle: resolve, fail: reject });
      if (!this.#isAsking) void this.#ask();
    });
  }

  /** Ends a hold. What the store must do to the lease is returned; it has been done here already. */
  end(placed: PooledHold, charge: bigint): Payment {
    invariant(!placed.isEnded, "a hold ends once", this.subject.id);
    invariant(charge >= 0n, "a charge is never negative", this.subject.id);
    placed.isEnded = true;
    if (placed.holderId !== this.#holderId) {
      // The lease is gone with its holder: the store takes what it finds and the rest from what is available.
      return { charge, fromLease: charge, release: 0n };
    }
    this.#lastUseMs = this.#context.clock.elapsedMs();
    this.#short = undefined;
    const isScarceNow = this.#isScarce && this.#waiters.length === 0;
    const payment = endHold(this.#lease, placed.amount, charge, isScarceNow);
    if (this.#waiters.length > 0) this.#serve(false);
    return payment;
  }

  /** Ends a hold of a request that costs nothing and is not recorded with it. */
  drop(placed: PooledHold): void {
    const { release } = this.end(placed, 0n);
    if (release > 0n) this.#giveBack(release);
  }

  /** A settlement could not be written: what it took from the lease here may still be lent in the store. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Another process is short: what lies idle here goes back. */
  recall(): void {
    if (this.#waiters.length > 0) return;
    this.#isScarce = true;
    this.#returnFree();
  }

  /** Money came in, or the account changed: old refusals do not count any more. */
  refresh(): void {
    this.#short = undefined;
    this.#isScarce = false;
  }

  /** Regularly: gives back what was not used lately. */
  tick(nowMs: number): void {
    if (this.#waiters.length > 0 || this.#isAsking) return;
    if (this.#lease.held === 0n && (this.#isDoubtful || nowMs - this.#lastUseMs >= idleMs)) {
      if (this.#isOpen) this.#giveBackAll();
      return;
    }
    const kept = 2n * this.#peak;
    const idle = free(this.#lease) - kept;
    this.#peak = this.#lease.held;
    if (idle > 0n && nowMs - this.#lastTakeMs >= idleMs) {
      this.#lease.amount -= idle;
      this.#giveBack(idle);
    }
  }

  /**
   * This process's leases are gone: it goes on under another holder. Running
   * holds are settled against the old one.
   */
  fence(): void {
    this.#holderId = this.#context.holderId();
    this.#lease = { amount: 0n, held: 0n };
    this.#isOpen = false;
    this.#isDoubtful = false;
    this.#short = undefined;
  }

  #placed(amount: bigint): PooledHold {
    const { amount: lent, held } = this.#lease;
    invariant(
      amount >= 0n && held >= amount && held <= lent,
      "no more is held than is lent",
      this.subject.id,
    );
    if (this.#lease.held > this.#peak) this.#peak = this.#lease.held;
    return { leasePool: this, holderId: this.#holderId, amount, isEnded: false };
  }

  /** Places waiting holds, first come first. `takesLess`: the first may have less than its full amount. */
  #serve(takesLess: boolean): void {
    // The process may have slept while the store answered.
    if (!this.#context.isValid()) {
      this.#refuse({ kind: "fenced" });
      return;
    }
    for (;;) {
      const first = this.#waiters[0];
      if (first === undefined) return;
      const amount = place(this.#lease, first, takesLess);
      if (amount === undefined) return;
      const placed = this.#placed(amount);
      this.#waiters.shift();
      first.settle(placed);
    }
  }

  /** Asks the store until nobody waits. */
  async #ask(): Promise<void> {
    this.#isAsking = true;
    try {
      while (this.#waiters.length > 0) await this.#askOnce();
    } catch (error) {
      for (const waiter of this.#waiters.splice(0)) waiter.fail(error);
    } finally {
      this.#isAsking = false;
    }
    if (this.#isScarce) this.#returnFree();
  }

  async #askOnce(): Promise<void> {
    const grant = await this.#take();
    if (grant.status === "granted") {
      this.#serve(grant.isAll);
    } else if (grant.status === "short") {
      await this.#whenShort(grant);
    } else {
      this.#refuse({ kind: grant.status });
    }
  }

  /** `isAll`: less than requested, because that was all there is. */
  async #take(): Promise<LeaseGrant & { readonly isAll: boolean }> {
    const nowMs = this.#context.clock.elapsedMs();
    const isBusy = nowMs - this.#lastTakeMs < busyMs;
    this.#ahead = isBusy && !this.#isScarce ? this.#ahead * 2n : aheadMin;
    if (this.#ahead > aheadMax) this.#ahead = aheadMax;
    this.#lastTakeMs = nowMs;
    const holderId = this.#holderId;
    const requested = leaseRequestFor(this.#lease, this.#waiters, this.#isScarce ? 0n : this.#ahead);
    if (requested.need === 0n) return { ...enough, isAll: false };
    this.#isOpen = true;
    this.#takes += 1;
    const grant = await this.#certain(this.#context.store.takeLease(holderId, this.subject, requested));
    if (holderId !== this.#holderId) return { ...grant, status: "fenced", isAll: false };
    invariant(isSound(grant), "a store lends something, or nothing", this.subject.id);
    if (grant.status === "fenced") this.#context.onFenced();
    this.#lease.amount += grant.amount;
    this.#isScarce = isScarce(grant.available, requested.unit);
    return { ...grant, isAll: grant.amount < requested.need };
  }

  /**
   * Too little in the pot. Others may have some lying idle: they are asked for it before anybody is refused.
   */
  async #whenShort(grant: LeaseGrant): Promise<void> {
    let last = grant;
    for (const [index, pauseMs] of recallPausesMs.entries()) {
      if (last.lentToOthers === 0n) break;
      // Our own crumbs too: two processes that each keep half a hold would both refuse.
      this.#returnFree();
      await this.#context.store.recallLeases(this.subject.id);
      await this.#context.sleep(pauseMs);
      this.#serve(false);
      if (this.#waiters.length === 0) return;
      const again = await this.#take();
      if (again.status === "granted") this.#serve(again.isAll);
      if (again.status !== "short") return;
      const isStill = again.available === last.available && again.lentToOthers === last.lentToOthers;
      last = again;
      if (isStill && index + 1 >= recallsMin) break;
    }
    this.#serve(true);
    this.#refuseShort(last);
  }

  /** Refuses the first that waits and all others that want no less. */
  #refuseShort({ available, lentToOthers }: LeaseGrant): void {
    const first = this.#waiters[0];
    if (first === undefined) return;
    const { atLeast } = first;
    // What others have borrowed may be back at any moment, so the next call asks again.
    if (lentToOthers === 0n) {
      this.#short = { untilMs: this.#context.clock.elapsedMs() + shortMs, atLeast, available };
    }
    const refused = this.#waiters.filter((waiter) => waiter.atLeast >= atLeast);
    this.#waiters = this.#waiters.filter((waiter) => waiter.atLeast < atLeast);
    for (const waiter of refused) waiter.settle({ kind: "short", available });
  }

  #refuse(refusal: Refusal): void {
    for (const waiter of this.#waiters.splice(0)) waiter.settle(refusal);
  }

  #returnFree(): void {
    const idle = free(this.#lease);
    if (idle === 0n) return;
    this.#lease.amount -= idle;
    this.#giveBack(idle);
  }

  #giveBack(amount: bigint): void {
    const { store } = this.#context;
    this.#certain(store.returnLease(this.#holderId, this.subject, nanoUsd(amount))).catch(() => {});
  }

  /** Also what nobody here knows to be lent. When that fails, the next tick tries again. */
  #giveBackAll(): void {
    if (this.#isReturningAll) return;
    this.#isReturningAll = true;
    this.#isDoubtful = false;
    this.#lease.amount = 0n;
    const takes = this.#takes;
    this.#certain(this.#context.store.returnLease(this.#holderId, this.subject, "all"))
      .then(
        () => {
          if (takes === this.#takes) this.#isOpen = false;
        },
        () => {},
      )
      .finally(() => {
        this.#isReturningAll = false;
      });
  }

  /** Remembers when nobody knows what became of a call to the store under the holder of now. */
  async #certain<T>(call: Promise<T>): Promise<T> {
    const holderId = this.#holderId;
    try {
      return await call;
    } catch (error) {
      if (holderId === this.#holderId) this.#isDoubtful = true;
      throw error;
    }
  }
}
