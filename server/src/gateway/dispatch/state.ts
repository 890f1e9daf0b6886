/**
 * What dispatch knows of one request while it is being served: what it may be served by, what was tried, what
 * that brought, and what may be tried next. It starts no calls.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import type { NanoUsd } from "@plaza/contract/money.ts";
import { noCost } from "../../domain/money/cost.ts";
import { canFallBackToModel, isRepeatable } from "../../domain/routing/fault.ts";
import type { RetryBudget, RetryBudgets } from "../../domain/routing/retry-budget.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import type { AttemptRecord } from "../../store/requests/shapes.ts";
import type { ReadyEndpoint, RequestFields } from "../endpoints/endpoint.ts";
import type { ConcurrencyLimiters, Permit } from "../limits/concurrency-limiter.ts";
import type { LimitAdmission, Limits, SubstituteUse } from "../limits/limits.ts";
import type { WorstCase } from "../money/worst-case.ts";
import type { Caller } from "../request/authenticate.ts";
import type { ReplayMemories } from "../request/replay-memory.ts";
import type { Reply } from "../request/reply.ts";
import type { PricedModel } from "../request/resolve.ts";
import { type LiveModel, timeoutsOf } from "../snapshot.ts";
import type { Choice, UpstreamHealth } from "../upstreams/health.ts";
import { affinityOf } from "./affinity.ts";
import type { Attempt, AttemptContext, AttemptEnd } from "./attempt/attempt.ts";
import type { TranslatedContext } from "./attempt/translated-call.ts";
import { type Lesser, type RefusedParams, withoutParam } from "./without-param.ts";

/** One try and at most two more (`docs/promises.md`, defaults). */
export const attemptsMax = 3;

/**
 * Longest pause before the same deployment is tried again, and the longest
 * before the first repetition. Milliseconds.
 */
const pauseMaxMs = 2_000;
const firstPauseMs = 200;

/**
 * Longest a request waits in all for what throttles it, and by how much those are spread
 * that wait for the same. Milliseconds.
 */
const waitMaxMs = 5_000;
const spreadMs = 150;
const againMs = 50;

export interface DispatchContext extends AttemptContext, TranslatedContext {
  readonly memories: ReplayMemories;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly upstreamHealth: UpstreamHealth;
  readonly limits: Pick<Limits, "admitSubstitute">;
  readonly retryBudgets: RetryBudgets;
  readonly refusedParams: RefusedParams;
  readonly limiters: ConcurrencyLimiters;
}

/** A model the request may be served by, at its price. */
export interface Candidate {
  readonly resolved: PricedModel;
  /** Most output tokens per choice that are paid for, where the caller may have asked for more. */
  readonly outputTokensMax: number | undefined;
  /**
   * For a model with limits of its own that takes another's place: what this request
   * takes of them, before its first attempt.
   */
  readonly limitUse?: SubstituteUse | undefined;
}

export interface DispatchRequest extends Omit<ProviderRequest, "outputTokensMax"> {
  readonly endpoint: ReadyEndpoint;
  readonly fields: RequestFields;
  /** The model asked for, then those that may take its place, in order. At least one. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
  readonly reply: Reply;
  /** Whose request it is: sessions are kept together within it. */
  readonly caller: Pick<Caller, "ended"> & {
    readonly key: { readonly id: string; readonly accountId: string };
  };
  /** Paths of what the request holds that upstreams charge apart. */
  readonly apart: readonly string[];
  /** Did the caller ask for usage in its stream? */
  readonly showsUsage: boolean;
  readonly most: Pick<WorstCase, "inputTokens" | "outputTokens" | "furtherTokens" | "answers">;
  /** Is the answer kept for the caller's next try, so that it is wanted whether the caller stays or not? */
  readonly isKept: boolean;
}

/** An attempt that is over. */
export interface Ended {
  readonly running: Running;
  readonly end: AttemptEnd;
}

/** What to try next. */
export interface Step {
  readonly candidate: Candidate;
  readonly choice: Choice;
  /** Milliseconds to wait before; above 0 only when the same deployment is tried again. */
  readonly pauseMs: number;
}

