/**
 * Live health of deployments and credentials: chooses the next one, tracks results, and knows what is ejected
 * or resting. Health survives a new snapshot for everything that did not change. Makes no calls.
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

/** The end of an attempt. */
export interface Outcome {
  /** undefined: it succeeded. */
  readonly fault: Fault | undefined;
  /** The caller disconnected or the attempt was no longer needed, which says nothing about the upstream. */
  readonly isCallerGone: boolean;
}

export interface UpstreamHealth {
  /**
   * Returns the next choice for this request; undefined when everything was tried or is resting. A deployment
   * is offered again with another credential only when the first credential was the problem. To retry the
   * same deployment, call `begin` again with the same choice.
   */
  choose(model: LiveModel, requested: ChoiceRequest): Choice | undefined;
  /**
   * Milliseconds until a resting deployment of the model can be used, 0 if one can be used now; undefined =
   * unknown.
   */
  readyInMs(model: LiveModel, nowMs: number): number | undefined;
  /**
   * Milliseconds worth waiting for a paused deployment of the model; undefined = do not wait. `isRepetition`:
   * the request has already been refused by it.
   */
  waitMs(model: LiveModel, nowMs: number, isRepetition: boolean): number | undefined;
  /** Marks the start of an attempt. Every `begin` needs exactly one `end`. */
  begin(choice: Choice, nowMs: number): void;
  end(choice: Choice, outcome: Outcome, nowMs: number): void;
  /** Records that an attempt reported impossible or excessive usage. */
  doubtUsage(choice: Choice, doubt: UsageDoubt, nowMs: number): void;
  /**
   * 95th percentile in milliseconds: time to first content for streams, total time for whole answers.
   * undefined when there are too few samples.
   */
  p95AnswerMs(model: LiveModel, isStream: boolean): number | undefined;
  /** Switches to a new snapshot and forgets what it no longer contains. */
  adopt(snapshot: Snapshot): void;
  states(): UpstreamState[];
  /**
   * Returns the state of each model as seen by this process's recent calls. `successMin`: share of calls, 0
   * to 1, below which a model is degraded.
   */
  modelReport(successMin: number): ModelReport;
  /** For the probes (`probes.ts`). */
  readonly slots: Slots;
  /** Reports an event to all listeners. */
  readonly report: (event: HealthEvent) => void;
}

export interface UpstreamHealthOptions {
  readonly clock: Clock;
  /** Returns numbers in [0, 1). */
  readonly random: () => number;
  /** Called once per state change. */
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
