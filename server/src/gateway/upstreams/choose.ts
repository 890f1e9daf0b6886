/**
 * Chooses the deployment and credential for the next call by their current health. Does not change health
 * state.
 */
import { isTrialDue, recentCalls, shareOf, standingOf } from "../../domain/routing/health.ts";
import {
  compareEveryMs,
  compareFromMs,
  compareShare,
  compareWithinMs,
  expectedMs,
  isSlow,
  provenMs,
  slowLookEveryMs,
  slowLookShare,
} from "../../domain/routing/pace.ts";
import { chooseTarget, createRoutingTable, type RoutingTable, seedOf } from "../../domain/routing/routing.ts";
import { rateOf, type ThrottleRate, throttleRate, worthWaitingMs } from "../../domain/routing/throttling.ts";
import type { LiveModel } from "../snapshot.ts";
import { type Call, type Choice, type ChoiceRequest, paceOf } from "./call-ends.ts";
import {
  type CredentialSlot,
  type DeploymentSlot,
  restOf,
  restSlotOf,
  type Slots,
  standingWith,
} from "./slots.ts";

/** A target's state for the current request; overwritten at each choice. */
interface TargetStanding {
  isUsable: boolean;
  isFull: boolean;
  isSlow: boolean;
  share: number;
  health: number;
  firstTokenMs: number;
  inFlight: number;
  /** True when a credential is available for this request. */
  isReady: boolean;
}

/** Computed once per snapshot and model. */
export interface Plan {
  readonly table: RoutingTable;
  readonly slots: readonly DeploymentSlot[];
  readonly standings: readonly TargetStanding[];
}

export function createPlan(model: LiveModel, slots: Slots): Plan {
  const table = createRoutingTable(
    model.deployments.map(({ deployment, live }) => ({
      priority: deployment.priority,
      weight: deployment.weight,
      seed: seedOf(`${live.upstream.id}\n${deployment.model}`),
      isBinding: live.upstream.affinity !== "none",
    })),
  );
  return {
    table,
    slots: model.deployments.map(({ deployment, live }) => slots.of(live, deployment.model)),
    standings: model.deployments.map(() => ({
      isUsable: false,
      isFull: false,
      isSlow: false,
      share: 1,
      health: 1,
      firstTokenMs: 0,
      inFlight: 0,
      isReady: false,
    })),
  };
}

/** True when this deployment was tried and its credential was not the problem. */
function isUsedUp(slot: DeploymentSlot, { tried, nowMs }: ChoiceRequest): boolean {
  for (const choice of tried) {
    const call = choice as Call;
    if (call.slot !== slot) continue;
    const standing = standingWith(slot, call.held, nowMs);
    if (standing === "active" || standing === "trial") return true;
  }
  return false;
}

function wasTried(slot: DeploymentSlot, credential: CredentialSlot, tried: readonly Choice[]): boolean {
  for (const choice of tried) {
    const call = choice as Call;
    if (call.slot === slot && call.held === credential) return true;
  }
  return false;
}

/** True when this credential is rarely throttled, so that a refusal concerns only that call. */
const isSeldomThrottled = (slot: DeploymentSlot, credential: CredentialSlot, nowMs: number): boolean =>
  throttleRate(restSlotOf(slot, credential).throttling, nowMs) === "seldom";

/**
 * Which credentials may be used besides healthy ones: none, also a resting one that is rarely throttled, or
 * also a rejected one.
 */
type Leniency = "none" | "resting" | "out";

/**
 * Returns the next credential in rotation. One due for a trial comes first while a failed call can still fall
 * back.
 */
export function findCredential(
  slot: DeploymentSlot,
  { tried, nowMs }: ChoiceRequest,
  leniency: Leniency,
): CredentialSlot | undefined {
  const { credentials, turn } = slot.upstream;
  let found: CredentialSlot | undefined;
  for (let step = 0; step < credentials.length; step += 1) {
    const credential = credentials[(turn + step) % credentials.length] as CredentialSlot;
    const standing = standingWith(slot, credential, nowMs);
    if (standing === "resting" && !(leniency === "resting" && isSeldomThrottled(slot, credential, nowMs)))
      continue;
    if (standing === "out" && leniency !== "out") continue;
    if (wasTried(slot, credential, tried)) continue;
    if (standing === "trial" && tried.length === 0) return credential;
    found ??= credential;
    if (credentials.length === 1) break;
  }
  return found;
}

/**
 * Marks targets that are slow compared with the fastest of their priority. Occasionally one stays unmarked,
 * so that it is measured again.
 */
