/**
 * Admits requests within their limits: at once when this process's slices have room, otherwise after asking
 * the store. One store call runs at a time and carries all demands, usage reports and returns. Without the
 * store, this process uses its share of each limit.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import type { SliceAsk } from "../../domain/limits/limit.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { SliceReply, SlicesStore } from "../../store/limits/slice-shapes.ts";
import type { Admission, AdmissionOwner } from "./admission.ts";
import type { LocalBucket } from "./bucket.ts";
import { demandsOf, type LimitWaiter, worstOf } from "./demands.ts";
import { exceeded } from "./errors.ts";

export interface RateLimitClientOptions {
  readonly store: Pick<SlicesStore, "takeSlices">;
  readonly clock: Clock;
  readonly log: Log;
  /** The holder that slices belong to; `gateway/money/leases.ts`. */
  readonly holder: { readonly holderId: string; readonly isValid: boolean; beat(): Promise<void> };
  /** Runs `then` after `ms` milliseconds. The returned function cancels it. */
  readonly later: (ms: number, then: () => void) => () => void;
}

/** One bucket's part of a store call. */
interface Part {
  readonly bucket: LocalBucket;
  readonly ask: SliceAsk;
  readonly debt: number;
}

const waitersMax = 10_000;
/** Maximum number of buckets per store call. */
const asksPerCall = 500;
const triesMax = 5;
/** A store call without an answer for `answerMs` counts as lost; the next try comes after `lostMs`. */
const answerMs = 1_000;
const lostMs = 1_000;
/**
 * Delays before idle units are returned (`returnMs` when they are scarce, else `idleMs`) and usage is
 * reported. Milliseconds.
 */
const returnMs = 25;
const reportMs = 250;
const idleMs = 1_000;
/**
 * Larger limits report usage once a second. That is safe, since at most a sixteenth of a limit is lent ahead.
 */
const promptLimit = 1_000;
/** Retry-After for a concurrency limit, in milliseconds. */
const slotsMs = 1_000;

export class RateLimitClient implements AdmissionOwner {
  readonly #options: RateLimitClientOptions;
  readonly #active: LocalBucket[] = [];
  readonly #due: LocalBucket[] = [];
  #waiters: LimitWaiter[] = [];
  #holderId = "";
  #isAsking = false;
  #asking: Promise<void> = Promise.resolve();
  #isStuck = false;
  #lostUntilMs = Number.NEGATIVE_INFINITY;
  #isLossLogged = false;
  #cancelTimer: (() => void) | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  /** Number of serving processes, as last reported by the store. */
  #processes = 1;
  #isClosing = false;
  /** Number of refusals by `scope kind`. */
  readonly hits = new Map<string, number>();

  constructor(options: RateLimitClientOptions) {
    this.#options = options;
  }

