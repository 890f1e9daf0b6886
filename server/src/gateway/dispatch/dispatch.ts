/**
 * Tries deployments until one answers: first those of the requested model, then those of its substitutes.
 * Retries, fallbacks and hedges happen only here, and only before the caller has received content. Upstream
 * health chooses the next deployment; docs/operate/routing.md has the rules.
 */
import type { NanoUsd } from "@plaza/contract/money.ts";
import { noDelivery } from "../../domain/money/estimate.ts";
import type { Fault } from "../../protocols/protocol.ts";
import type { AttemptRecord } from "../../store/requests/shapes.ts";
import type { Permit } from "../limits/concurrency-limiter.ts";
import type { LimitAdmission } from "../limits/limits.ts";
import type { PricedModel } from "../request/resolve.ts";
import type { LiveDeployment } from "../snapshot.ts";
import type { AttemptEnd } from "./attempt/attempt.ts";
import { hedgeAfterMs, runHedged } from "./hedge.ts";
import { findMakers } from "./makers.ts";
import { limiterOf, pause, takePermit, waitInLine } from "./queue.ts";
import { finishAttempt, reportBound, startAttempt } from "./start-attempt.ts";
import {
  createDispatchState,
  type DispatchContext,
  type DispatchRequest,
  type DispatchState,
  type Ended,
  isWithinLimits,
  nextStep,
  type Running,
  type Step,
  waitForThrottled,
} from "./state.ts";

export type { Candidate, DispatchContext, DispatchRequest } from "./state.ts";

export interface Dispatched {
  /** Rate limit admissions of substitutes. The caller of `dispatch` must end them. */
  readonly admissions: readonly LimitAdmission[];
  readonly end: AttemptEnd;
  readonly attempts: number;
  /**
   * Every attempt in order. undefined when there was none, or when the requested model answered at the first
   * attempt.
   */
  readonly log: readonly AttemptRecord[] | undefined;
  /** Milliseconds from the request's arrival to the start of the first attempt; null when there was none. */
  readonly queueMs: number | null;
  /** Upstream cost of attempts that did not serve the caller; null = unknown. */
  readonly wastedCost: NanoUsd | null;
  /** The model that served; the requested one when none did. */
  readonly resolved: PricedModel;
  /** The deployment of the last attempt; undefined when there was none. */
  readonly live: LiveDeployment | undefined;
  /** Monotonic time of the first content, in milliseconds. */
  readonly firstContentMs: number | undefined;
  /** Milliseconds from the start of the last attempt to its first content; undefined = no content. */
  readonly waitedMs: number | undefined;
}

/**
 * Makes attempts until one answers, breaks off after content, or nothing is left to try. The last fault is
 * the one reported.
 */
export async function dispatch(context: DispatchContext, request: DispatchRequest): Promise<Dispatched> {
  const state = createDispatchState(context, request);
  reportBound(request);
  try {
    const finding = findMakers(state);
    if (finding !== undefined) state.made = await finding;
    return await run(state);
  } catch (error) {
    for (const admission of state.admissions) admission.end(0);
    throw error;
  }
}

async function run(state: DispatchState): Promise<Dispatched> {
  const { context } = state;
  for (;;) {
    const step = nextStep(state);
    if (step === undefined) {
      const waitMs = waitForThrottled(state, context.clock.elapsedMs());
      if (waitMs === undefined) break;
      await waitInLine(state, waitMs);
      if (isUnwanted(state)) break;
      continue;
    }
    if (step.pauseMs > 0) await pause(state, step.pauseMs);
    const isOwed = state.attempts > 0;
    if (step.candidate.limitUse !== undefined && !(await admitSubstitute(state, step, isOwed))) continue;
    const limiter = limiterOf(state, step.choice.live.live);
    let permit: Permit | undefined;
    if (limiter !== undefined && !isUnwanted(state)) {
      const taking = takePermit(state, limiter, step.choice.live);
      permit = taking instanceof Promise ? await taking : taking;
    }
    if (isUnwanted(state) || (limiter !== undefined && permit === undefined)) {
      permit?.release();
      skip(state, step, isOwed);
      if (isUnwanted(state)) break;
    } else {
      await attempt(state, step, permit, isOwed);
    }
  }
  return conclude(state);
}

/**
 * True when the caller disconnected, its key was shut down or the process stops. Checked between attempts,
 * where no attempt is running that would notice.
 */
function isUnwanted({ request, context }: DispatchState): boolean {
  const isEnded = request.caller.ended !== undefined || context.interruption.isInterrupted;
  return isEnded || (request.reply.isGone && !request.isKept);
}

/** Takes the substitute's own limits. When they are exceeded, returns false and settles the retry budget. */
async function admitSubstitute(state: DispatchState, step: Step, isOwed: boolean): Promise<boolean> {
  let isWithin = false;
  try {
    isWithin = await isWithinLimits(state, step);
  } finally {
    if (!isWithin && isOwed) state.budget.settle(false);
  }
  return isWithin;
}

/** Records a step that made no attempt, because it got no permit or was no longer wanted. */
function skip(state: DispatchState, step: Step, isOwed: boolean): void {
  state.tried.push(step.choice);
  state.wasFull = true;
  if (isOwed) state.budget.settle(false);
}