function markSlow(
  { table, slots, standings }: Plan,
  { isStream, nowMs }: ChoiceRequest,
  random: () => number,
): void {
  for (const { weighted } of table.groups) {
    if (weighted.length < 2) continue;
    let bestMs = Number.POSITIVE_INFINITY;
    for (const index of weighted) {
      const ms = provenMs(paceOf(slots[index] as DeploymentSlot, isStream), nowMs);
      if (ms > 0 && ms < bestMs && standings[index]?.isUsable === true) bestMs = ms;
    }
    if (bestMs === Number.POSITIVE_INFINITY) continue;
    for (const index of weighted) {
      const slot = slots[index] as DeploymentSlot;
      const standing = standings[index] as TargetStanding;
      if (!isSlow(provenMs(paceOf(slot, isStream), nowMs), bestMs)) continue;
      standing.isSlow = nowMs - slot.lastBeganMs < slowLookEveryMs || random() >= slowLookShare;
    }
  }
}

/**
 * Updates all standings. Returns the index of the target due for a trial call, in the best priority; -1 =
 * none.
 */
function refresh({ table, slots, standings }: Plan, requested: ChoiceRequest): number {
  let trial = -1;
  for (let index = 0; index < slots.length; index += 1) {
    const slot = slots[index] as DeploymentSlot;
    const standing = standings[index] as TargetStanding;
    const { upstream, health } = slot;
    const state =
      health.phase === "in" && requested.nowMs >= health.restUntilMs
        ? "healthy"
        : standingOf(health, requested.nowMs);
    const most = upstream.live.upstream.concurrency;
    standing.isReady =
      state !== "resting" &&
      (requested.tried.length === 0 || !isUsedUp(slot, requested)) &&
      findCredential(slot, requested, "none") !== undefined;
    standing.isUsable = standing.isReady && (state === "healthy" || state === "returning");
    standing.isFull = most !== undefined && upstream.inFlight >= most;
    standing.share = state === "healthy" ? 1 : shareOf(health, requested.nowMs);
    standing.health = slot.successShare;
    standing.isSlow = false;
    standing.firstTokenMs = expectedMs(paceOf(slot, requested.isStream), requested.nowMs);
    standing.inFlight = slot.inFlight;
    const mayTry = state === "probing" && standing.isReady && requested.tried.length === 0;
    if (!mayTry || !isTrialDue(health, requested.nowMs)) continue;
    if (trial < 0 || priorityOf(table, index) < priorityOf(table, trial)) trial = index;
  }
  return trial;
}

const priorityOf = ({ targets }: RoutingTable, index: number): number => targets[index]?.priority ?? 0;

/**
 * Returns another target of the same priority to measure instead of the session's own slow one, when none was
 * measured yet; -1 = none.
 */
function toCompareWith(
  { table, slots, standings }: Plan,
  bound: number,
  { isStream, nowMs }: ChoiceRequest,
  random: () => number,
): number {
  const slot = slots[bound] as DeploymentSlot;
  const isAsked =
    nowMs - slot.lastBeganMs <= compareWithinMs && provenMs(paceOf(slot, isStream), nowMs) > compareFromMs;
  if (!isAsked) return -1;
  const group = table.groups.find(({ weighted }) => weighted.includes(bound));
  for (const index of group?.weighted ?? []) {
    const standing = standings[index] as TargetStanding;
    if (index === bound || !standing.isUsable || standing.isFull || standing.share < 1) continue;
    const other = slots[index] as DeploymentSlot;
    const isDue =
      nowMs - other.lastBeganMs >= compareEveryMs && provenMs(paceOf(other, isStream), nowMs) === 0;
    if (isDue && random() < compareShare) return index;
  }
  return -1;
}

/** All targets are ejected: returns the one due back first, so that a model is never without a deployment. */
function leastBad({ table, slots, standings }: Plan): number {
  let best = -1;
  for (let index = 0; index < slots.length; index += 1) {
    if (standings[index]?.isReady !== true) continue;
    const untilMs = slots[index]?.health.untilMs ?? 0;
    const bestMs = slots[best]?.health.untilMs ?? Number.POSITIVE_INFINITY;
    const isSooner = untilMs < bestMs;
    const isBefore = untilMs === bestMs && priorityOf(table, index) < priorityOf(table, best);
    if (best < 0 || isSooner || isBefore) best = index;
  }
  return best;
}

/** Milliseconds until a resting deployment can be used; undefined when no credential works. */
function slotReadyInMs(slot: DeploymentSlot, nowMs: number): number | undefined {
  let untilMs: number | undefined;
  for (const credential of slot.upstream.credentials) {
    if (standingWith(slot, credential, nowMs) === "out") continue;
    const restMs = restOf(slot, credential).untilMs;
    if (untilMs === undefined || restMs < untilMs) untilMs = restMs;
  }
  return untilMs === undefined ? undefined : Math.max(0, untilMs - nowMs, slot.health.restUntilMs - nowMs);
}

