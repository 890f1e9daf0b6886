/**
 * What dispatch knows of one request while it is being served: what it may be served by, what was tried, what that brought, and
 * what may be tried next. It starts no calls.
 */
import type { NanoUsd } from "@plaza/contract/money.ts";
import { noCost } from "../../domain/money/cost.ts";
import { canFallBackToModel, isRepeatable } from "../../domain/routing/fault.ts";
import type { RetryBudget, RetryBudgets } from "../../domain/routing/retry-budget.ts";
import type { JsonScanner } from "../../lib/json/json-scan-shapes.ts";
import type { SseReaderFactory } from "../../lib/sse/sse.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import type { AttemptRecord } from "../../store/requests/request-shapes.ts";
import type { Place, PlacesOf } from "../limits/places.ts";
import type { Caller } from "../request/authenticate.ts";
import type { ReplayMemories } from "../request/replay-memory.ts";
import type { Reply } from "../request/reply.ts";
import type { Resolved } from "../request/resolve.ts";
import { type LiveModel, timeoutsOf } from "../snapshot.ts";
import type { Choice, Fleet } from "../upstreams/fleet.ts";
import { affinityOf } from "./affinity.ts";
import type { Attempt, AttemptContext, AttemptEnd } from "./attempt.ts";
import type { TranslatedContext } from "./translated-call.ts";
import { type Lesser, withoutParam } from "./without-param.ts";

/** One try and at most two more (`docs/promises.md`, defaults). */
export const attemptsMax = 3;

/** Longest pause before the same deployment is tried again, and the longest before the first repetition. Milliseconds. */
const pauseMaxMs = 2_000;
const firstPauseMs = 200;

/** Longest a request waits in all for what throttles it, and by how much those are spread that wait for the same. Milliseconds. */
const waitMaxMs = 5_000;
const spreadMs = 150;
const againMs = 50;

export interface DispatchContext extends AttemptContext, TranslatedContext {
  readonly memories: ReplayMemories;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly fleet: Fleet;
  readonly retryBudgets: RetryBudgets;
  readonly places: PlacesOf;
  readonly answerScanners: () => JsonScanner;
  readonly readers: SseReaderFactory;
}

/** A model the request may be served by, at its price. */
export interface Candidate {
  readonly resolved: Resolved;
  /** Most output tokens per choice that are paid for, where the caller may have asked for more. */
  readonly outputTokensMax: number | undefined;
  /** For a model with limits of its own that takes another's place: within them, this request too? Asked once, before its first attempt. */
  readonly admit?: (() => Promise<boolean>) | undefined;
}

export interface DispatchRequest extends Omit<ProviderRequest, "outputTokensMax"> {
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
  /** The most it may use, tokens; output per choice. */
  readonly most: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly furtherTokens: number;
    readonly choices: number;
  };
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

export interface Course {
  readonly context: DispatchContext;
  readonly request: DispatchRequest;
  readonly budget: RetryBudget;
  /** Elapsed milliseconds. */
  readonly startedMs: number;
  /** Elapsed milliseconds at which the request has to be over: the smallest total timer met so far. */
  deadlineMs: number;
  /** Place in the candidates of the model that is being tried. */
  at: number;
  readonly tried: Choice[];
  /** Substitutes that are within their limits. */
  readonly admitted: Candidate[];
  attempts: number;
  readonly log: AttemptRecord[];
  /** What the upstreams bill for attempts that did not serve the caller; null = unknown. */
  burnt: NanoUsd | null;
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
  /** Somebody had no place left, and no end of it in time. */
  wasFull: boolean;
  last: Ended | undefined;
}

