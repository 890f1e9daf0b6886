/**
 * Hedged requests: when the first attempt is slow, a second one starts at another deployment. The first to
 * have content wins and the other is stopped. No attempt writes to the reply before it has won.
 */
import { canFallBack } from "../../domain/routing/fault.ts";
import type { Permit } from "../limits/concurrency-limiter.ts";
import type { CallerWatcher } from "../request/reply.ts";
import type { Attempt, AttemptEnd } from "./attempt/attempt.ts";
import { limiterOf } from "./queue.ts";
import { finishAttempt, type Hedge, startAttempt } from "./start-attempt.ts";
import { attemptsMax, chooseOf, type DispatchState, type Ended, type Running, type Step } from "./state.ts";

/**
 * Returns the delay before the hedge in milliseconds; undefined = no hedge. The default is the model's own
 * 95th percentile: time to first content for streams, total time for whole answers.
 */
export function hedgeAfterMs({ context, request }: DispatchState, { candidate }: Step): number | undefined {
  const { model } = candidate.resolved;
  const { hedge } = model.model;
  if (hedge === undefined || model.deployments.length < 2) return undefined;
  return hedge.afterMs ?? context.upstreamHealth.p95AnswerMs(model, request.isStream);
}

class HedgedAttempts implements Hedge, CallerWatcher {
  readonly over: Promise<Ended>;
  readonly #state: DispatchState;
  readonly #running: Running[] = [];
  readonly #ended: Ended[] = [];
  #winner: Running | undefined;
  #timer: NodeJS.Timeout | undefined;
  #finish!: (ended: Ended) => void;

  constructor(state: DispatchState) {
    this.#state = state;
    this.over = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  run(first: Running, afterMs: number): void {
    const { reply } = this.#state.request;
    if (!reply.isGone) reply.watch(this);
    this.#timer = setTimeout(() => this.#hedge(first), afterMs);
    this.#watch(first);
  }

  callerLeft(): void {
    clearTimeout(this.#timer);
    for (const { attempt } of this.#running) attempt.callerLeft();
  }

  claim(attempt: Attempt): boolean {
    if (this.#winner !== undefined) return false;
    this.#winner = this.#running.find((running) => running.attempt === attempt);
    clearTimeout(this.#timer);
    this.#state.request.reply.unwatch(this);
    attempt.takeReply();
    this.#stopAllBut(attempt);
    return true;
  }

  #watch(running: Running): void {
    this.#running.push(running);
    void running.attempt.ended.then((end) => this.#take(running, end));
  }

  #stopAllBut(attempt: Attempt | undefined): void {
    for (const running of this.#running) if (running.attempt !== attempt) running.attempt.stop();
  }

  /** Starts the second attempt, if another deployment has a free permit and the retry budget allows it. */
  #hedge(first: Running): void {
    const state = this.#state;
    const { request, context, budget } = state;
    const nowMs = context.clock.elapsedMs();
    if (request.reply.isGone || context.interruption.isInterrupted || state.attempts >= attemptsMax) return;
    const { candidate } = first;
    const choice = chooseOf(state, candidate.resolved.model, nowMs);
    if (choice === undefined || choice.live === first.choice.live || !budget.begin(nowMs)) return;
    const limiter = limiterOf(state, choice.live.live);
    const permit: Permit | undefined = limiter?.take();
    const isFull = limiter !== undefined && permit === undefined;
    // Charged to the budget whatever the result, because it adds upstream traffic.
    budget.settle(!isFull);
    if (isFull) return;
    try {
      this.#watch(startAttempt(state, { candidate, choice }, permit, { isOwed: false, hedge: this }));
    } catch (error) {
      // An exception in a timer would end the process. The first attempt continues alone.
      permit?.release();
      context.log.error("attempt_not_started", {
        request: request.reply.requestId,
        upstream: choice.live.live.upstream.id,
        error: (error as Error).name,
      });
    }
  }

  #take(running: Running, end: AttemptEnd): void {
    this.#ended.push({ running, end });
    clearTimeout(this.#timer);
    // A request that is invalid for one deployment is invalid for all.
    if (end.kind === "fault" && !canFallBack(end.fault)) this.#stopAllBut(running.attempt);
    if (this.#ended.length < this.#running.length) return;
    this.#state.request.reply.unwatch(this);
    const served = this.#served();
    for (const ended of this.#ended) {
      if (ended !== served) finishAttempt(this.#state, ended.running, ended.end, true);
    }
    this.#finish(served);
  }

  /**
   * Returns the attempt that decides the request: the winner, else a fault of the caller's, else the last
   * fault.
   */
  #served(): Ended {
    const ended = this.#ended;
    const found =
      ended.find(({ running }) => running === this.#winner) ??
      ended.find(({ end }) => end.kind === "fault" && !canFallBack(end.fault)) ??
      ended.findLast(({ end }) => end.kind === "fault") ??
      ended.at(-1);
    if (found === undefined) throw new Error("a race has at least one attempt");
    return found;
  }
}

/**
 * Runs an attempt, and a second one if it has not begun after `afterMs` milliseconds. Records every attempt
 * except the one it resolves with.
 */
export function runHedged(
  state: DispatchState,
  step: Step,
  permit: Permit | undefined,
  { isOwed, afterMs }: { readonly isOwed: boolean; readonly afterMs: number },
): Promise<Ended> {
  const hedged = new HedgedAttempts(state);
  hedged.run(startAttempt(state, step, permit, { isOwed, hedge: hedged }), afterMs);
  return hedged.over;
}