  /** Admits a request. Throws or rejects with `rate_limit_exceeded`, or `overloaded` when too many wait. */
  admit(admission: Admission): Admission | Promise<Admission> {
    const nowMs = this.#options.clock.elapsedMs();
    this.#fenceIfGone();
    if (this.#holderId !== "" && !admission.hasToWait() && admission.take(nowMs)) return admission;
    const known = this.#knownRefusal(admission, nowMs);
    if (known !== undefined) throw known;
    if (this.#isLost(nowMs)) return this.#takeShares(admission, nowMs);
    if (this.#waiters.length >= waitersMax) throw new GatewayError("overloaded");
    return new Promise((resolve, reject) => {
      for (const bucket of admission.buckets) bucket.waiting += 1;
      this.#waiters.push({ admission, resolve, reject, isAsked: false, tries: 0 });
      this.#ask();
    });
  }

  touched(bucket: LocalBucket): void {
    if (bucket.waiting > 0) return;
    this.#activate(bucket);
    if (this.#goesBackSoon(bucket)) this.#mark(bucket, returnMs);
    else if (bucket.isDue || bucket.spent === 0) return;
    else if (bucket.limit < promptLimit || bucket.debt > 0) this.#mark(bucket, reportMs);
  }

  /** Called regularly: reports usage and returns idle units. */
  tick(): void {
    const nowMs = this.#options.clock.elapsedMs();
    this.#fenceIfGone();
    let kept = 0;
    for (const bucket of this.#active) {
      if (bucket.isIdle && !bucket.isDue) {
        bucket.isActive = false;
        continue;
      }
      this.#active[kept] = bucket;
      kept += 1;
      if (!bucket.isDue && (bucket.isUneven || this.#isIdle(bucket, nowMs))) this.#addDue(bucket);
    }
    this.#active.length = kept;
    if (this.#due.length > 0 && !this.#isLost(nowMs)) this.#ask();
  }

  /** Returns everything when the process ends. Waits at most `answerMs`. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#cancelTimer?.();
    for (const bucket of this.#active) if (!bucket.isDue) this.#addDue(bucket);
    if (!this.#isLost(this.#options.clock.elapsedMs())) this.#ask();
    await new Promise<void>((resolve) => {
      const cancel = this.#options.later(answerMs, resolve);
      void this.#asking.then(() => {
        cancel();
        resolve();
      });
    });
  }

  #isLost(nowMs: number): boolean {
    return this.#isStuck || nowMs < this.#lostUntilMs;
  }

  /** Stops using units of an expired holder; running requests are reported under the next one. */
  #fenceIfGone(): void {
    const { holderId, isValid } = this.#options.holder;
    const current = isValid ? holderId : "";
    if (current === this.#holderId) return;
    this.#holderId = current;
    for (const bucket of this.#active) {
      bucket.fence();
      if (current !== "" && bucket.held > 0 && !bucket.isDue) this.#addDue(bucket);
    }
    if (this.#due.length > 0) this.#schedule(returnMs);
  }

  #activate(bucket: LocalBucket): void {
    if (bucket.isActive) return;
    bucket.isActive = true;
    this.#active.push(bucket);
  }

  #isIdle(bucket: LocalBucket, nowMs: number): boolean {
    return bucket.free > 0 && bucket.waiting === 0 && nowMs - bucket.usedMs >= idleMs;
  }

  #goesBackSoon(bucket: LocalBucket): boolean {
    return bucket.free > 0 && (bucket.isScarce || bucket.free > bucket.limit / 8);
  }

  #addDue(bucket: LocalBucket): void {
    bucket.isDue = true;
    this.#due.push(bucket);
  }

  #mark(bucket: LocalBucket, ms: number): void {
    if (!bucket.isDue) this.#addDue(bucket);
    this.#schedule(ms);
  }

  #schedule(ms: number): void {
    const atMs = this.#options.clock.elapsedMs() + ms;
    if (this.#isClosing || atMs >= this.#timerAtMs) return;
    this.#cancelTimer?.();
    this.#timerAtMs = atMs;
    this.#cancelTimer = this.#options.later(ms, () => {
      this.#cancelTimer = undefined;
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      if (!this.#isLost(this.#options.clock.elapsedMs())) this.#ask();
    });
  }

  /** Refuses at once when the store refused one of the buckets recently. */
  #knownRefusal(admission: Admission, nowMs: number): GatewayError | undefined {
    return this.#refusal(admission, (bucket, units) => bucket.refusedForMs(units, nowMs));
  }

  /** Returns the error of the bucket with the longest wait; undefined when none refuses. */
  #refusal(
    admission: Admission,
    waitOf: (bucket: LocalBucket, units: number) => number,
  ): GatewayError | undefined {
    const worst = worstOf(admission, waitOf);
    if (worst === undefined) return undefined;
    this.count(worst.bucket);
    return exceeded(worst.bucket, worst.units, worst.waitMs);
  }

  count({ scope, kind }: LocalBucket): void {
    const name = `${scope} ${kind}`;
    this.hits.set(name, (this.hits.get(name) ?? 0) + 1);
  }

  /** Takes missing units from this process's shares. */
  #takeShares(admission: Admission, nowMs: number): Admission {
    const missing = (bucket: LocalBucket, units: number, isTrial: boolean) =>
      bucket.has(units)
        ? 0
        : bucket.takeShare(Math.max(0, units - bucket.free), this.#processes, nowMs, isTrial);
    const refused = this.#refusal(admission, (bucket, units) => missing(bucket, units, true));
    if (refused !== undefined) throw refused;
    for (let index = 0; index < admission.buckets.length; index += 1) {
      const bucket = admission.buckets[index] as LocalBucket;
      missing(bucket, admission.units[index] as number, false);
      this.#activate(bucket);
    }
    admission.take(nowMs);
    return admission;
  }

