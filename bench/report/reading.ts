/** Types of a benchmark run: cases, metrics and single readings. */

export const caseNames = [
  "startup",
  "fresh",
  "memory",
  "stream",
  "first-token",
  "json1k",
  "json100k",
  "refused",
] as const;
export type CaseName = (typeof caseNames)[number];

/** Cases measured in windows of a continuous load, after a warm-up. */
export const steadyCases = ["json1k", "json100k", "stream", "refused"] as const;
export type SteadyCase = (typeof steadyCases)[number];

/** Cases that any gateway can be measured in, in the order of a run. */
export const peerCases = ["memory", "stream", "first-token", "json1k", "json100k"] as const;
export type PeerCase = (typeof peerCases)[number];

export function isSteady(name: CaseName): name is SteadyCase {
  return steadyCases.some((steady) => steady === name);
}

/**
 * `direct`: the load calls the upstream directly, the baseline of added latency. `other`: a second build of
 * Plaza for comparison. `peer X`: another gateway, X being the name in its peer file.
 */
export type GatewayName = "nginx" | "plaza" | "other" | "direct" | PeerName;
export type PeerName = `peer ${string}`;

/** What is measured, and in which unit. */
export type Metric =
  /** CPU of the gateway per completed request, microseconds. */
  | "cpuPerRequestUs"
  | "requestsPerSecond"
  /** CPU per request in the first five seconds of full load after a start, by that of the settled process. */
  | "freshBySettled"
  /** Seconds of load until the cost was stable; infinite when it was not. */
  | "settledAfterS"
  /** CPU of the gateway per delivered content chunk, microseconds. */
  | "cpuPerChunkUs"
  /**
   * Percentage of chunks delivered at the upstream's pace. Below 100, chunks are combined and appear cheap.
   */
  | "paceKeptPercent"
  /** Growth of PSS per open stream, KiB. */
  | "kibPerStream"
  /** From writing the request to reading the first content chunk, milliseconds. */
  | "firstTokenP50Ms"
  | "firstTokenP99Ms"
  /** CPU used by neither gateway nor load on their two cores during a window, percent of one core. */
  | "foreignCpuPercent"
  /** How often the window was repeated because of disturbances. */
  | "repeats"
  /** Proportional set size of all processes of the gateway, MiB: rested after a start, and after a load. */
  | "restPssMib"
  | "loadedPssMib"
  /** Largest resident set of one process of the gateway, MiB. */
  | "idleRssMib"
  /** CPU of a gateway that nobody calls, percent of one core. */
  | "idleCpuPercent"
  /** From spawn to the first 200 of /readyz, milliseconds. */
  | "firstStartMs"
  | "startMs";

/** One figure of one round. Rounds count from 0. */
export interface Reading {
  readonly case: CaseName;
  readonly gateway: GatewayName;
  readonly metric: Metric;
  readonly round: number;
  readonly value: number;
}

/** The values of one figure in round order. */
export function valuesOf(
  readings: readonly Reading[],
  wanted: Pick<Reading, "case" | "gateway" | "metric">,
): number[] {
  return readings
    .filter((r) => r.case === wanted.case && r.gateway === wanted.gateway && r.metric === wanted.metric)
    .toSorted((a, b) => a.round - b.round)
    .map((r) => r.value);
}