export function readyInMs({ slots }: Plan, nowMs: number): number | undefined {
  let soonest: number | undefined;
  for (const slot of slots) {
    const readyMs = slotReadyInMs(slot, nowMs);
    if (readyMs !== undefined && (soonest === undefined || readyMs < soonest)) soonest = readyMs;
  }
  return soonest === undefined ? undefined : Math.ceil(soonest);
}

/** How often this deployment was overloaded recently. */
function overloadRate({ health }: DeploymentSlot, nowMs: number): ThrottleRate {
  const { calls, faults } = recentCalls(health, nowMs);
  return rateOf(calls - faults, faults, health.faultsInRow);
}

/**
 * Milliseconds until a paused target can be called again, if it is rarely throttled and back soon. 0: one can
 * be called now. undefined: none is worth waiting for. `isRepetition`: the request was already refused by it.
 */
export function waitOf({ slots }: Plan, nowMs: number, isRepetition: boolean): number | undefined {
  let soonest: number | undefined;
  for (const slot of slots) {
    if (slot.health.phase === "ejected") continue;
    const restMs = Math.max(0, slot.health.restUntilMs - nowMs);
    if (restMs > 0 && restMs > worthWaitingMs(overloadRate(slot, nowMs), isRepetition)) continue;
    for (const credential of slot.upstream.credentials) {
      if (standingWith(slot, credential, nowMs) === "out") continue;
      const { rest, throttling } = restSlotOf(slot, credential);
      const readyMs = Math.max(0, rest.untilMs - nowMs);
      const mostMs = worthWaitingMs(throttleRate(throttling, nowMs), isRepetition);
      // A retry needs more than a free target: one that is unlikely to refuse again.
      if (readyMs > mostMs || (isRepetition && mostMs === 0)) continue;
      const waitMs = Math.max(readyMs, restMs);
      if (soonest === undefined || waitMs < soonest) soonest = waitMs;
    }
  }
  return soonest;
}

/**
 * Everything rests: returns a target whose credential is rarely throttled, since its pause was about a single
 * call; -1 = none.
 */
function seldomThrottled({ table, slots }: Plan, requested: ChoiceRequest): number {
  let best = -1;
  for (let index = 0; index < slots.length; index += 1) {
    const slot = slots[index] as DeploymentSlot;
    if (slot.health.phase === "ejected" || requested.nowMs < slot.health.restUntilMs) continue;
    if (findCredential(slot, requested, "resting") === undefined) continue;
    if (best < 0 || priorityOf(table, index) < priorityOf(table, best)) best = index;
  }
  return best;
}

/** A usable target at this upstream; -1 = none. */
const targetAt = ({ slots, standings }: Plan, upstreamId: string): number =>
  slots.findIndex(({ upstream }, index) => {
    const standing = standings[index];
    return upstream.live.upstream.id === upstreamId && standing?.isUsable === true && !standing.isFull;
  });

/**
 * Returns the index of the target to call; -1 = none. In order: the maker of the conversation's reasoning; a
 * due trial of at least the same priority; the best healthy target; the least bad ejected one; a resting one
 * that is rarely throttled; and with only rejected credentials any target, because a credential may have just
 * been fixed.
 */
export function chooseTargetOf(plan: Plan, requested: ChoiceRequest, random: () => number): number {
  const trial = refresh(plan, requested);
  markSlow(plan, requested, random);
  const made = requested.maker === undefined ? -1 : targetAt(plan, requested.maker);
  if (made >= 0) return made;
  const { table, standings } = plan;
  const chosen = chooseTarget(table, standings, { affinity: requested.affinity, random });
  if (trial >= 0 && (chosen < 0 || priorityOf(table, trial) <= priorityOf(table, chosen))) return trial;
  if (chosen >= 0) {
    if (requested.affinity === undefined || requested.tried.length > 0) return chosen;
    const other = toCompareWith(plan, chosen, requested, random);
    return other < 0 ? chosen : other;
  }
  const last = leastBad(plan);
  const spared = last < 0 && requested.tried.length === 0 ? seldomThrottled(plan, requested) : -1;
  if (spared >= 0) return spared;
  if (last >= 0 || requested.tried.length > 0 || readyInMs(plan, requested.nowMs) !== undefined) return last;
  return plan.slots.findIndex((slot) => standingOf(slot.health, requested.nowMs) !== "resting");
}
