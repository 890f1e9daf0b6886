/**
 * Health state that is kept between requests: a slot per upstream, its credentials and the models it serves.
 * Slots survive new snapshots while an upstream keeps its id and address, and a credential its value.
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
  /** Position in the upstream's list; -1 when the upstream needs no credential. */
  index: number;
  health: CredentialHealth;
  lastFault: LastFault | undefined;
  /** True once its rejection was reported. */
  isReportedOut: boolean;
}

/** A pause of one credential on one deployment, and how often it was throttled there. */
export interface RestSlot {
  rest: Rest;
  readonly throttling: Throttling;
  isReported: boolean;
  reportedMs: number;
}

/** A doubt about reported usage. Times are monotonic, in milliseconds. */
export interface SlotUsageDoubt {
  readonly kind: UsageDoubt;
  readonly atMs: number;
  /** Time of its last log line. */
  readonly loggedMs: number;
}

/** One model of an upstream, shared by all public models that use it. */
export interface DeploymentSlot {
  readonly upstream: UpstreamSlot;
  readonly model: string;
  health: DeploymentHealth;
  readonly rests: Map<CredentialSlot, RestSlot>;
  inFlight: number;
  /** Moving share of successful calls, 0 to 1. */
  successShare: number;
  /** Time to first content for streams (`streamPace`), total time for whole answers (`wholePace`). */
  readonly streamPace: Pace;
  readonly wholePace: Pace;
  lastBeganMs: number;
  lastFault: LastFault | undefined;
  /** The last report of impossible or excessive usage. */
  usageDoubt: SlotUsageDoubt | undefined;
  /** The last reported state. */
  reported: "in" | "resting" | "ejected";
}

export interface UpstreamSlot {
  /** The current configuration. */
  live: LiveUpstream;
  inFlight: number;
  /** Counter for credential rotation; only increases. */
  turn: number;
  /** At least one: an upstream without credentials has an empty one. */
  credentials: readonly CredentialSlot[];
  readonly deployments: Map<string, DeploymentSlot>;
}

export interface Slots {
  /** Returns the slot of a deployment, creating it if needed. */
  of(live: LiveUpstream, model: string): DeploymentSlot;
  list(): readonly UpstreamSlot[];
  /** Drops slots that are neither wanted nor in use. */
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

/** Returns the pause of this credential on this deployment, creating it if needed. */
export function restSlotOf(slot: DeploymentSlot, credential: CredentialSlot): RestSlot {
  let found = slot.rests.get(credential);
  if (found === undefined) {
    const reportedMs = Number.NEGATIVE_INFINITY;
    found = { rest: noRest, throttling: createThrottling(), isReported: false, reportedMs };
    slot.rests.set(credential, found);
  }
  return found;
}

/** Returns the pause of this credential on this deployment, without creating one. */
export function restOf(slot: DeploymentSlot, credential: CredentialSlot): Rest {
  return slot.rests.size === 0 ? noRest : (slot.rests.get(credential)?.rest ?? noRest);
}

/** Returns whether the credential may be used now. `trial`: for a single call. */
export function standingWith(
  slot: DeploymentSlot,
  credential: CredentialSlot,
  nowMs: number,
): "active" | "trial" | "resting" | "out" {
  const standing = credentialStanding(credential.health, nowMs);
  return standing !== "out" && isResting(restOf(slot, credential), nowMs) ? "resting" : standing;
}
