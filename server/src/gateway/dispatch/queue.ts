/**
 * Waiting before an attempt: for a permit of an upstream that takes only so many calls at once, or for a
 * moment before the same deployment is tried again. Every wait has a bound and ends when the caller leaves.
 */
import { defaultQueue } from "@plaza/contract/catalog.ts";
import { Tickable } from "../../lib/time/ticker.ts";
import type { ConcurrencyLimiter, Permit, Waiter } from "../limits/concurrency-limiter.ts";
import type { CallerWatcher } from "../request/reply.ts";
import { type LiveDeployment, type LiveUpstream, timeoutsOf } from "../snapshot.ts";
import type { DispatchState } from "./state.ts";

/** The limiter of an upstream with a bound on concurrent calls; undefined: it has none. */
export function limiterOf({ context }: DispatchState, live: LiveUpstream): ConcurrencyLimiter | undefined {
  const { concurrency, queue } = live.upstream;
  return concurrency === undefined
    ? undefined
    : context.limiters.of(live, concurrency, queue ?? defaultQueue);
}

/**
 * A wait of a request: streams get comments meanwhile, and it is over when
 * the caller leaves, its key ends or the process stops.
 */
abstract class Waiting extends Tickable implements CallerWatcher {
  protected readonly state: DispatchState;

  constructor(state: DispatchState) {
    super();
    this.state = state;
    const { reply, isKept, isStream } = state.request;
    const { clock, ticker } = state.context;
    // An answer that is kept for the next try is wanted whether the caller stays or not.
    if (!isKept) reply.watch(this);
    if (isStream && reply.lastWriteMs === 0) reply.lastWriteMs = clock.elapsedMs();
    ticker.add(this);
  }

  /** It is over, for want of a caller or of a process. */
  abstract giveUp(): void;

  callerLeft(): void {
    this.giveUp();
  }

  tick(nowMs: number): void {
    const { context, request } = this.state;
    const { reply, isStream } = request;
    if (context.interruption.isInterrupted || request.caller.ended !== undefined) {
      this.giveUp();
    } else if (isStream && nowMs - reply.lastWriteMs >= context.settings.keepAliveCommentMs) {
      reply.lastWriteMs = nowMs;
      reply.comment();
    }
  }

  protected over(): void {
    this.state.context.ticker.delete(this);
    this.state.request.reply.unwatch(this);
  }
}

class Queued extends Waiting implements Waiter {
  readonly permit: Promise<Permit | undefined>;
  readonly #limiter: ConcurrencyLimiter;
  readonly #untilMs: number;
  #finish!: (permit: Permit | undefined) => void;

  constructor(state: DispatchState, limiter: ConcurrencyLimiter, untilMs: number) {
    super(state);
    this.#limiter = limiter;
    this.#untilMs = untilMs;
    this.permit = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  take(permit: Permit): void {
    this.#end(permit);
  }

  giveUp(): void {
    this.#end(undefined);
  }

  override tick(nowMs: number): void {
    if (nowMs > this.#untilMs) this.#end(undefined);
    else super.tick(nowMs);
  }

  #end(permit: Permit | undefined): void {
    this.over();
    this.#limiter.leave(this);
    this.#finish(permit);
  }
}

class Pausing extends Waiting {
  readonly ended: Promise<void>;
  #finish!: () => void;
  readonly #timer: NodeJS.Timeout;

  constructor(state: DispatchState, ms: number) {
    super(state);
    this.ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
    // Not left to the ticker, whose turns would bring all that wait for the same moment together.
    this.#timer = setTimeout(() => this.giveUp(), ms);
  }

  giveUp(): void {
    clearTimeout(this.#timer);
    this.over();
    this.#finish();
  }
}

/**
 * A permit of a bounded upstream: at once, or in its turn. undefined: the line is full, the first-token timer
 * or the request's time ran out, the caller left, its key ended, or the process stops.
 */
export function takePermit(
  state: DispatchState,
  limiter: ConcurrencyLimiter,
  live: LiveDeployment,
): Permit | undefined | Promise<Permit | undefined> {
  const permit = limiter.take();
  if (permit !== undefined || limiter.isLineFull) return permit;
  const nowMs = state.context.clock.elapsedMs();
  const { firstTokenMs, totalMs } = timeoutsOf(live);
  const deadlineMs = Math.min(state.deadlineMs, state.startedMs + totalMs);
  const queued = new Queued(state, limiter, Math.min(nowMs + firstTokenMs, deadlineMs));
  limiter.join(queued);
  return queued.permit;
}

/** Waits; shorter when the caller leaves, its key ends or the process stops. */
export function pause(state: DispatchState, ms: number): Promise<void> {
  return new Pausing(state, ms).ended;
}

/** The same for a request that has a place in the line of its model's retry budget, which it gives back. */
export async function waitInLine(state: DispatchState, ms: number): Promise<void> {
  await pause(state, ms);
  state.budget.leaveLine();
}
