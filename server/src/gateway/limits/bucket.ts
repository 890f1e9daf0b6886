/**
 * One limit as this process sees it: the slice it holds, what of it is free, set aside or used, and
 * what the store said last. Plain numbers, because there may be hundreds of thousands of them. Who asks
 * the store, and when, is `limits.ts`.
 */
import {
  available,
  limitMax,
  partsPerUnit,
  refilled,
  type SliceAsk,
  type SliceGrant,
  waitMs,
} from "../../domain/limits/limit.ts";

export type LimitScope = "key" | "account" | "model" | "all";
export type LimitKind = "rpm" | "tpm" | "conc";

/** While the store is lost: a bucket of this process's share of the limit. */
interface Share {
  used: number;
  atMs: number;
}

/** No time yet. */
const never = -1;

/**
 * How long one answer "not yet" stands before the store is asked again: others may have given something back.
 */
const recheckMs = 250;

export class LocalBucket {
  readonly scope: LimitScope;
  readonly id: string;
  readonly kind: LimitKind;
  limit: number;
  /** Units lent to this process, as the store said last. */
  #lent = 0;
  /** Those of them that nobody uses. */
  free = 0;
  /** Set aside for requests under way. */
  held = 0;
  /** Used since the last report. */
  spent = 0;
  /** The part of `spent` that was never lent: paid before anything else is let through. */
  debt = 0;
  /** Requests that wait for units of it. */
  waiting = 0;
  /** Is it in the list of buckets that have something of the store's, or for it? */
  isActive = false;
  /** Is it in the list of buckets to report on soon? */
  isDue = false;
  /** Elapsed milliseconds of the last use. */
  usedMs = never;
  /** What the store said at `askedMs`: parts used, units lent to all. */
  #used = 0;
  #outstanding = 0;
  #askedMs = never;
  /** Until then a demand of so many units or more is known to be too large … */
  #recheckAtMs = never;
  #refusedUnits = 0;
  /** … and then it may have come true. */
  #refusedUntilMs = never;
  #share: Share | undefined;

  constructor(scope: LimitScope, id: string, kind: LimitKind, limit: number) {
    this.scope = scope;
    this.id = id;
    this.kind = kind;
    this.limit = limit;
  }

  get subject(): string {
    return `${this.scope}:${this.id}:${this.kind}`;
  }

  /** Nothing of the store's, nothing for it, nobody waits. */
  get isIdle(): boolean {
    return this.#lent === 0 && this.held === 0 && this.spent === 0 && this.waiting === 0;
  }

  /** Does the store believe something else than what is true here? */
  get isUneven(): boolean {
    return this.spent > 0 || this.#lent !== this.free + this.held;
  }

  /**
   * May it be forgotten? Only once the store's bucket has refilled: until then its level is worth knowing.
   */
  isForgettable(nowMs: number): boolean {
    return this.isIdle && !this.isActive && !this.isDue && this.#usedAt(nowMs) === 0;
  }

  /** Can these units be taken now? */
  has(units: number): boolean {
    return this.free >= units && this.debt === 0;
  }

  take(units: number, nowMs: number): void {
    this.free -= units;
    this.held += units;
    this.usedMs = nowMs;
  }

  /** Ends what was taken: nothing of it was used. */
  giveBack(units: number): void {
    this.held -= units;
    this.free += units;
    this.#recheckAtMs = never;
  }

  /** Ends what was taken: so much was used, perhaps more than was taken. */
  spend(units: number, used: number): void {
    this.held -= units;
    this.spent += used;
    const left = this.free + units - used;
    this.free = Math.max(0, left);
    if (left < 0) this.debt -= left;
    else if (used < units) this.#recheckAtMs = never;
  }

  /**
   * Another limit from now on; a lower one takes effect at once, so nothing lent under the old one is used.
   */
  setLimit(limit: number): void {
    this.limit = limit;
    this.free = 0;
    this.#recheckAtMs = never;
  }

  /** Nothing lent before may be used any more. What is under way goes on, and is told to the store. */
  fence(): void {
    this.free = 0;
  }