export interface DispatchState {
  readonly context: DispatchContext;
  readonly request: DispatchRequest;
  readonly budget: RetryBudget;
  /** Elapsed milliseconds. */
  readonly startedMs: number;
  /** Elapsed milliseconds at which the request has to be over: the smallest total timer met so far. */
  deadlineMs: number;
  /** Index in the candidates of the model that is being tried. */
  at: number;
  readonly tried: Choice[];
  /** Substitutes that are within their limits, and what they took of them. */
  readonly admitted: Candidate[];
  readonly admissions: LimitAdmission[];
  attempts: number;
  readonly log: AttemptRecord[];
  /** What the upstreams bill for attempts that did not serve the caller; null = unknown. */
  wastedCost: NanoUsd | null;
  /** The soonest an upstream that throttled us said to come back, in milliseconds from when it was heard. */
  soonestMs: number | undefined;
  /** Choices that were throttled, so that they may be used again after a pause. */
  readonly throttled: Choice[];
  /** Milliseconds waited for what throttles. */
  waitedMs: number;
  /** The retry budget has nothing for it any more. */
  isSpent: boolean;
  /** The request without a parameter that was refused, once one was. */
  lesser: Lesser | undefined;
  /** An upstream had no permit left, and no end of it in time. */
  wasFull: boolean;
  last: Ended | undefined;
}

export function createDispatchState(context: DispatchContext, request: DispatchRequest): DispatchState {
  const startedMs = context.clock.elapsedMs();
  const budget = context.retryBudgets.of(request.candidates[0].resolved.model.model.id, startedMs);
  budget.earn(startedMs);
  return {
    context,
    request,
    budget,
    startedMs,
    deadlineMs: Number.POSITIVE_INFINITY,
    at: 0,
    tried: [],
    admitted: [],
    admissions: [],
    attempts: 0,
    log: [],
    wastedCost: noCost,
    soonestMs: undefined,
    throttled: [],
    waitedMs: 0,
    isSpent: false,
    lesser: undefined,
    wasFull: false,
    last: undefined,
  };
}

/** The session's hash, where there is a choice to be made by it. */
function affinityFor({ request }: DispatchState, { deployments }: LiveModel): number | undefined {
  return deployments.length < 2
    ? undefined
    : affinityOf(request, request.endpoint.sessionFields, request.caller.key);
}

/** Something of this model that was not tried. */
export function chooseOf(state: DispatchState, model: LiveModel, nowMs: number): Choice | undefined {
  const { tried, context } = state;
  const { isStream } = state.request;
  return context.upstreamHealth.choose(model, {
    affinity: affinityFor(state, model),
    isStream,
    tried,
    nowMs,
  });
}

function candidateAt(state: DispatchState): Candidate | undefined {
  return state.request.candidates[state.at];
}

/** The model's own window is too small for the request: only a larger one is worth another attempt. */
function isTooSmall(state: DispatchState, candidate: Candidate): boolean {
  const { last } = state;
  if (last?.end.kind !== "fault" || last.end.fault.kind !== "context_length") return false;
  const { context: had } = last.running.candidate.resolved.model.model;
  const { context: has } = candidate.resolved.model.model;
  return had === undefined || has === undefined || has <= had;
}

/** The next deployment that was not tried, of this model or of the next one. */
function nextUntried(state: DispatchState, nowMs: number): Step | undefined {
  for (let candidate = candidateAt(state); candidate !== undefined; candidate = candidateAt(state)) {
    if (!isTooSmall(state, candidate)) {
      const choice = chooseOf(state, candidate.resolved.model, nowMs);
      if (choice !== undefined) return { candidate, choice, pauseMs: 0 };
    }
    state.at += 1;
  }
  return undefined;
}

/**
 * The only deployment there was, once more, after a broken connection or a 5xx that named no time to wait.
 */
function repetition(state: DispatchState, nowMs: number): Step | undefined {
  const { last, context, attempts } = state;
  if (attempts !== 1 || last?.end.kind !== "fault" || !isRepeatable(last.end.fault)) return undefined;
  const { candidate } = last.running;
  const { model } = candidate.resolved;
  const { isStream } = state.request;
  const choice = context.upstreamHealth.choose(model, { affinity: undefined, isStream, tried: [], nowMs });
  const pauseMs = context.random() * Math.min(pauseMaxMs, firstPauseMs * 2 ** (attempts - 1));
  return choice === undefined || nowMs + pauseMs >= state.deadlineMs
    ? undefined
    : { candidate, choice, pauseMs };
}

/**
 * The same deployment once more, without the parameter it refused by name, where the caller allows that or
 * does not lose by it.
 */
function lesserRequest(state: DispatchState): Step | undefined {
  const { last, request } = state;
  const { madeGood, droppable } = request.endpoint;
  const leaves = request.dropsParams === true ? droppable : madeGood;
  if (leaves === undefined || state.lesser !== undefined || last?.end.kind !== "fault") return undefined;
  state.lesser = withoutParam(request, last.end.fault, leaves);
  if (state.lesser === undefined) return undefined;
  const { candidate, choice } = last.running;
  const { name } = state.lesser;
  const { refusedParams, clock } = state.context;
  if (madeGood?.has(name)) refusedParams.note(choice.live, name, clock.elapsedMs());
  return { candidate, choice, pauseMs: 0 };
}

