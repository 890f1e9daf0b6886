/**
 * The state of upstreams and of the process itself, as one serving process sees them; shown by `plaza
 * upstreams`, `GET /api/upstreams` and the console. Types only; times are ISO 8601. Contains no secret: a
 * credential is identified by its number.
 */

/** The last failure seen. */
export interface LastFault {
  /** Kind of fault: a row of `server/src/domain/routing/fault.ts`. */
  readonly kind: string;
  /** HTTP status of the upstream, if one arrived. */
  readonly status: number | null;
  readonly at: string;
}

/**
 * `healthy`: gets its share. `resting`: asked for a pause and gets no calls. `ejected`: failed too often and
 * gets no calls while there is another. `probing`: its ejection has expired and single calls test it.
 * `returning`: works again, with a growing share.
 */
export type DeploymentHealth = "healthy" | "resting" | "ejected" | "probing" | "returning";

/**
 * `active`: used. `resting`: rate-limited, on the deployments that list it. `out`: refused or unpaid; the
 * operator must act.
 */
export type CredentialHealth = "active" | "resting" | "out";

/**
 * The last time an upstream reported usage that is implausible (`impossible`) or more than requested
 * (`beyond_asked`).
 */
export interface UsageDoubtState {
  readonly kind: "impossible" | "beyond_asked";
  readonly at: string;
}

export interface CredentialState {
  /** Position in the upstream's list, from 1. */
  readonly number: number;
  readonly state: CredentialHealth;
  /** When its pause ends or it is tried again; null when active. */
  readonly untilAt: string | null;
  readonly lastFault: LastFault | null;
}

/**
 * One way to serve a public model. Several public models may share an upstream model, and then its health.
 */
export interface DeploymentState {
  /** Public model id. */
  readonly model: string;
  readonly upstreamModel: string;
  readonly priority: number;
  /** As configured. */
  readonly weight: number;
  /** Its current weight. */
  readonly weightNow: number;
  readonly state: DeploymentHealth;
  /** When it is used or tried again; null when it is in use. */
  readonly untilAt: string | null;
  readonly lastFault: LastFault | null;
  /** Absent: none in the last day. */
  readonly usageDoubt?: UsageDoubtState | undefined;
  readonly inFlight: number;
  /** Moving average in milliseconds; null: unknown. */
  readonly firstTokenMs: number | null;
  readonly p95FirstTokenMs: number | null;
}

/** One upstream of the catalog. */
export interface UpstreamState {
  readonly id: string;
  readonly provider: string;
  readonly inFlight: number;
  /** Most concurrent calls; null: unlimited. */
  readonly concurrency: number | null;
  readonly credentials: readonly CredentialState[];
  readonly deployments: readonly DeploymentState[];
}

/**
 * What a process's recent calls say about models, by public id. A model without calls and without problems is
 * in no list.
 */
export interface ModelReport {
  readonly down: readonly string[];
  readonly degraded: readonly string[];
  /** Models that answer and have no problem. */
  readonly served: readonly string[];
}

/** Why a process accepts fewer concurrent requests than the operator allows, and how many. */
export interface SelfLimit {
  /** `lag`: event loop delay. `heap`: memory is nearly full. */
  readonly reason: "lag" | "heap";
  /**
   * The measured value: milliseconds at the 99th percentile, or percent of the heap in use after a
   * collection.
   */
  readonly seen: number;
  /** The operator's limit for it. */
  readonly allowed: number;
  /** Most requests in flight. */
  readonly inFlightLimit: number;
  /** The limit set by the operator. */
  readonly inFlightMax: number;
}

/** A serving process's report on itself. */
export interface ProcessReadings {
  readonly pid: number;
  readonly version: string;
  readonly startedAt: string;
  /** Event loop delay in the last seconds: 99th percentile in milliseconds. */
  readonly loopLagMs: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Chat completions in flight. */
  readonly inFlight: number;
  /** True when the database does not answer, or the journal has settlements it lacks. */
  readonly isBehind: boolean;
  /** True when the process is overloaded and accepts fewer concurrent requests than the operator allows. */
  readonly isLimiting: boolean;
  /** Null: no limit now; absent: the process has an older version. */
  readonly selfLimit?: SelfLimit | null | undefined;
  /**
   * Requests refused since its start because of one of its limits; absent: the process has an older version.
   */
  readonly refused?: number | undefined;
}

/** A serving process's last report. */
export interface ProcessStates {
  /** Id of the process, from start to end. */
  readonly process: string;
  /** By the database's clock. */
  readonly at: string;
  readonly upstreams: readonly UpstreamState[];
  /** Null: the process has an older version. */
  readonly readings: ProcessReadings | null;
  /** Null: the process has an older version. */
  readonly models: ModelReport | null;
}
