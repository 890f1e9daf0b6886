/**
 * A hedged request: when the first attempt is slow to begin, a second one runs beside it at another
 * deployment. The first that has content gets the caller, the other is stopped. Nothing of an attempt
 * reaches the reply before it has won.
 */
import { canFallBack } from "../../domain/routing/fault.ts";
import type { Permit } from "../limits/concurrency-limiter.ts";
import type { CallerWatcher } from "../request/reply.ts";
import type { Attempt, AttemptEnd } from "./attempt/attempt.ts";
import { limiterOf } from "./queue.ts";
import { finishAttempt, type Hedge, startAttempt } from "./start-attempt.ts";
import { attemptsMax, chooseOf, type DispatchState, type Ended, type Running, type Step } from "./state.ts";

/**
 * How long the first attempt may take to begin, in milliseconds; undefined = no second one. Without a time in
 * the catalog it is the model's own 95th percentile, of streams to their first content or of whole answers.
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

  /**
   * The first attempt takes long: a second one, if there is another deployment
   * with a permit free, and budget for it.
   */
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
    // Paid for whatever it brings: it is more traffic upstream.
    budget.settle(!isFull);
    if (isFull) return;
    try {
      this.#watch(startAttempt(state, { candidate, choice }, permit, { isOwed: false, hedge: this }));
    } catch (error) {
      // A mistake of ours in a timer would end the process; the first attempt goes on alone.
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
    // What the caller made wrong is wrong everywhere.
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
   * The attempt the request ends with: the winner, else a fault of the
   * caller's, else the fault that came last.
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
 * Runs an attempt, and another one beside it when it has not begun after `afterMs`. All but the
 * one it resolves with are written down.
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
