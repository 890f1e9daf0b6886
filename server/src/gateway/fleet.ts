/**
 * The live state of the catalog's deployments and credentials: which to use next, how they are doing, and what is out. It
 * outlives snapshots where nothing changed. It makes no calls and knows nothing of the request beyond its wish.
 */
import type { UpstreamState } from "@plaza/contract/upstream-states.ts";
import { credentialBegan } from "../domain/credential-health.ts";
import { addFirstToken, averageFirstTokenMs, p95FirstTokenMs } from "../domain/first-token.ts";
import { deploymentBegan, isTrialDue, shareOf, standingOf } from "../domain/health.ts";
import { choosePlace, createRoutingTable, type RoutingTable, seedOf } from "../domain/routing.ts";
import type { Clock } from "../lib/clock.ts";
import type { Fault } from "../providers/provider.ts";
import {
  type CredentialSlot,
  createSlots,
  type DeploymentSlot,
  restOf,
  type Slots,
  standingWith,
} from "./fleet-slots.ts";
import { listStates } from "./fleet-states.ts";
import { type FleetEvent, noteFault, noteSuccess } from "./fleet-verdict.ts";
import type { LiveDeployment, LiveModel, Snapshot } from "./snapshot.ts";

/** What one attempt is made with. */
export interface Choice {
  readonly live: LiveDeployment;
  /** Place in `live.live.upstream.credentials`; -1 where the upstream has none. */
  readonly credentialIndex: number;
  /** The secret; empty where the upstream has none. */
  readonly credential: string;
}

/** What a request wants of the next choice. Times are the clock's elapsed milliseconds. */
export interface Wish {
  /** 32-bit hash of who asks: the same one goes to the same deployment while that works. undefined = no affinity. */
  readonly affinity: number | undefined;
  /** Choices this request used already; none of them is given again. */
  readonly tried: readonly Choice[];
  readonly nowMs: number;
}

/** How an attempt ended. */
export interface Outcome {
  /** undefined: it answered. */
  readonly fault: Fault | undefined;
  /** Milliseconds from the attempt's `begin` to its first content; undefined when there was none or it was not streamed. */
  readonly firstTokenMs: number | undefined;
  /** The caller left, or the attempt was not wanted any more: that says nothing about the upstream. */
  readonly isCallerGone: boolean;
}

export interface Fleet {
  /**
   * The next thing to try for this request, or undefined when there is none: everything was tried or rests. Another
   * credential of a deployment already tried is given only when it was the credential that failed. Somebody who wants to
   * repeat the same deployment begins the choice in hand once more.
   */
  choose(model: LiveModel, wish: Wish): Choice | undefined;
  /** Milliseconds until something of the model that rests now may be used again, 0 when something may be used now; undefined = unknown. */
  readyInMs(model: LiveModel, nowMs: number): number | undefined;
  /** An attempt starts with this choice. Every `begin` has exactly one `end`. */
  begin(choice: Choice, nowMs: number): void;
  end(choice: Choice, outcome: Outcome, nowMs: number): void;
  /** 95th percentile of the model's first-token times, milliseconds; undefined while too few are known. */
  p95FirstTokenMs(model: LiveModel): number | undefined;
  /** A new snapshot is in force: what it has not got any more is forgotten. */
  adopt(snapshot: Snapshot): void;
  states(): UpstreamState[];
  /** For those who look at upstreams from outside (`fleet-probes.ts`). */
  readonly slots: Slots;
  /** Tells everybody who listens. */
  readonly tell: (event: FleetEvent) => void;
}

export interface FleetOptions {
  readonly clock: Clock;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  /** Called once per change of a state. */
  readonly onEvent: (event: FleetEvent) => void;
}

/** One call to be, with the slots it works on. */
interface Call extends Choice {
  readonly slot: DeploymentSlot;
  readonly held: CredentialSlot;
  beganMs: number;
}

/** How a place stands for the request at hand; written anew for each choice. */
interface PlaceStanding {
  isUsable: boolean;
  isFull: boolean;
  share: number;
  health: number;
  firstTokenMs: number;
  inFlight: number;
  /** Is there a credential for this request? */
  isReady: boolean;
}

/** What is computed once per snapshot and model. */
interface Plan {
  readonly table: RoutingTable;
  readonly slots: readonly DeploymentSlot[];
  readonly standings: readonly PlaceStanding[];
}

function createPlan(model: LiveModel, slots: Slots): Plan {
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
      share: 1,
      health: 1,
      firstTokenMs: 0,
      inFlight: 0,
      isReady: false,
    })),
  };
}

