/** Upstream health for display: named states and wall-clock times, without secrets. */
import type {
  CredentialState,
  DeploymentState,
  ModelReport,
  UpstreamState,
} from "@plaza/contract/upstream-states.ts";
import { type DeploymentFound, judgeModel } from "../../domain/catalog/model-status.ts";
import { averageFirstTokenMs, p95FirstTokenMs } from "../../domain/routing/first-token.ts";
import { isOut, recentCalls, shareOf, standingOf } from "../../domain/routing/health.ts";
import type { LiveDeployment, LiveModel, Snapshot } from "../snapshot.ts";
import {
  type CredentialSlot,
  type DeploymentSlot,
  restOf,
  standingWith,
  type UpstreamSlot,
} from "./slots.ts";

export interface StatesView {
  /** Returns the slots of a model's deployments, in order. */
  readonly slotsOf: (model: LiveModel) => readonly DeploymentSlot[];
  /** The same moment on the monotonic and the wall clock. */
  readonly nowMs: number;
  readonly wallMs: number;
}

/** Lists all upstreams in use, in the order of the catalog's models. */
export function listStates(snapshot: Snapshot | undefined, view: StatesView): UpstreamState[] {
  const found = new Map<UpstreamSlot, DeploymentState[]>();
  for (const model of snapshot?.models.values() ?? []) {
    const slots = view.slotsOf(model);
    model.deployments.forEach((deployment, index) => {
      const slot = slots[index] as DeploymentSlot;
      const states = found.get(slot.upstream) ?? [];
      states.push(deploymentState(model, deployment, slot, view));
      found.set(slot.upstream, states);
    });
  }
  return [...found].map(([slot, deployments]) => {
    const { upstream } = slot.live;
    return {
      id: upstream.id,
      provider: upstream.provider,
      inFlight: slot.inFlight,
      concurrency: upstream.concurrency ?? null,
      credentials: slot.credentials
        .filter(({ index }) => index >= 0)
        .map((credential) => credentialState(slot, credential, view)),
      deployments,
    };
  });
}

function found(slot: DeploymentSlot, nowMs: number): DeploymentFound {
  let isUsable = false;
  let isActive = false;
  for (const credential of slot.upstream.credentials) {
    const standing = standingWith(slot, credential, nowMs);
    if (standing !== "out") isUsable = true;
    if (standing === "active" || standing === "trial") isActive = true;
  }
  return {
    isOut: !isUsable || isOut(slot.health),
    isResting: !isActive || nowMs < slot.health.restUntilMs,
    ...recentCalls(slot.health, nowMs),
  };
}

/**
 * Returns the state of each model as seen by this process's calls. `successMin`: share of calls, 0 to 1,
 * below which a model is degraded.
 */
export function reportModels(
  snapshot: Snapshot | undefined,
  { slotsOf, nowMs }: Pick<StatesView, "slotsOf" | "nowMs">,
  successMin: number,
): ModelReport {
  const report = { down: [] as string[], degraded: [] as string[], served: [] as string[] };
  for (const model of snapshot?.models.values() ?? []) {
    const judged = judgeModel(
      slotsOf(model).map((slot) => found(slot, nowMs)),
      successMin,
    );
    if (judged !== undefined) report[judged].push(model.model.id);
  }
  return report;
}

/**
 * Converts a monotonic time to ISO 8601. Rounded to seconds, because otherwise the same time would differ
 * slightly at each call.
 */
function wallOf(ms: number, { nowMs, wallMs }: StatesView): string {
  return new Date(Math.round((wallMs + ms - nowMs) / 1000) * 1000).toISOString();
}

function deploymentState(
  { model }: LiveModel,
  { deployment }: LiveDeployment,
  slot: DeploymentSlot,
  view: StatesView,
): DeploymentState {
  const { health } = slot;
  const state = standingOf(health, view.nowMs);
  const untilMs = state === "resting" ? health.restUntilMs : state === "ejected" ? health.untilMs : undefined;
  const hasCredential = slot.upstream.credentials.some((credential) => {
    const standing = standingWith(slot, credential, view.nowMs);
    return standing === "active" || standing === "trial";
  });
  const isUsed = hasCredential && (state === "healthy" || state === "returning");
  const average = averageFirstTokenMs(slot.streamPace.times, view.nowMs);
  return {
    model: model.id,
    upstreamModel: slot.model,
    priority: deployment.priority,
    weight: deployment.weight,
    weightNow: isUsed ? Math.round(deployment.weight * shareOf(health, view.nowMs) * 1000) / 1000 : 0,
    state,
    untilAt: untilMs === undefined ? null : wallOf(untilMs, view),
    lastFault: slot.lastFault ?? null,
    ...doubtOf(slot, view),
    inFlight: slot.inFlight,
    firstTokenMs: average > 0 ? Math.round(average) : null,
    p95FirstTokenMs: p95FirstTokenMs([slot.streamPace.times]) ?? null,
  };
}

/** How long a usage doubt is shown, in milliseconds. */
const doubtShownMs = 24 * 3_600_000;

function doubtOf({ usageDoubt }: DeploymentSlot, view: StatesView): Pick<DeploymentState, "usageDoubt"> {
  if (usageDoubt === undefined || view.nowMs - usageDoubt.atMs > doubtShownMs) return {};
  return { usageDoubt: { kind: usageDoubt.kind, at: wallOf(usageDoubt.atMs, view) } };
}

/** Returns when a credential's last pause on this upstream's deployments ends; undefined = none. */
function restsUntilMs(slot: UpstreamSlot, credential: CredentialSlot, nowMs: number): number | undefined {
  const untils = [...slot.deployments.values()].map((deployment) => restOf(deployment, credential).untilMs);
  const latest = Math.max(...untils);
  return latest > nowMs ? latest : undefined;
}

function credentialState(slot: UpstreamSlot, credential: CredentialSlot, view: StatesView): CredentialState {
  const { health, lastFault, index } = credential;
  const restMs = restsUntilMs(slot, credential, view.nowMs);
  const isOut = health.out !== undefined;
  const untilMs = isOut ? health.untilMs : restMs;
  return {
    number: index + 1,
    state: isOut ? "out" : restMs === undefined ? "active" : "resting",
    untilAt: untilMs === undefined ? null : wallOf(untilMs, view),
    lastFault: lastFault ?? null,
  };
}
