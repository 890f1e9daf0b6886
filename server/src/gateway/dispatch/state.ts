/**
 * The state of one request in dispatch: candidates, attempts so far and their results, and the choice of the
 * next step. Makes no calls itself.
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
import type { OpaqueItems, ReadyEndpoint, RequestFields } from "../endpoints/endpoint.ts";
import type { ConcurrencyLimiters, Permit } from "../limits/concurrency-limiter.ts";
import type { LimitAdmission, Limits, SubstituteUse } from "../limits/limits.ts";
import type { WorstCase } from "../money/worst-case.ts";
import type { Caller } from "../request/authenticate.ts";
import type { PayloadSeals } from "../request/memory/payload-seals.ts";
import type { ReplayMemories } from "../request/memory/replay-memory.ts";
import type { Reply } from "../request/reply.ts";
import type { PricedModel } from "../request/resolve.ts";
import { type LiveModel, timeoutsOf } from "../snapshot.ts";
import type { Choice, UpstreamHealth } from "../upstreams/health.ts";
import { affinityOf } from "./affinity.ts";
import type { Attempt, AttemptContext, AttemptEnd } from "./attempt/attempt.ts";
import type { TranslatedContext } from "./attempt/translated-call.ts";
import type { Offer } from "./without-offers.ts";
import { type Lesser, type RefusedParams, withoutParam } from "./without-param.ts";

/** One attempt and at most two more (`docs/promises.md`, defaults). */
export const attemptsMax = 3;

/**
 * Longest backoff before a retry at the same deployment, and the longest before the first one. Milliseconds.
 */
const pauseMaxMs = 2_000;
const firstPauseMs = 200;

/**
 * Longest total wait of a request for throttled deployments, and the random spread between requests that wait
 * for the same one. Milliseconds.
 */
const waitMaxMs = 5_000;
const spreadMs = 150;
const againMs = 50;

export interface DispatchContext extends AttemptContext, TranslatedContext {
  readonly memories: ReplayMemories;
  readonly seals: PayloadSeals;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly upstreamHealth: UpstreamHealth;
  readonly limits: Pick<Limits, "admitSubstitute">;
  readonly retryBudgets: RetryBudgets;
  readonly refusedParams: RefusedParams;
  readonly limiters: ConcurrencyLimiters;
}

/** A model that may serve the request, with its price. */
export interface Candidate {
  readonly resolved: PricedModel;
  /** Output tokens per choice that the hold pays for; undefined = what the caller asked for. */
  readonly outputTokensMax: number | undefined;
  /** What a substitute takes of its own model's limits before its first attempt. */
  readonly limitUse?: SubstituteUse | undefined;
}

export interface DispatchRequest extends Omit<ProviderRequest, "outputTokensMax"> {
  readonly endpoint: ReadyEndpoint;
  readonly fields: RequestFields;
  /** The model that is tried first, then its substitutes in order. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
  readonly reply: Reply;
  /** The caller: its key and account identify the session, and its calls stop when the key is shut down. */
  readonly caller: Pick<Caller, "ended"> & {
    readonly key: { readonly id: string; readonly accountId: string };
  };
  /** Paths of fields that upstreams bill separately from tokens. */
  readonly apart: readonly string[];
  /** What may be left out where an upstream would bill it separately. Absent = nothing. */
  readonly offers?: readonly Offer[] | undefined;
  /** True when the caller asked for usage in its stream. */
  readonly showsUsage: boolean;
  /** True when `body` is not the caller's own: callers are told what it has no word for. */
  readonly isRewritten: boolean;
  readonly most: Pick<WorstCase, "inputTokens" | "outputTokens" | "furtherTokens" | "answers">;
  /** Monotonic time of the request's arrival, in milliseconds. */
  readonly arrivedMs: number;
  /** True when the answer is stored for a retry, so it is needed even after a disconnect. */
  readonly isKept: boolean;
}

/** A finished attempt. */
export interface Ended {
  readonly running: Running;
  readonly end: AttemptEnd;
}

/** What to try next. */
export interface Step {
  readonly candidate: Candidate;
  readonly choice: Choice;
  /** Milliseconds to wait first; above 0 only for a retry at the same deployment. */
  readonly pauseMs: number;
}

/** Who made the opaque items of a request, as far as that is known. */
export interface MadeItems extends Omit<OpaqueItems, "found"> {
  readonly makers: ReadonlyMap<number, string>;
}