/** Runs one attempt, or a hedged pair, and records the result. */
async function attempt(
  state: DispatchState,
  step: Step,
  permit: Permit | undefined,
  isOwed: boolean,
): Promise<void> {
  const afterMs = hedgeAfterMs(state, step);
  let started: Running | Promise<Ended>;
  try {
    started =
      afterMs === undefined
        ? startAttempt(state, step, permit, { isOwed })
        : runHedged(state, step, permit, { isOwed, afterMs });
  } catch (error) {
    // An unexpected exception must not leak the upstream's permit.
    permit?.release();
    if (isOwed) state.budget.settle(false);
    throw error;
  }
  state.last =
    started instanceof Promise ? await started : { running: started, end: await started.attempt.ended };
  finishAttempt(state, state.last.running, state.last.end);
}

/** When the first attempt began; null without one. Hedged ones are recorded in the order of their ends. */
function queueMsOf(log: readonly AttemptRecord[]): number | null {
  let first: number | null = null;
  for (const { startMs } of log) {
    if (startMs !== undefined && (first === null || startMs < first)) first = startMs;
  }
  return first;
}

/** Builds the result from the last attempt, or from the reason there was none. */
function conclude(state: DispatchState): Dispatched {
  const { last, attempts, log, wastedCost, request } = state;
  const [asked] = request.candidates;
  const end = last === undefined ? endWithout(state) : withSoonest(state, last.end);
  const isServed = end.kind !== "fault" && last !== undefined;
  const attempt = last?.running.attempt;
  const firstContentMs = attempt?.firstContentMs;
  const isPlain = attempts === 0 || (attempts === 1 && log[0]?.fault === null && log[0].model === undefined);
  return {
    admissions: state.admissions,
    end,
    attempts,
    log: isPlain ? undefined : log,
    queueMs: queueMsOf(log),
    wastedCost,
    resolved: (isServed ? last.running.candidate : asked).resolved,
    live: last?.running.choice.live,
    firstContentMs,
    waitedMs:
      attempt === undefined || firstContentMs === undefined ? undefined : firstContentMs - attempt.startedMs,
  };
}

/** Returns when the first candidate becomes available, in milliseconds from now; undefined = unknown. */
function readyInMs({ context, request }: DispatchState): number | undefined {
  const nowMs = context.clock.elapsedMs();
  let soonest: number | undefined;
  for (const { resolved } of request.candidates) {
    const readyMs = context.upstreamHealth.readyInMs(resolved.model, nowMs);
    if (readyMs !== undefined && readyMs > 0) soonest = Math.min(soonest ?? readyMs, readyMs);
  }
  return soonest;
}

/**
 * Sets Retry-After of a throttled request to the earliest known time, including deployments that were not
 * called because they are resting.
 */
function withSoonest(state: DispatchState, end: AttemptEnd): AttemptEnd {
  if (end.kind !== "fault" || end.fault.kind !== "rate_limit") return end;
  const knownMs = state.soonestMs;
  const readyMs = readyInMs(state);
  // The upstream's own time is exact; health's remaining time has shrunk a little since, so ignore small
  // differences.
  const isSooner = readyMs !== undefined && (knownMs === undefined || readyMs < knownMs - 1_000);
  const retryAfterMs = isSooner ? readyMs : (knownMs ?? end.fault.retryAfterMs);
  return { ...end, fault: { ...end.fault, retryAfterMs } };
}

/** True when all deployments rest because of overload. False when at least one throttled us. */
function isResting({ context, request }: DispatchState): boolean {
  const nowMs = context.clock.elapsedMs();
  const { slots } = context.upstreamHealth;
  return request.candidates.every(({ resolved }) =>
    resolved.model.deployments.every(
      ({ live, deployment }) => slots.of(live, deployment.model).health.restUntilMs > nowMs,
    ),
  );
}

/** Returns one second when the requested model's pause has ended since it was last checked. */
function readyJustNow({ context, request }: DispatchState): number | undefined {
  const { model } = request.candidates[0].resolved;
  return context.upstreamHealth.readyInMs(model, context.clock.elapsedMs()) === 0 ? 1_000 : undefined;
}

/**
 * Returns the end of a request without any attempt: the caller disconnected, no permit was free, or every
 * deployment is resting or has no usable credential.
 */
function endWithout(state: DispatchState): AttemptEnd {
  const { context, request, wasFull } = state;
  if (request.reply.isGone && !request.isKept) {
    return { kind: "aborted", usage: undefined, delivered: noDelivery };
  }
  let fault: Fault;
  if (context.interruption.isInterrupted) {
    fault = { kind: "stopping", note: "the process stops" };
  } else if (request.caller.ended !== undefined) {
    fault = { kind: "key_ended", note: "the key was shut down" };
  } else if (wasFull) {
    fault = { kind: "overloaded", retryAfterMs: 1_000, note: "no place at the upstream in time" };
  } else {
    const retryAfterMs = readyInMs(state) ?? readyJustNow(state);
    const kind = isResting(state) ? "overloaded" : "rate_limit";
    fault =
      retryAfterMs === undefined
        ? { kind: "upstream_quota", note: "every credential is out" }
        : { kind, retryAfterMs, note: "everything rests" };
  }
  return { kind: "fault", fault, usage: undefined };
}
