/**
 * Waits before an attempt: for a permit of an upstream with limited concurrency, or for the backoff before a
 * retry. Every wait is bounded and ends when the caller disconnects.
 */
import { defaultQueue } from "@plaza/contract/catalog.ts";
import { Tickable } from "../../lib/time/ticker.ts";
import type { ConcurrencyLimiter, Permit, Waiter } from "../limits/concurrency-limiter.ts";
import type { CallerWatcher } from "../request/reply.ts";
import { type LiveDeployment, type LiveUpstream, timeoutsOf } from "../snapshot.ts";
import type { DispatchState } from "./state.ts";

/** Returns the upstream's concurrency limiter; undefined when it has no limit. */
export function limiterOf({ context }: DispatchState, live: LiveUpstream): ConcurrencyLimiter | undefined {
  const { concurrency, queue } = live.upstream;
  return concurrency === undefined
    ? undefined
    : context.limiters.of(live, concurrency, queue ?? defaultQueue);
}

/**
 * A waiting request. Streams get keep-alive comments. Waiting ends early when the caller disconnects, its key
 * is shut down or the process stops.
 */
abstract class Waiting extends Tickable implements CallerWatcher {
  protected readonly state: DispatchState;

  constructor(state: DispatchState) {
    super();
    this.state = state;
    const { reply, isKept, isStream } = state.request;
    const { clock, ticker } = state.context;
    // A kept answer is needed for the caller's retry, so a disconnect does not end the wait.
    if (!isKept) reply.watch(this);
    if (isStream && reply.lastWriteMs === 0) reply.lastWriteMs = clock.elapsedMs();
    ticker.add(this);
  }

  /** Ends the wait early. */
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
    // A timer of its own: the shared ticker would wake all requests with the same delay at once.
    this.#timer = setTimeout(() => this.giveUp(), ms);
  }

  giveUp(): void {
    clearTimeout(this.#timer);
    this.over();
    this.#finish();
  }
}

/**
 * Takes a permit, now or when its turn comes. Returns undefined when the queue is full, the first-token
 * timeout or the request's time has passed, the caller has disconnected, its key was shut down, or the
 * process stops.
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

/** Waits `ms` milliseconds, or less when the wait is no longer useful. */
export function pause(state: DispatchState, ms: number): Promise<void> {
  return new Pausing(state, ms).ended;
}

/** Like `pause`, for a request that waits in its retry budget's line. It leaves the line afterwards. */
export async function waitInLine(state: DispatchState, ms: number): Promise<void> {
  await pause(state, ms);
  state.budget.leaveLine();
}