/** Was this deployment tried, and not because of its credential? */
function isUsedUp(slot: DeploymentSlot, { tried, nowMs }: Wish): boolean {
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

/** A credential for the next call, in turn; one that is to be tried again first, where a failure would do no harm. */
function findCredential(
  slot: DeploymentSlot,
  { tried, nowMs }: Wish,
  takesOut: boolean,
): CredentialSlot | undefined {
  const { credentials, turn } = slot.upstream;
  let found: CredentialSlot | undefined;
  for (let step = 0; step < credentials.length; step += 1) {
    const credential = credentials[(turn + step) % credentials.length] as CredentialSlot;
    const standing = standingWith(slot, credential, nowMs);
    if (standing === "resting" || (standing === "out" && !takesOut)) continue;
    if (wasTried(slot, credential, tried)) continue;
    if (standing === "trial" && tried.length === 0) return credential;
    found ??= credential;
    if (credentials.length === 1) break;
  }
  return found;
}

/** Index of the place that is due for a single call, in the first group that has one; -1 = none. */
function refresh({ table, slots, standings }: Plan, wish: Wish): number {
  let trial = -1;
  for (let index = 0; index < slots.length; index += 1) {
    const slot = slots[index] as DeploymentSlot;
    const standing = standings[index] as PlaceStanding;
    const { upstream, health } = slot;
    const state =
      health.phase === "in" && wish.nowMs >= health.restUntilMs ? "healthy" : standingOf(health, wish.nowMs);
    const most = upstream.live.upstream.concurrency;
    standing.isReady =
      state !== "resting" &&
      (wish.tried.length === 0 || !isUsedUp(slot, wish)) &&
      findCredential(slot, wish, false) !== undefined;
    standing.isUsable = standing.isReady && (state === "healthy" || state === "returning");
    standing.isFull = most !== undefined && upstream.inFlight >= most;
    standing.share = state === "healthy" ? 1 : shareOf(health, wish.nowMs);
    standing.health = slot.successShare;
    standing.firstTokenMs = averageFirstTokenMs(slot.times, wish.nowMs);
    standing.inFlight = slot.inFlight;
    const mayTry = state === "probing" && standing.isReady && wish.tried.length === 0;
    if (!mayTry || !isTrialDue(health, wish.nowMs)) continue;
    if (trial < 0 || priorityOf(table, index) < priorityOf(table, trial)) trial = index;
  }
  return trial;
}

const priorityOf = ({ places }: RoutingTable, index: number): number => places[index]?.priority ?? 0;

/** All are ejected: the one that would be back first, so that a model with deployments is never without one. */
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

/** Milliseconds until a deployment that only rests may be used; undefined: no credential of it works. */
function slotReadyInMs(slot: DeploymentSlot, nowMs: number): number | undefined {
  let untilMs: number | undefined;
  for (const credential of slot.upstream.credentials) {
    if (standingWith(slot, credential, nowMs) === "out") continue;
    const restMs = restOf(slot, credential).untilMs;
    if (untilMs === undefined || restMs < untilMs) untilMs = restMs;
  }
  return untilMs === undefined ? undefined : Math.max(0, untilMs - nowMs, slot.health.restUntilMs - nowMs);
}

function readyInMs({ slots }: Plan, nowMs: number): number | undefined {
  let soonest: number | undefined;
  for (const slot of slots) {
    const readyMs = slotReadyInMs(slot, nowMs);
    if (readyMs !== undefined && (soonest === undefined || readyMs < soonest)) soonest = readyMs;
  }
  return soonest === undefined ? undefined : Math.ceil(soonest);
}

/**
 * Index of the place to call; -1 = none. The best of those that are well; one that is due for a trial before them; the least
 * bad when none is well; and when every credential is out, one of those all the same: it may have been mended just now.
 */
function choosePlaceOf(plan: Plan, wish: Wish, random: () => number): number {
  const trial = refresh(plan, wish);
  const { table, standings } = plan;
  const chosen = choosePlace(table, standings, { affinity: wish.affinity, random });
  if (trial >= 0 && (chosen < 0 || priorityOf(table, trial) <= priorityOf(table, chosen))) return trial;
  if (chosen >= 0) return chosen;
  const last = leastBad(plan);
  if (last >= 0 || wish.tried.length > 0 || readyInMs(plan, wish.nowMs) !== undefined) return last;
  return plan.slots.findIndex((slot) => standingOf(slot.health, wish.nowMs) !== "resting");
}

export function createFleet({ clock, random, onEvent }: FleetOptions): Fleet {
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

  return {
    slots,
    tell: onEvent,
    choose(model, wish) {
      const plan = planOf(model);
      const index = choosePlaceOf(plan, wish, random);
      const live = model.deployments[index];
      const slot = plan.slots[index];
      if (live === undefined || slot === undefined) return undefined;
      const held = findCredential(slot, wish, false) ?? findCredential(slot, wish, true);
      if (held === undefined) return undefined;
      slot.upstream.turn += 1;
      const call: Call = {
        live,
        credentialIndex: held.index,
        credential: held.secret,
        slot,
        held,
        beganMs: wish.nowMs,
      };
      return call;
    },
    readyInMs: (model, nowMs) => readyInMs(planOf(model), nowMs),
    begin(choice, nowMs) {
      const call = choice as Call;
      const { slot, held } = call;
      call.beganMs = nowMs;
      slot.inFlight += 1;
      slot.upstream.inFlight += 1;
      if (slot.health.phase === "ejected") slot.health = deploymentBegan(slot.health, nowMs);
      if (held.health.out !== undefined) held.health = credentialBegan(held.health, nowMs);
    },
    end(choice, { fault, firstTokenMs, isCallerGone }, nowMs) {
      const { slot, held, beganMs, live } = choice as Call;
      slot.inFlight -= 1;
      slot.upstream.inFlight -= 1;
      if (firstTokenMs !== undefined) addFirstToken(slot.times, firstTokenMs, nowMs);
      const ended = { slot, credential: held, beganMs, nowMs, wallMs: clock.wallMs() };
      if (fault !== undefined && !isCallerGone) {
        const { provider } = live.live;
        noteFault(ended, fault, provider.transport === "http" && provider.probe !== undefined, onEvent);
      } else if (!isCallerGone || firstTokenMs !== undefined) {
        noteSuccess(ended, onEvent);
      }
    },
    p95FirstTokenMs: (model) => p95FirstTokenMs(planOf(model).slots.map(({ times }) => times)),
    adopt(snapshot) {
      current = snapshot;
      const wanted = new Set<DeploymentSlot>();
      for (const model of snapshot.models.values()) {
        for (const slot of planOf(model).slots) wanted.add(slot);
      }
      slots.keepOnly(wanted);
    },
    states: () =>
      listStates(current, {
        slotsOf: (model) => planOf(model).slots,
        nowMs: clock.elapsedMs(),
        wallMs: clock.wallMs(),
      }),
  };
}