export function createCourse(context: DispatchContext, request: DispatchRequest): Course {
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
    attempts: 0,
    log: [],
    burnt: noCost,
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
function affinityFor({ request }: Course, { deployments }: LiveModel): number | undefined {
  return deployments.length < 2 ? undefined : affinityOf(request, request.caller.key);
}

/** Something of this model that was not tried. */
export function chooseOf(course: Course, model: LiveModel, nowMs: number): Choice | undefined {
  const { tried, context } = course;
  const { isStream } = course.request;
  return context.fleet.choose(model, { affinity: affinityFor(course, model), isStream, tried, nowMs });
}

function candidateAt(course: Course): Candidate | undefined {
  return course.request.candidates[course.at];
}

/** The model's own window is too small for the request: only a larger one is worth another attempt. */
function isTooSmall(course: Course, candidate: Candidate): boolean {
  const { last } = course;
  if (last?.end.kind !== "fault" || last.end.fault.kind !== "context_length") return false;
  const { context: had } = last.running.candidate.resolved.model.model;
  const { context: has } = candidate.resolved.model.model;
  return had === undefined || has === undefined || has <= had;
}

/** The next deployment that was not tried, of this model or of the next one. */
function nextUntried(course: Course, nowMs: number): Step | undefined {
  for (let candidate = candidateAt(course); candidate !== undefined; candidate = candidateAt(course)) {
    if (!isTooSmall(course, candidate)) {
      const choice = chooseOf(course, candidate.resolved.model, nowMs);
      if (choice !== undefined) return { candidate, choice, pauseMs: 0 };
    }
    course.at += 1;
  }
  return undefined;
}

/** The only deployment there was, once more, after a broken connection or a 5xx that named no time to wait. */
function repetition(course: Course, nowMs: number): Step | undefined {
  const { last, context, attempts } = course;
  if (attempts !== 1 || last?.end.kind !== "fault" || !isRepeatable(last.end.fault)) return undefined;
  const { candidate } = last.running;
  const { model } = candidate.resolved;
  const { isStream } = course.request;
  const choice = context.fleet.choose(model, { affinity: undefined, isStream, tried: [], nowMs });
  const pauseMs = context.random() * Math.min(pauseMaxMs, firstPauseMs * 2 ** (attempts - 1));
  return choice === undefined || nowMs + pauseMs >= course.deadlineMs
    ? undefined
    : { candidate, choice, pauseMs };
}

/** The same deployment once more, without the parameter it refused by name, where the caller allows that. */
function lesserRequest(course: Course): Step | undefined {
  const { last, request } = course;
  if (request.dropsParams !== true || course.lesser !== undefined || last?.end.kind !== "fault")
    return undefined;
  course.lesser = withoutParam(request, last.end.fault);
  if (course.lesser === undefined) return undefined;
  return { candidate: last.running.candidate, choice: last.running.choice, pauseMs: 0 };
}

/** May there be another attempt at all, after what happened? */
function mayGoOn({ last, attempts, request, deadlineMs }: Course, nowMs: number): boolean {
  if (last === undefined) return true;
  return attempts < attemptsMax && nowMs < deadlineMs && (!request.reply.isGone || request.isKept);
}

/** Is anything else worth trying after what happened? */
function mayFallBack({ last }: Course): boolean {
  if (last === undefined) return true;
  const { end } = last;
  return end.kind === "fault" && canFallBackToModel(end.fault);
}

/** Is the model of this step within its own limits, where it takes another's place? When it is not, the next model is. */
export async function isWithinLimits(course: Course, { candidate }: Step): Promise<boolean> {
  if (candidate.admit === undefined || course.admitted.includes(candidate)) return true;
  if (await candidate.admit()) {
    course.admitted.push(candidate);
    return true;
  }
  course.at += 1;
  return false;
}

/**
 * Nothing can be called now. How long this request waits until something throttled may be: milliseconds, undefined = not at all. A
 * place in the budget's line is taken with it. What refused it may be tried again then.
 */
export function waitForThrottled(course: Course, nowMs: number): number | undefined {
  const { last, context, request, budget } = course;
  const isRepetition = last !== undefined;
  if (course.isSpent || course.wasFull || (request.reply.isGone && !request.isKept)) return undefined;
  if (isRepetition) {
    const isRefused = last.end.kind === "fault" && last.end.fault.kind === "rate_limit";
    if (!isRefused || course.attempts >= attemptsMax) return undefined;
  }
  let readyMs: number | undefined;
  for (const candidate of request.candidates) {
    // One beyond its own limits would not be called.
    if (candidate.admit !== undefined && !course.admitted.includes(candidate)) continue;
    const ms = context.fleet.waitMs(candidate.resolved.model, nowMs, isRepetition);
    if (ms !== undefined) readyMs = Math.min(readyMs ?? ms, ms);
  }
  // 0 without an attempt: its pause has ended just now, after it was passed over.
  if (readyMs === undefined) return undefined;
  const spread = readyMs === 0 ? firstPauseMs * 2 ** (course.attempts - 1) : spreadMs;
  const waitMs = readyMs + (readyMs === 0 ? againMs : 0) + context.random() * spread;
  const deadlineMs = Math.min(course.deadlineMs, course.startedMs + totalMsOf(request));
  if (course.waitedMs + waitMs > waitMaxMs || nowMs + waitMs >= deadlineMs || !budget.joinLine()) {
    return undefined;
  }
  course.waitedMs += waitMs;
  course.soonestMs = undefined;
  course.at = 0;
  for (const choice of course.throttled.splice(0)) course.tried.splice(course.tried.indexOf(choice), 1);
  return waitMs;
}

/** The whole time a request has that was not called yet, by the first deployment of its model. */
function totalMsOf({ candidates }: DispatchRequest): number {
  const [first] = candidates[0].resolved.model.deployments;
  return first === undefined ? 0 : timeoutsOf(first).totalMs;
}

/** What to try next; undefined: nothing more. A step after the first is under way in the retry budget until it is settled. */
export function nextStep(course: Course): Step | undefined {
  const nowMs = course.context.clock.elapsedMs();
  if (!mayGoOn(course, nowMs)) return undefined;
  let step = lesserRequest(course);
  if (step === undefined && mayFallBack(course)) {
    step = nextUntried(course, nowMs) ?? repetition(course, nowMs);
  }
  if (step === undefined || course.attempts === 0) return step;
  if (course.budget.begin(nowMs)) return step;
  course.isSpent = true;
  return undefined;
}

/** An attempt under way. */
export interface Running {
  readonly attempt: Attempt;
  readonly candidate: Candidate;
  readonly choice: Choice;
  readonly place: Place | undefined;
  /** Is its end still owed to the retry budget? */
  isOwed: boolean;
  /** Parameters of the caller's that this upstream was not told. */
  dropped: readonly string[] | undefined;
}