/** May there be another attempt at all, after what happened? */
function mayGoOn({ last, attempts, request, deadlineMs }: DispatchState, nowMs: number): boolean {
  if (last === undefined) return true;
  return attempts < attemptsMax && nowMs < deadlineMs && (!request.reply.isGone || request.isKept);
}

/** Is anything else worth trying after what happened? */
function mayFallBack({ last }: DispatchState): boolean {
  if (last === undefined) return true;
  const { end } = last;
  return end.kind === "fault" && canFallBackToModel(end.fault);
}

/**
 * Is the model of this step within its own limits, where it takes another's
 * place? When it is not, the next model is.
 */
export async function isWithinLimits(state: DispatchState, { candidate }: Step): Promise<boolean> {
  if (candidate.limitUse === undefined || state.admitted.includes(candidate)) return true;
  try {
    const admission = await state.context.limits.admitSubstitute(candidate.limitUse);
    admission.start();
    state.admissions.push(admission);
    state.admitted.push(candidate);
    return true;
  } catch (error) {
    if (!(error instanceof GatewayError && error.code === "rate_limit_exceeded")) throw error;
  }
  state.at += 1;
  return false;
}

/**
 * Nothing can be called now. How long this request waits until something throttled may be:
 * milliseconds, undefined = not at all. A turn in the budget's line is taken with it.
 * What refused it may be tried again then.
 */
export function waitForThrottled(state: DispatchState, nowMs: number): number | undefined {
  const { last, context, request, budget } = state;
  const isRepetition = last !== undefined;
  if (state.isSpent || state.wasFull || (request.reply.isGone && !request.isKept)) return undefined;
  if (isRepetition) {
    const isRefused = last.end.kind === "fault" && last.end.fault.kind === "rate_limit";
    if (!isRefused || state.attempts >= attemptsMax) return undefined;
  }
  let readyMs: number | undefined;
  for (const candidate of request.candidates) {
    // One beyond its own limits would not be called.
    if (candidate.limitUse !== undefined && !state.admitted.includes(candidate)) continue;
    const ms = context.upstreamHealth.waitMs(candidate.resolved.model, nowMs, isRepetition);
    if (ms !== undefined) readyMs = Math.min(readyMs ?? ms, ms);
  }
  // 0 without an attempt: its pause has ended just now, after it was passed over.
  if (readyMs === undefined) return undefined;
  const spread = readyMs === 0 ? firstPauseMs * 2 ** (state.attempts - 1) : spreadMs;
  const waitMs = readyMs + (readyMs === 0 ? againMs : 0) + context.random() * spread;
  const deadlineMs = Math.min(state.deadlineMs, state.startedMs + totalMsOf(request));
  if (state.waitedMs + waitMs > waitMaxMs || nowMs + waitMs >= deadlineMs || !budget.joinLine()) {
    return undefined;
  }
  state.waitedMs += waitMs;
  state.soonestMs = undefined;
  state.at = 0;
  for (const choice of state.throttled.splice(0)) state.tried.splice(state.tried.indexOf(choice), 1);
  return waitMs;
}

/** The whole time a request has that was not called yet, by the first deployment of its model. */
function totalMsOf({ candidates }: DispatchRequest): number {
  const [first] = candidates[0].resolved.model.deployments;
  return first === undefined ? 0 : timeoutsOf(first).totalMs;
}

/**
 * What to try next; undefined: nothing more. A step after the first is under way in
 * the retry budget until it is settled.
 */
export function nextStep(state: DispatchState): Step | undefined {
  const nowMs = state.context.clock.elapsedMs();
  if (!mayGoOn(state, nowMs)) return undefined;
  let step = lesserRequest(state);
  if (step === undefined && mayFallBack(state)) {
    step = nextUntried(state, nowMs) ?? repetition(state, nowMs);
  }
  if (step === undefined || state.attempts === 0) return step;
  if (state.budget.begin(nowMs)) return step;
  state.isSpent = true;
  return undefined;
}

/** An attempt under way. */
export interface Running {
  readonly attempt: Attempt;
  readonly candidate: Candidate;
  readonly choice: Choice;
  readonly permit: Permit | undefined;
  /** Is its end still owed to the retry budget? */
  isOwed: boolean;
  /** Parameters of the caller's that this upstream was not told. */
  dropped: readonly string[] | undefined;
}
