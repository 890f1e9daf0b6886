/**
 * One process's lease on an account or a key's budget, the holds placed in it, and the calls that wait
 * because it is too small. Borrows more from the store while calls wait, and returns what is idle.
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

/** What a lease pool needs from its process. */
export interface LeasePoolContext {
  readonly store: LendingStore;
  readonly clock: Clock;
  /** The holder that leases belong to. Changes after the store took this process for dead. */
  readonly holderId: () => string;
  /** False from the moment the store may have given this process's leases to others. */
  readonly isValid: () => boolean;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called when the store reports that this holder has expired. */
  readonly onFenced: () => void;
}

/** Why a hold was refused. */
export type Refusal =
  | { readonly kind: "short"; readonly available: bigint }
  | { readonly kind: "suspended" }
  /** The process lost its leases. Try again under its new holder. */
  | { readonly kind: "fenced" };

/** Money on hold for one request. */
export interface PooledHold {
  readonly leasePool: LeasePool;
  /** The holder at the time of the hold. */
  readonly holderId: string;
  readonly amount: bigint;
  isEnded: boolean;
}

interface Waiter extends HoldRequest {
  readonly settle: (outcome: PooledHold | Refusal) => void;
  readonly fail: (error: unknown) => void;
}

/** A lease used up within this time makes the next one larger. Milliseconds. */
const busyMs = 1_000;
/** An unused lease is returned after this time. Milliseconds. */
const idleMs = 2_000;
/**
 * Pauses between recalling idle leases of other processes and asking the store again, in milliseconds. The
 * first `recallsMin` tries always happen.
 */
const recallPausesMs = [150, 250, 350, 500, 500, 500, 500, 500];
/** Later tries happen only while the amounts still change, because money may be returned a moment later. */
const recallsMin = 4;
/**
 * How long a refusal applies to equal or larger holds, in milliseconds. Only when no other process holds a
 * lease, and only until money comes back.
 */
const shortMs = 500;
const waitersMax = 10_000;

const enough: LeaseGrant = {
  status: "granted",
  amount: nanoUsd(0n),
  available: nanoUsd(0n),
  lentToOthers: nanoUsd(0n),
};

/** A store grants nothing with a refusal, and never a negative amount. */
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
  /** Most money held or spent at one time since the last tick. */
  #peak = 0n;
  /**
   * True when anything was borrowed since the last complete return, so that the store may count more than
   * this pool knows.
   */
  #isOpen = false;
  /** Number of leases requested. Shows whether one was taken while a complete return was running. */
  #takes = 0;
  #isReturningAll = false;
  /** True when a call to the store failed with an unknown result. */
  #isDoubtful = false;
  #short: { readonly untilMs: number; readonly atLeast: bigint; readonly available: bigint } | undefined;

  constructor(subject: LeaseSubject, context: LeasePoolContext) {
    this.subject = subject;
    this.#context = context;
    this.#holderId = context.holderId();
    this.#lastUseMs = context.clock.elapsedMs();
  }

  /** True when nothing is lent, held or waited for, so the pool can be dropped. */
  get isEmpty(): boolean {
    return !this.#isOpen && this.#lease.held === 0n && this.#waiters.length === 0 && !this.#isAsking;
  }

  get lent(): bigint {
    return this.#lease.amount;
  }

  get held(): bigint {
    return this.#lease.held;
  }

  /** Places a hold if the lease covers it and no call is waiting; undefined otherwise. */
  holdAtOnce(amount: bigint): PooledHold | undefined {
    if (this.#waiters.length > 0 || !this.#context.isValid()) return undefined;
    if (place(this.#lease, { amount, atLeast: amount }, false) === undefined) return undefined;
    this.#lastUseMs = this.#context.clock.elapsedMs();
    return this.#placed(amount);
  }

  /**
   * Places a hold at once if the lease covers it, otherwise when the store grants or refuses more. Rejects
   * when the store fails or too many calls wait.
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

  /** Ends a hold and updates the lease here. Returns what the store must apply to its copy. */
  end(placed: PooledHold, charge: bigint): Payment {
    invariant(!placed.isEnded, "a hold ends once", this.subject.id);
    invariant(charge >= 0n, "a charge is never negative", this.subject.id);
    placed.isEnded = true;
    if (placed.holderId !== this.#holderId) {
      // The lease went with its old holder. The store charges what it finds of it, and the rest to the
      // balance.
      return { charge, fromLease: charge, release: 0n };
    }
    this.#lastUseMs = this.#context.clock.elapsedMs();
    this.#short = undefined;
    const isScarceNow = this.#isScarce && this.#waiters.length === 0;
    const payment = endHold(this.#lease, placed.amount, charge, isScarceNow);
    if (this.#waiters.length > 0) this.#serve(false);
    return payment;
  }

  /** Ends a hold without a charge, outside of a settlement. */
  drop(placed: PooledHold): void {
    const { release } = this.end(placed, 0n);
    if (release > 0n) this.#giveBack(release);
  }

  /** A settlement failed, so the store may still count money as lent that was returned here. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Another process needs money: returns what is idle. */
  recall(): void {
    if (this.#waiters.length > 0) return;
    this.#isScarce = true;
    this.#returnFree();
  }

  /** The account changed or got money: forgets earlier refusals. */
  refresh(): void {
    this.#short = undefined;
    this.#isScarce = false;
  }

  /** Called regularly: returns what was not used recently. */
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
   * Called after the process got a new holder: its old leases are gone. Running holds settle under the old
   * holder.
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

  /** Places waiting holds in order. `takesLess`: the first may get less than its full amount. */
  #serve(takesLess: boolean): void {
    // The process may have been suspended while the store answered.
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

  /** Asks the store until no call is waiting. */
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

  /** `isAll`: the grant is smaller than requested because it was all that was left. */
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

  /** The balance is too small. Other processes may hold idle money, so recall it before refusing. */
  async #whenShort(grant: LeaseGrant): Promise<void> {
    let last = grant;
    for (const [index, pauseMs] of recallPausesMs.entries()) {
      if (last.lentToOthers === 0n) break;
      // Return idle money here too: otherwise two processes with half a hold each would both refuse.
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

  /** Refuses the first waiting hold and all others that need at least as much. */
  #refuseShort({ available, lentToOthers }: LeaseGrant): void {
    const first = this.#waiters[0];
    if (first === undefined) return;
    const { atLeast } = first;
    // With money lent to other processes, the next call should ask again.
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

  /** Returns everything, even what this pool does not know it has. A failure is retried at the next tick. */
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

  /**
   * Marks the pool as doubtful when a store call of the current holder fails, because it may have been
   * applied.
   */
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
