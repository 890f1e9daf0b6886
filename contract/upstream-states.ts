/**
 * How upstreams are doing, as one serving process sees them, and how the process is doing: what `plaza
 * upstreams`, `GET /api/upstreams` and the console show. Shapes only; times are ISO 8601. No secret is in
 * it: a credential is identified by its number.
 */

/** A failure as it was seen last. */
export interface LastFault {
  /** Kind of fault: a row of `server/src/domain/routing/fault.ts`. */
  readonly kind: string;
  /** HTTP status of the upstream, where one arrived. */
  readonly status: number | null;
  readonly at: string;
}

/**
 * `healthy`: takes its share. `resting`: asked for a pause and gets it. `ejected`: failed too often and
 * gets no calls while there is another. `probing`: its time is over and single calls try it.
 * `returning`: works again, its share grows.
 */
export type DeploymentHealth = "healthy" | "resting" | "ejected" | "probing" | "returning";

/**
 * `active`: used. `resting`: throttled, on the deployments that list it. `out`: refused
 * or unpaid; the operator must act.
 */
export type CredentialHealth = "active" | "resting" | "out";

/**
 * Usage an upstream reported that was not believed (`impossible`), or is more than was asked
 * for (`beyond_asked`), the last time.
 */
export interface UsageDoubtState {
  readonly kind: "impossible" | "beyond_asked";
  readonly at: string;
}

export interface CredentialState {
  /** Place in the upstream's list, from 1. */
  readonly number: number;
  readonly state: CredentialHealth;
  /** Until when it rests, or when it is tried again; null when active. */
  readonly untilAt: string | null;
  readonly lastFault: LastFault | null;
}

/**
 * One way to serve a public model. Several public models may share one upstream model, and then its health.
 */
export interface DeploymentState {
  /** Public model id. */
  readonly model: string;
  readonly upstreamModel: string;
  readonly priority: number;
  /** As configured. */
  readonly weight: number;
  /** What it counts for at this moment. */
  readonly weightNow: number;
  readonly state: DeploymentHealth;
  /** When it is used or tried again; null when it is. */
  readonly untilAt: string | null;
  readonly lastFault: LastFault | null;
  /** Absent: none for a day. */
  readonly usageDoubt?: UsageDoubtState | undefined;
  readonly inFlight: number;
  /** Moving average, milliseconds; null = not known (any more). */
  readonly firstTokenMs: number | null;
  readonly p95FirstTokenMs: number | null;
}

/** One upstream of the catalog. */
export interface UpstreamState {
  readonly id: string;
  readonly provider: string;
  readonly inFlight: number;
  /** Maximum concurrent calls; null = unbounded. */
  readonly concurrency: number | null;
  readonly credentials: readonly CredentialState[];
  readonly deployments: readonly DeploymentState[];
}

/**
 * What a process's own calls of late say of models, by public id. One that nobody called, and
 * nothing is known against, is in no list.
 */
export interface ModelReport {
  readonly down: readonly string[];
  readonly degraded: readonly string[];
  /** They answer, and nothing is known against them. */
  readonly served: readonly string[];
}

/** Why a process accepts fewer concurrent requests than the operator allows, and how many. */
export interface SelfLimit {
  /** `lag`: its event loop is late. `heap`: its memory is nearly full. */
  readonly reason: "lag" | "heap";
  /** Of that: milliseconds at the 99th percentile, or percent of the heap in use after a collection. */
  readonly seen: number;
  /** How much of it the operator allows. */
  readonly allowed: number;
  /** Requests in flight beyond which it refuses others. */
  readonly inFlightLimit: number;
  /** The same as the operator set it. */
  readonly inFlightMax: number;
}

/** What a serving process says of itself. */
export interface ProcessReadings {
  readonly pid: number;
  readonly version: string;
  readonly startedAt: string;
  /** How late its event loop was over the last seconds, milliseconds: 99th percentile. */
  readonly loopLagMs: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Chat completions under way. */
  readonly inFlight: number;
  /** The database does not answer, or the journal holds what it has not got. */
  readonly isBehind: boolean;
  /** The process cannot keep up and accepts fewer concurrent requests than the operator allows. */
  readonly isLimiting: boolean;
  /** null where it does not; absent: of a version that did not say. */
  readonly selfLimit?: SelfLimit | null | undefined;
  /**
   * Requests it refused since it started because it was at one of its bounds;
   * absent: of a version that did not say.
   */
  readonly refused?: number | undefined;
}

/** What one serving process last said. */
export interface ProcessStates {
  /** Which process, for one life of it. */
  readonly process: string;
  /** By the database's clock. */
  readonly at: string;
  readonly upstreams: readonly UpstreamState[];
  /** null: of a version that did not say. */
  readonly readings: ProcessReadings | null;
  /** null: of a version that did not say. */
  readonly models: ModelReport | null;
}