  #ask(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#asking = this.#askUntilDone();
  }

  async #askUntilDone(): Promise<void> {
    try {
      for (let fenced = 0; this.#waiters.length > 0 || this.#due.length > 0; ) {
        const outcome = await this.#askOnce();
        if (outcome === "lost") break;
        fenced = outcome === "fenced" ? fenced + 1 : 0;
        if (fenced >= triesMax) {
          this.#lose(new Error("this process's holder has expired"));
          break;
        }
      }
    } finally {
      this.#isAsking = false;
    }
  }

  async #askOnce(): Promise<"answered" | "fenced" | "lost"> {
    const cancel = this.#options.later(answerMs, () => {
      this.#isStuck = true;
      this.#reportLoss(`the database has not answered for ${answerMs} ms`);
      this.#serveByShares();
    });
    let parts: Part[] = [];
    try {
      if (!this.#options.holder.isValid) await this.#options.holder.beat();
      this.#fenceIfGone();
      if (this.#holderId === "") throw new Error("this process's holder has expired");
      parts = this.#collect();
      const sentMs = this.#options.clock.elapsedMs();
      const holderId = this.#holderId;
      const asks = parts.map(({ ask }) => ask);
      const reply: SliceReply =
        asks.length === 0
          ? { status: "granted", grants: [], holders: this.#processes }
          : await this.#options.store.takeSlices(holderId, asks);
      this.#found();
      if (reply.status === "fenced") {
        for (const { bucket } of parts) if (!bucket.isDue) this.#addDue(bucket);
        await this.#options.holder.beat();
        return "fenced";
      }
      this.#apply(parts, reply, holderId, sentMs);
      return "answered";
    } catch (error) {
      // The call may have been applied. Held units are sent again as a total; used units may be counted
      // twice.
      for (const { bucket } of parts) {
        this.#activate(bucket);
        if (!bucket.isDue) this.#addDue(bucket);
      }
      this.#lose(error as Error);
      return "lost";
    } finally {
      cancel();
    }
  }

  /** Collects the demand of waiting requests, then the reports that are due. */
  #collect(): Part[] {
    const { clock } = this.#options;
    const nowMs = clock.elapsedMs();
    const demands = demandsOf(this.#waiters, asksPerCall);
    const parts: Part[] = [];
    const add = (bucket: LocalBucket, least: number, need: number, isReturning: boolean) => {
      const { debt } = bucket;
      parts.push({ bucket, debt, ask: bucket.ask({ least, need, isReturning, nowMs }) });
    };
    for (const [bucket, { least, need }] of demands) {
      // With a debt, even lent units must be requested again.
      const there = bucket.debt > 0 ? 0 : bucket.free;
      if (need > there) add(bucket, Math.max(1, least - there), need - there, bucket.debt > 0);
    }
    while (this.#due.length > 0 && parts.length < asksPerCall) {
      const bucket = this.#due.pop() as LocalBucket;
      bucket.isDue = false;
      if (demands.has(bucket)) continue;
      const goesBack = this.#isClosing || this.#isIdle(bucket, nowMs) || this.#goesBackSoon(bucket);
      add(bucket, 0, 0, goesBack && bucket.waiting === 0);
    }
    return parts;
  }

  #apply(
    parts: readonly Part[],
    reply: Extract<SliceReply, { readonly status: "granted" }>,
    holderId: string,
    sentMs: number,
  ): void {
    this.#processes = Math.max(1, reply.holders);
    const short = new Set<LocalBucket>();
    // The process may have been suspended while the store answered.
    this.#fenceIfGone();
    parts.forEach(({ bucket, ask, debt }, index) => {
      const grant = reply.grants[index];
      if (grant === undefined) return;
      bucket.answer(ask, debt, grant, sentMs);
      this.#activate(bucket);
      if (grant.granted < ask.need) short.add(bucket);
      if (this.#holderId !== holderId) bucket.fence();
    });
    if (this.#holderId === holderId) this.#serve(short);
  }

  /** Admits waiting requests in order, and refuses those the store had too little for. */
  #serve(short: ReadonlySet<LocalBucket>): void {
    const nowMs = this.#options.clock.elapsedMs();
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) {
      const { admission, isAsked } = waiter;
      if (admission.take(nowMs)) {
        this.#leave(waiter);
        waiter.resolve(admission);
        continue;
      }
      waiter.isAsked = false;
      if (isAsked) waiter.tries += 1;
      const isLast = waiter.tries >= triesMax;
      const refused = isAsked
        ? this.#refusal(admission, (bucket, units) =>
            (isLast || short.has(bucket)) && !bucket.has(units) ? bucket.refuse(units, nowMs, slotsMs) : 0,
          )
        : undefined;
      if (refused === undefined) this.#waiters.push(waiter);
      else {
        this.#leave(waiter);
        // Others may need what a refused request was lent of its other buckets, so return it soon.
        for (const bucket of admission.buckets) this.touched(bucket);
        waiter.reject(refused);
      }
    }
  }

  #serveByShares(): void {
    const nowMs = this.#options.clock.elapsedMs();
    for (const waiter of this.#waiters.splice(0)) {
      this.#leave(waiter);
      try {
        waiter.resolve(this.#takeShares(waiter.admission, nowMs));
      } catch (error) {
        waiter.reject(error as GatewayError);
      }
    }
  }

  #leave({ admission }: LimitWaiter): void {
    for (const bucket of admission.buckets) bucket.waiting -= 1;
  }

  #lose(error: Error): void {
    this.#isStuck = false;
    this.#lostUntilMs = this.#options.clock.elapsedMs() + lostMs;
    this.#reportLoss(error.message);
    this.#serveByShares();
  }

  /** Logs once until the store answers again. */
  #reportLoss(error: string): void {
    if (!this.#isLossLogged) this.#options.log.warn("limits_by_share", { error });
    this.#isLossLogged = true;
  }

  #found(): void {
    this.#isStuck = false;
    this.#lostUntilMs = Number.NEGATIVE_INFINITY;
    if (this.#isLossLogged) this.#options.log.info("limits_shared_again");
    this.#isLossLogged = false;
  }
}