export interface DispatchState {
  readonly context: DispatchContext;
  readonly request: DispatchRequest;
  readonly budget: RetryBudget;
  /** Monotonic start of the request in milliseconds. */
  readonly startedMs: number;
  /** Monotonic time in milliseconds when the request must end: the smallest total timeout so far. */
  deadlineMs: number;
  /** Index of the current candidate. */
  at: number;
  readonly tried: Choice[];
  /** Substitutes whose own limits have been taken. */
  readonly admitted: Candidate[];
  readonly admissions: LimitAdmission[];
  attempts: number;
  readonly log: AttemptRecord[];
  /** Upstream cost of attempts that did not serve the caller; null = unknown. */
  wastedCost: NanoUsd | null;
  /** Shortest Retry-After of the upstreams that throttled us, in milliseconds from its arrival. */
  soonestMs: number | undefined;
  /** Throttled choices, which may be tried again after a wait. */
  readonly throttled: Choice[];
  /** Milliseconds waited so far for throttled deployments. */
  waitedMs: number;
  /** True when the retry budget refused a further attempt. */
  isSpent: boolean;
  /** The request without a refused parameter, once one was refused. */
  lesser: Lesser | undefined;
  /** Who made the opaque reasoning in the request; undefined: it holds none. */
  made: MadeItems | undefined;
  /** True when an attempt was skipped for lack of a permit. */
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
    made: undefined,
    wasFull: false,
    last: undefined,
  };
}

/** Returns the session's hash; undefined when there is only one deployment. */
function affinityFor({ request }: DispatchState, { deployments }: LiveModel): number | undefined {
  return deployments.length < 2
    ? undefined
    : affinityOf(request, request.endpoint.sessionFields, request.caller.key);
}

/** Who made the last of a request's opaque items. */
function newestMaker(made: MadeItems | undefined): string | undefined {
  if (made === undefined) return undefined;
  const last = Math.max(-1, ...made.makers.keys());
  return made.makers.get(last);
}

/** Chooses an untried deployment and credential of the model. */
export function chooseOf(state: DispatchState, model: LiveModel, nowMs: number): Choice | undefined {
  const { tried, context } = state;
  const { isStream } = state.request;
  return context.upstreamHealth.choose(model, {
    affinity: affinityFor(state, model),
    maker: newestMaker(state.made),
    isStream,
    tried,
    nowMs,
  });
}

function candidateAt(state: DispatchState): Candidate | undefined {
  return state.request.candidates[state.at];
}

/** True when the last attempt exceeded the context window and this model's is not larger. */
function isTooSmall(state: DispatchState, candidate: Candidate): boolean {
  const { last } = state;
  if (last?.end.kind !== "fault" || last.end.fault.kind !== "context_length") return false;
  const { context: had } = last.running.candidate.resolved.model.model;
  const { context: has } = candidate.resolved.model.model;
  return had === undefined || has === undefined || has <= had;
}

/** Returns the next untried deployment, of this candidate or a later one. */
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

/** Returns a retry at the only deployment, after a connection error or a 5xx without Retry-After. */
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
 * Returns a retry at the same deployment without the parameter it refused, if the caller allows that or does
 * not miss it.
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

/** True when another attempt is possible: attempts and time are left and the answer is still needed. */
function mayGoOn({ last, attempts, request, deadlineMs }: DispatchState, nowMs: number): boolean {
  if (last === undefined) return true;
  return attempts < attemptsMax && nowMs < deadlineMs && (!request.reply.isGone || request.isKept);
}

/** True when another deployment may succeed after the last fault. */
function mayFallBack({ last }: DispatchState): boolean {
  if (last === undefined) return true;
  const { end } = last;
  return end.kind === "fault" && canFallBackToModel(end.fault);
}

/**
 * Takes the substitute's own limits. Returns false, and moves on to the next candidate, when they are
 * exceeded.
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
 * Called when nothing can be tried now. Returns how long to wait for a throttled deployment, in milliseconds;
 * undefined = do not wait. Also joins the retry budget's line and makes throttled choices available again.
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
    // A substitute whose limits have not been taken may be over them, so do not wait for it.
    if (candidate.limitUse !== undefined && !state.admitted.includes(candidate)) continue;
    const ms = context.upstreamHealth.waitMs(candidate.resolved.model, nowMs, isRepetition);
    if (ms !== undefined) readyMs = Math.min(readyMs ?? ms, ms);
  }
  // 0 without an attempt means that a pause ended just after the deployment was passed over.
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

/** Total time of a request without attempts, taken from its model's first deployment. */
function totalMsOf({ candidates }: DispatchRequest): number {
  const [first] = candidates[0].resolved.model.deployments;
  return first === undefined ? 0 : timeoutsOf(first).totalMs;
}

/**
 * Returns the next step; undefined when nothing is left. Every step after the first is charged to the retry
 * budget and must be settled there.
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

/** A running attempt. */
export interface Running {
  readonly attempt: Attempt;
  readonly candidate: Candidate;
  readonly choice: Choice;
  readonly permit: Permit | undefined;
  /** True until the retry budget has been settled for this attempt. */
  isOwed: boolean;
  /** Caller parameters that were not sent to this upstream. */
  dropped: readonly string[] | undefined;
  /** Paths of pieces that were left out, in the order of the body. */
  readonly left: readonly string[] | undefined;
}
