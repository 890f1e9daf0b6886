/**
 * The live state of the catalog's deployments and credentials: which to use next, how they are
 * doing, and what is out. It outlives snapshots where nothing changed. It makes no calls and knows
 * nothing of the request beyond its `ChoiceRequest`.
 */
import type { ModelReport, UpstreamState } from "@plaza/contract/upstream-states.ts";
import type { UsageDoubt } from "../../domain/money/usage-trust.ts";
import { credentialBegan } from "../../domain/routing/credential-health.ts";
import { p95FirstTokenMs } from "../../domain/routing/first-token.ts";
import { deploymentBegan } from "../../domain/routing/health.ts";
import { paceAtLeast, paceOver, paceSent } from "../../domain/routing/pace.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Fault } from "../../protocols/protocol.ts";
import type { LiveModel, Snapshot } from "../snapshot.ts";
import { Call, type Choice, type ChoiceRequest, paceOf } from "./call-ends.ts";
import { chooseTargetOf, createPlan, findCredential, type Plan, readyInMs, waitOf } from "./choose.ts";
import { createSlots, type DeploymentSlot, type Slots } from "./slots.ts";
import { listStates, reportModels } from "./states.ts";
import { type HealthEvent, noteFault, noteSuccess, noteUsageDoubt } from "./verdict.ts";

export type { Choice } from "./call-ends.ts";

/** How an attempt ended. */
export interface Outcome {
  /** undefined: it answered. */
  readonly fault: Fault | undefined;
  /** The caller left, or the attempt was not wanted any more: that says nothing about the upstream. */
  readonly isCallerGone: boolean;
}

export interface UpstreamHealth {
  /**
   * The next thing to try for this request, or undefined when there is none: everything was tried or rests.
   * Another credential of a deployment already tried is given only when it was the credential that failed.
   * Somebody who wants to repeat the same deployment begins the choice in hand once more.
   */
  choose(model: LiveModel, requested: ChoiceRequest): Choice | undefined;
  /**
   * Milliseconds until something of the model that rests now may be used again, 0 when something
   * may be used now; undefined = unknown.
   */
  readyInMs(model: LiveModel, nowMs: number): number | undefined;
  /**
   * Milliseconds it is worth waiting for something of the model that pauses; undefined = not.
   * `isRepetition`: for a request it refused.
   */
  waitMs(model: LiveModel, nowMs: number, isRepetition: boolean): number | undefined;
  /** An attempt starts with this choice. Every `begin` has exactly one `end`. */
  begin(choice: Choice, nowMs: number): void;
  end(choice: Choice, outcome: Outcome, nowMs: number): void;
  /** What the attempt with this choice reported as used cannot be, or was not asked for. */
  doubtUsage(choice: Choice, doubt: UsageDoubt, nowMs: number): void;
  /**
   * 95th percentile of how long the model's streams take to begin, or its whole answers to come,
   * milliseconds; undefined while too few are known.
   */
  p95AnswerMs(model: LiveModel, isStream: boolean): number | undefined;
  /** A new snapshot is in force: what it has not got any more is forgotten. */
  adopt(snapshot: Snapshot): void;
  states(): UpstreamState[];
  /**
   * What this process's own calls of late say of each model; `successMin` of 0 to 1
   * of a model's calls have to go well.
   */
  modelReport(successMin: number): ModelReport;
  /** For those who look at upstreams from outside (`probes.ts`). */
  readonly slots: Slots;
  /** Tells everybody who listens. */
  readonly report: (event: HealthEvent) => void;
}

export interface UpstreamHealthOptions {
  readonly clock: Clock;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  /** Called once per change of a state. */
  readonly onEvent: (event: HealthEvent) => void;
}

export function createUpstreamHealth({ clock, random, onEvent }: UpstreamHealthOptions): UpstreamHealth {
  const slots = createSlots();
  const plans = new WeakMap<LiveModel, Plan>();
  let current: Snapshot | undefined;

  function planOf(model: LiveModel): Plan {
    let plan = plans.get(model);
    if (plan === undefined) {
      plan = createPlan(model, slots);
      plans.set(model, plan);
    }
    return plan;
  }

  const slotsOf = (model: LiveModel) => planOf(model).slots;

  return {
    slots,
    report: onEvent,
    choose(model, requested) {
      const plan = planOf(model);
      const index = chooseTargetOf(plan, requested, random);
      const live = model.deployments[index];
      const slot = plan.slots[index];
      if (live === undefined || slot === undefined) return undefined;
      const held =
        findCredential(slot, requested, "none") ??
        findCredential(slot, requested, "resting") ??
        findCredential(slot, requested, "out");
      if (held === undefined) return undefined;
      slot.upstream.turn += 1;
      return new Call(live, slot, held, requested.isStream);
    },
    readyInMs: (model, nowMs) => readyInMs(planOf(model), nowMs),
    waitMs: (model, nowMs, isRepetition) => waitOf(planOf(model), nowMs, isRepetition),
    begin(choice, nowMs) {
      const call = choice as Call;
      const { slot, held } = call;
      call.beganMs = nowMs;
      call.hasAnswered = false;
      paceSent(call.pace, nowMs);
      slot.lastBeganMs = nowMs;
      slot.inFlight += 1;
      slot.upstream.inFlight += 1;
      if (slot.health.phase === "ejected") slot.health = deploymentBegan(slot.health, nowMs);
      if (held.health.out !== undefined) held.health = credentialBegan(held.health, nowMs);
    },
    end(choice, { fault, isCallerGone }, nowMs) {
      const { slot, held, beganMs, live, pace, hasAnswered } = choice as Call;
      slot.inFlight -= 1;
      slot.upstream.inFlight -= 1;
      if (!hasAnswered) {
        paceOver(pace, beganMs);
        if (isCallerGone || fault?.kind === "timeout") paceAtLeast(pace, nowMs - beganMs, nowMs);
      }
      const ended = { slot, credential: held, beganMs, nowMs, wallMs: clock.wallMs() };
      if (fault !== undefined && !isCallerGone) {
        const { provider } = live.live;
        noteFault(ended, fault, provider.transport === "http" && provider.probe !== undefined, onEvent);
      } else if (!isCallerGone || hasAnswered) {
        noteSuccess(ended, onEvent);
      }
    },
    doubtUsage: (choice, doubt, nowMs) => noteUsageDoubt((choice as Call).slot, doubt, nowMs, onEvent),
    p95AnswerMs: (model, isStream) =>
      p95FirstTokenMs(planOf(model).slots.map((slot) => paceOf(slot, isStream).times)),
    adopt(snapshot) {
      current = snapshot;
      const wanted = new Set<DeploymentSlot>();
      for (const model of snapshot.models.values()) {
        for (const slot of planOf(model).slots) wanted.add(slot);
      }
      slots.keepOnly(wanted);
    },
    states: () => listStates(current, { slotsOf, nowMs: clock.elapsedMs(), wallMs: clock.wallMs() }),
    modelReport: (successMin) => reportModels(current, { slotsOf, nowMs: clock.elapsedMs() }, successMin),
  };
}