  /** What to tell the store. `need` 0: only a report. `isReturning`: what is free goes back. */
  ask(demand: { least: number; need: number; isReturning: boolean; nowMs: number }): SliceAsk {
    if (demand.isReturning) this.free = 0;
    const elapsedMs = this.#askedMs === never ? null : Math.max(0, Math.floor(demand.nowMs) - this.#askedMs);
    return {
      subject: this.subject,
      isSlots: this.kind === "conc",
      limit: this.limit,
      spent: this.spent,
      holds: this.free + this.held,
      least: demand.least,
      need: demand.need,
      elapsedMs,
    };
  }

  /** The store's answer to an ask sent at a time. `debt`: what it was then. */
  answer(ask: SliceAsk, debt: number, grant: SliceGrant, sentMs: number): void {
    this.spent -= ask.spent;
    this.debt = Math.max(0, this.debt - debt);
    // Under a limit changed meanwhile it is not used: it goes back with the next ask.
    if (ask.limit === this.limit) this.free += grant.granted;
    this.#lent = grant.slice;
    this.#used = grant.used;
    this.#outstanding = grant.outstanding;
    this.#askedMs = Math.floor(sentMs);
    this.#share = undefined;
  }

  /**
   * The store has less than these units: notes until when that stands; milliseconds until they may be there.
   */
  refuse(units: number, nowMs: number, slotsMs: number): number {
    const now = { limit: this.#limitNow, used: this.#usedAt(nowMs), outstanding: this.#lentOut };
    const ms = this.kind === "conc" ? slotsMs : Math.max(1, waitMs(units + this.debt, now));
    this.#refusedUnits = units;
    this.#refusedUntilMs = Math.ceil(nowMs + ms);
    this.#recheckAtMs = Math.floor(nowMs + Math.min(ms, this.kind === "conc" ? 20 : recheckMs));
    return ms;
  }

  /**
   * Milliseconds until these units may be there, where the store said lately that
   * they are not; 0 = it has to be asked.
   */
  refusedForMs(units: number, nowMs: number): number {
    if (nowMs >= this.#recheckAtMs || units < this.#refusedUnits || this.has(units)) return 0;
    return this.#refusedUntilMs - nowMs;
  }

  /** Is so little left that what lies idle must go back at once? */
  get isScarce(): boolean {
    if (this.limit < 16) return true;
    const isSlots = this.kind === "conc";
    const state = { limit: this.#limitNow, isSlots, used: this.#used, outstanding: this.#outstanding };
    return available(state) < this.limit / 8;
  }

  /** Units left as far as this process knows. */
  remaining(nowMs: number): number {
    const limit = this.#limitNow;
    const used = this.#usedAt(nowMs);
    const there = available({ limit, isSlots: this.kind === "conc", used, outstanding: this.#lentOut });
    return Math.max(0, Math.min(limit, there - this.debt));
  }

  /**
   * Takes units of this process's share of the limit, because the store cannot be asked;
   * milliseconds to wait where it has none.
   */
  takeShare(units: number, processes: number, nowMs: number, isTrial: boolean): number {
    const size = Math.max(1, Math.floor(this.#limitNow / processes));
    if (this.kind === "conc") {
      if (this.held + units > size) return 1_000;
      if (!isTrial) this.free += units;
      return 0;
    }
    this.#share ??= this.#newShare(size, nowMs);
    const share = this.#share;
    const passedMs = Math.floor(nowMs) - share.atMs;
    share.used = refilled(share.used, size, passedMs);
    share.atMs += passedMs;
    const counted = Math.min(units, size);
    const wait = waitMs(counted, { limit: size, used: share.used, outstanding: 0 });
    if (wait === 0 && !isTrial) {
      share.used += counted * partsPerUnit;
      this.free += units;
    }
    return wait;
  }

  /** A share begins as full as the whole was when the store was heard of last. */
  #newShare(size: number, nowMs: number): Share {
    const limit = this.#limitNow;
    const left = this.remaining(nowMs) / limit;
    return { used: Math.ceil(size * partsPerUnit * (1 - left)), atMs: Math.floor(nowMs) };
  }

  get #limitNow(): number {
    return Math.min(this.limit, limitMax);
  }

  #usedAt(nowMs: number): number {
    if (this.#askedMs === never) return 0;
    return refilled(this.#used, this.#limitNow, Math.floor(nowMs) - this.#askedMs);
  }

  /** Units nobody else can have: lent to all, less what is free here. */
  get #lentOut(): number {
    return Math.max(0, this.#outstanding - this.free);
  }
}
