/**
 * What is kept about upstreams between requests: a slot for each upstream, its credentials and the models
 * it serves. Slots outlive snapshots: an upstream that keeps id and address keeps its health, a
 * credential that stays keeps its own.
 */
import type { LastFault } from "@plaza/contract/upstream-states.ts";
import type { UsageDoubt } from "../../domain/money/usage-trust.ts";
import {
  activeCredential,
  type CredentialHealth,
  credentialStanding,
  isResting,
  noRest,
  type Rest,
} from "../../domain/routing/credential-health.ts";
import { type DeploymentHealth, healthyDeployment } from "../../domain/routing/health.ts";
import { createPace, type Pace } from "../../domain/routing/pace.ts";
import { createThrottling, type Throttling } from "../../domain/routing/throttling.ts";
import type { LiveUpstream } from "../snapshot.ts";

export interface CredentialSlot {
  readonly secret: string;
  /** Place in the upstream's list; -1 where the upstream needs none. */
  index: number;
  health: CredentialHealth;
  lastFault: LastFault | undefined;
  /** Has it been told that this one is out? */
  isReportedOut: boolean;
}

/**
 * A pause of one credential on one deployment, how often it is refused there,
 * and whether the pause has been told.
 */
export interface RestSlot {
  rest: Rest;
  readonly throttling: Throttling;
  isReported: boolean;
  reportedMs: number;
}

/** A doubt about reported usage; times are elapsed milliseconds. */
export interface SlotUsageDoubt {
  readonly kind: UsageDoubt;
  readonly atMs: number;
  /** When it was last logged. */
  readonly loggedMs: number;
}

/** A model of an upstream; shared by the public models it serves. */
export interface DeploymentSlot {
  readonly upstream: UpstreamSlot;
  readonly model: string;
  health: DeploymentHealth;
  readonly rests: Map<CredentialSlot, RestSlot>;
  inFlight: number;
  /** Moving share of the calls that went well, 0 to 1. */
  successShare: number;
  /** Of streams to their first content, of whole answers to their end. */
  readonly streamPace: Pace;
  readonly wholePace: Pace;
  lastBeganMs: number;
  lastFault: LastFault | undefined;
  /** What it last reported as used that cannot be, or was not asked for. */
  usageDoubt: SlotUsageDoubt | undefined;
  /** The last state that was told. */
  reported: "in" | "resting" | "ejected";
}

export interface UpstreamSlot {
  /** The newest configuration. */
  live: LiveUpstream;
  inFlight: number;
  /** Which credential is next; grows for ever. */
  turn: number;
  /** At least one: where the upstream needs none, an empty one. */
  credentials: readonly CredentialSlot[];
  readonly deployments: Map<string, DeploymentSlot>;
}

export interface Slots {
  /** The slot of a deployment, made when it is new. */
  of(live: LiveUpstream, model: string): DeploymentSlot;
  list(): readonly UpstreamSlot[];
  /** Forgets what is neither in the set nor in use. */
  keepOnly(wanted: ReadonlySet<DeploymentSlot>): void;
}

function identityOf({ upstream }: LiveUpstream): string {
  return JSON.stringify([upstream.id, upstream.provider, upstream.baseUrl]);
}

function credentialsOf(live: LiveUpstream, known: readonly CredentialSlot[]): CredentialSlot[] {
  const secrets = live.upstream.credentials.length === 0 ? [""] : live.upstream.credentials;
  return secrets.map((secret, place) => {
    const index = secret === "" && live.upstream.credentials.length === 0 ? -1 : place;
    const same = known.find((slot) => slot.secret === secret);
    if (same === undefined) {
      return { secret, index, health: activeCredential, lastFault: undefined, isReportedOut: false };
    }
    same.index = index;
    return same;
  });
}

function createDeploymentSlot(upstream: UpstreamSlot, model: string): DeploymentSlot {
  return {
    upstream,
    model,
    health: healthyDeployment,
    rests: new Map(),
    inFlight: 0,
    successShare: 1,
    streamPace: createPace(),
    wholePace: createPace(),
    lastBeganMs: Number.NEGATIVE_INFINITY,
    lastFault: undefined,
    usageDoubt: undefined,
    reported: "in",
  };
}

export function createSlots(): Slots {
  const upstreams = new Map<string, UpstreamSlot>();

  function upstreamOf(live: LiveUpstream): UpstreamSlot {
    const identity = identityOf(live);
    let slot = upstreams.get(identity);
    if (slot === undefined) {
      slot = { live, inFlight: 0, turn: 0, credentials: credentialsOf(live, []), deployments: new Map() };
      upstreams.set(identity, slot);
    } else if (slot.live !== live) {
      slot.live = live;
      slot.credentials = credentialsOf(live, slot.credentials);
    }
    return slot;
  }

  return {
    of(live, model) {
      const upstream = upstreamOf(live);
      let slot = upstream.deployments.get(model);
      if (slot === undefined) {
        slot = createDeploymentSlot(upstream, model);
        upstream.deployments.set(model, slot);
      }
      return slot;
    },
    list: () => [...upstreams.values()],
    keepOnly(wanted) {
      for (const [identity, upstream] of upstreams) {
        for (const [model, slot] of upstream.deployments) {
          if (!wanted.has(slot) && slot.inFlight === 0) upstream.deployments.delete(model);
          for (const credential of slot.rests.keys()) {
            if (!upstream.credentials.includes(credential)) slot.rests.delete(credential);
          }
        }
        if (upstream.deployments.size === 0) upstreams.delete(identity);
      }
    },
  };
}

/** What is kept of this credential on this deployment; made when it is new. */
export function restSlotOf(slot: DeploymentSlot, credential: CredentialSlot): RestSlot {
  let found = slot.rests.get(credential);
  if (found === undefined) {
    const reportedMs = Number.NEGATIVE_INFINITY;
    found = { rest: noRest, throttling: createThrottling(), isReported: false, reportedMs };
    slot.rests.set(credential, found);
  }
  return found;
}

/** Until when this credential pauses on this deployment. */
export function restOf(slot: DeploymentSlot, credential: CredentialSlot): Rest {
  return slot.rests.size === 0 ? noRest : (slot.rests.get(credential)?.rest ?? noRest);
}

/** May a call be made with this credential now? `trial`: a single one. */
export function standingWith(
  slot: DeploymentSlot,
  credential: CredentialSlot,
  nowMs: number,
): "active" | "trial" | "resting" | "out" {
  const standing = credentialStanding(credential.health, nowMs);
  return standing !== "out" && isResting(restOf(slot, credential), nowMs) ? "resting" : standing;
}
