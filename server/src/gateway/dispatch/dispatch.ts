/**
 * Step 5, dispatch: tries what may serve a request until something answers: deployments of the model asked
 * for, then those of the models that may take its place. Retry, fallback and hedging happen only here, and
 * only while the caller has received no content. Which deployment is next is upstream health's to say; the
 * rules are in docs/operate/routing.md.
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
  /** What substitutes took of their own limits; the caller of `dispatch` ends them. */
  readonly admissions: readonly LimitAdmission[];
  readonly end: AttemptEnd;
  readonly attempts: number;
  /** Every attempt in order; undefined for one of the model asked for that answered, or for none. */
  readonly log: readonly AttemptRecord[] | undefined;
  /** What the upstreams bill for attempts that did not serve the caller; null = unknown. */
  readonly wastedCost: NanoUsd | null;
  /** The model that served, or the one asked for where none did. */
  readonly resolved: PricedModel;
  /** The deployment of the last attempt; undefined when there was none. */
  readonly live: LiveDeployment | undefined;
  /** Elapsed milliseconds of the first content. */
  readonly firstContentMs: number | undefined;
  /** How long the last attempt took to it; undefined where there was none. */
  readonly waitedMs: number | undefined;
}

/**
 * Runs attempts until one answers, breaks after content, or none is left. The last fault is the one reported.
 */
export async function dispatch(context: DispatchContext, request: DispatchRequest): Promise<Dispatched> {
  const state = createDispatchState(context, request);
  reportBound(request);
  try {
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
 * Has the caller left, its key ended, or the process been told to stop,
 * while there was no attempt to notice it?
 */
function isUnwanted({ request, context }: DispatchState): boolean {
  const isEnded = request.caller.ended !== undefined || context.interruption.isInterrupted;
  return isEnded || (request.reply.isGone && !request.isKept);
}

/** True when the model of this step is within its own limits; otherwise the retry budget is settled. */
async function admitSubstitute(state: DispatchState, step: Step, isOwed: boolean): Promise<boolean> {
  let isWithin = false;
  try {
    isWithin = await isWithinLimits(state, step);
  } finally {
    if (!isWithin && isOwed) state.budget.settle(false);
  }
  return isWithin;
}

/** A step that did not come to an attempt, for want of a permit or of a caller. */
function skip(state: DispatchState, step: Step, isOwed: boolean): void {
  state.tried.push(step.choice);
  state.wasFull = true;
  if (isOwed) state.budget.settle(false);
}

/** One attempt, or two beside each other, up to what is written down of it. */
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
    // A mistake of ours must not cost the upstream a place for good.
    permit?.release();
    if (isOwed) state.budget.settle(false);
    throw error;
  }
  state.last =
    started instanceof Promise ? await started : { running: started, end: await started.attempt.ended };
  finishAttempt(state, state.last.running, state.last.end);
}

/** How the request ended, by its last attempt or for want of one. */
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
    wastedCost,
    resolved: (isServed ? last.running.candidate : asked).resolved,
    live: last?.running.choice.live,
    firstContentMs,
    waitedMs:
      attempt === undefined || firstContentMs === undefined ? undefined : firstContentMs - attempt.startedMs,
  };
}

/**
 * The soonest moment anything that may serve this request is ready again, in
 * milliseconds from now; undefined = unknown.
 */
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
 * A caller that was throttled is told the soonest time anybody named, also those
 * that were not called because they rest.
 */
function withSoonest(state: DispatchState, end: AttemptEnd): AttemptEnd {
  if (end.kind !== "fault" || end.fault.kind !== "rate_limit") return end;
  const knownMs = state.soonestMs;
  const readyMs = readyInMs(state);
  // What was heard is exact; what upstream health knows of it has grown a little shorter since.
  const isSooner = readyMs !== undefined && (knownMs === undefined || readyMs < knownMs - 1_000);
  const retryAfterMs = isSooner ? readyMs : (knownMs ?? end.fault.retryAfterMs);
  return { ...end, fault: { ...end.fault, retryAfterMs } };
}

/** Did every deployment ask for its rest because it is overloaded, none because we were throttled? */
function isResting({ context, request }: DispatchState): boolean {
  const nowMs = context.clock.elapsedMs();
  const { slots } = context.upstreamHealth;
  return request.candidates.every(({ resolved }) =>
    resolved.model.deployments.every(
      ({ live, deployment }) => slots.of(live, deployment.model).health.restUntilMs > nowMs,
    ),
  );
}

/** A second, where the pause of the model asked for has ended between two looks at it. */
function readyJustNow({ context, request }: DispatchState): number | undefined {
  const { model } = request.candidates[0].resolved;
  return context.upstreamHealth.readyInMs(model, context.clock.elapsedMs()) === 0 ? 1_000 : undefined;
}

/**
 * Where nothing was called: the caller left in line, or no upstream had a
 * permit, or everything rests, or is out.
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
