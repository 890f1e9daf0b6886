/**
 * One limit in this process: its slice (free, held and used units) and the last state from the store. Plain
 * numbers, because there may be hundreds of thousands. `rate-limit-client.ts` decides when to ask the store.
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

/** This process's share of the limit while the store is unreachable. */
interface Share {
  used: number;
  atMs: number;
  /** Units it may still give: beside other processes a share is used once, however often it could refill. */
  left: number;
}

/** Marks a time that is not set. */
const never = -1;

/**
 * How long a refusal is reused before the store is asked again, in milliseconds, because units may be
 * returned meanwhile.
 */
const recheckMs = 250;
/** Retry-After when a share is used up, in milliseconds: only the store can give more. */
const shareUsedUpMs = 1_000;

export class LocalBucket {
  readonly scope: LimitScope;
  readonly id: string;
  readonly kind: LimitKind;
  limit: number;
  /** Units lent to this process, according to the store. */
  #lent = 0;
  /** Lent units that are not in use. */
  free = 0;
  /** Units taken by running requests. */
  held = 0;
  /** Units used since the last report. */
  spent = 0;
  /** The part of `spent` beyond what was lent. It is paid before anything else is admitted. */
  debt = 0;
  /** Number of requests waiting for this bucket. */
  waiting = 0;
  /** True while this bucket holds store units or has unreported usage. */
  isActive = false;
  /** True while this bucket waits to be reported. */
  isDue = false;
  /** Monotonic time of the last use, in milliseconds. */
  usedMs = never;
  /** State from the store at `askedMs`: parts used, and units lent to all processes. */
  #used = 0;
  #outstanding = 0;
  #askedMs = never;
  /** Until `recheckAtMs`, a demand of `refusedUnits` or more is refused without asking the store. */
  #recheckAtMs = never;
  #refusedUnits = 0;
  /** When the refused units should be available. */
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

  /** True when no units are lent, held or unreported, and no request waits. */
  get isIdle(): boolean {
    return this.#lent === 0 && this.held === 0 && this.spent === 0 && this.waiting === 0;
  }

  /** True when the store's state differs from this process's. */
  get isUneven(): boolean {
    return this.spent > 0 || this.#lent !== this.free + this.held;
  }

  /**
   * True when the bucket can be dropped. It must be idle and the store's bucket full again, because until
   * then its level still matters.
   */
  isForgettable(nowMs: number): boolean {
    return this.isIdle && !this.isActive && !this.isDue && this.#usedAt(nowMs) === 0;
  }

  /** True when these units can be taken now. */
  has(units: number): boolean {
    return this.free >= units && this.debt === 0;
  }

  take(units: number, nowMs: number): void {
    this.free -= units;
    this.held += units;
    this.usedMs = nowMs;
  }

  /** Returns taken units unused. */
  giveBack(units: number): void {
    this.held -= units;
    this.free += units;
    this.#recheckAtMs = never;
  }

  /** Ends taken units with their actual use, which may be more. */
  spend(units: number, used: number): void {
    this.held -= units;
    this.spent += used;
    const left = this.free + units - used;
    this.free = Math.max(0, left);
    if (left < 0) this.debt -= left;
    else if (used < units) this.#recheckAtMs = never;
  }

  /** Changes the limit. A lower one applies at once, so units lent under the old limit are not used. */
  setLimit(limit: number): void {
    this.limit = limit;
    this.free = 0;
    this.#recheckAtMs = never;
  }

  /** Stops using lent units. Running requests continue and are reported. */
  fence(): void {
    this.free = 0;
  }

  /** Builds the request to the store. `need` 0: report only. `isReturning`: free units go back. */
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

  /** Applies the store's answer. `debt`: the debt when the request was sent. */
  answer(ask: SliceAsk, debt: number, grant: SliceGrant, sentMs: number): void {
    this.spent -= ask.spent;
    this.debt = Math.max(0, this.debt - debt);
    // Units granted under a limit that has changed since go back with the next request.
    if (ask.limit === this.limit) this.free += grant.granted;
    this.#lent = grant.slice;
    this.#used = grant.used;
    this.#outstanding = grant.outstanding;
    this.#askedMs = Math.floor(sentMs);
    this.#share = undefined;
  }

  /** Records that the store has fewer than these units. Returns the wait in milliseconds. */
  refuse(units: number, nowMs: number, slotsMs: number): number {
    const now = { limit: this.#limitNow, used: this.#usedAt(nowMs), outstanding: this.#lentOut };
    const ms = this.kind === "conc" ? slotsMs : Math.max(1, waitMs(units + this.debt, now));
    this.#refusedUnits = units;
    this.#refusedUntilMs = Math.ceil(nowMs + ms);
    this.#recheckAtMs = Math.floor(nowMs + Math.min(ms, this.kind === "conc" ? 20 : recheckMs));
    return ms;
  }

  /** Returns the wait in milliseconds if the store refused these units recently; 0 = ask the store. */
  refusedForMs(units: number, nowMs: number): number {
    if (nowMs >= this.#recheckAtMs || units < this.#refusedUnits || this.has(units)) return 0;
    return this.#refusedUntilMs - nowMs;
  }

  /** True when so little is left that idle units must be returned at once. */
  get isScarce(): boolean {
    if (this.limit < 16) return true;
    const isSlots = this.kind === "conc";
    const state = { limit: this.#limitNow, isSlots, used: this.#used, outstanding: this.#outstanding };
    return available(state) < this.limit / 8;
  }

  /** Units left, as far as this process knows. */
  remaining(nowMs: number): number {
    const limit = this.#limitNow;
    const used = this.#usedAt(nowMs);
    const there = available({ limit, isSlots: this.kind === "conc", used, outstanding: this.#lentOut });
    return Math.max(0, Math.min(limit, there - this.debt));
  }

  /**
   * Takes units from this process's share of the limit while the store is unreachable. Returns 0, or the wait
   * in milliseconds when there are none. `isTrial`: only checks. The others may reach the store and use the
   * whole limit, so the share is used once, at the pace at which it refills, until the store answers. A
   * process alone has the whole limit, which refills.
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
    if (processes > 1 && counted > share.left) return shareUsedUpMs;
    const wait = waitMs(counted, { limit: size, used: share.used, outstanding: 0 });
    if (wait === 0 && !isTrial) {
      share.used += counted * partsPerUnit;
      share.left -= counted;
      this.free += units;
    }
    return wait;
  }

  /** A new share starts at the fill level the limit had when the store last answered. */
  #newShare(size: number, nowMs: number): Share {
    const limit = this.#limitNow;
    const left = this.remaining(nowMs) / limit;
    return { used: Math.ceil(size * partsPerUnit * (1 - left)), atMs: Math.floor(nowMs), left: size };
  }

  get #limitNow(): number {
    return Math.min(this.limit, limitMax);
  }

  #usedAt(nowMs: number): number {
    if (this.#askedMs === never) return 0;
    return refilled(this.#used, this.#limitNow, Math.floor(nowMs) - this.#askedMs);
  }

  /** Units not available here: lent to all processes, minus the free ones. */
  get #lentOut(): number {
    return Math.max(0, this.#outstanding - this.free);
  }
}
