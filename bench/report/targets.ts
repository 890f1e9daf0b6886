/**
 * Plaza's performance targets, and how each is computed from the readings of one run. A missed target is
 * explained in docs/proof/bench.md, never loosened here.
 */

import { median, type Spread, spread } from "../measure/statistics.ts";
import { type CaseName, type GatewayName, type Metric, type Reading, valuesOf } from "./reading.ts";

/** `ratio`: Plaza / nginx. `added`: Plaza − direct. `value`: Plaza alone. */
type Comparison = "ratio" | "added" | "value";

export interface Target {
  readonly name: string;
  readonly case: CaseName;
  readonly metric: Metric;
  readonly comparison: Comparison;
  /** The highest value that meets the target, in the comparison's unit. */
  readonly atMost: number;
  readonly unit: string;
}

export interface Verdict {
  readonly target: Target;
  /** Comparison of the medians; undefined when the case was not run. */
  readonly reached: number | undefined;
  /** The comparison made for each round. */
  readonly rounds: Spread | undefined;
  readonly isReached: boolean | undefined;
  /** Why the figure is invalid, whatever its value. */
  readonly doubt: string | undefined;
}

/** A gateway that deviates more from the upstream's pace is measured at another load than nginx. */
const paceTolerancePercent = 5;

/** A row: what it is called, its figure, how it is compared, and the highest value that reaches it. */
const target = (
  name: string,
  figure: readonly [CaseName, Metric],
  comparison: Comparison,
  [atMost, unit]: readonly [number, string],
): Target => ({ name, case: figure[0], metric: figure[1], comparison, atMost, unit });

const targets: readonly Target[] = [
  target("CPU per request, 1 KB JSON", ["json1k", "cpuPerRequestUs"], "ratio", [2.5, "x nginx"]),
  target("CPU per request, 100 KB JSON", ["json100k", "cpuPerRequestUs"], "ratio", [2.5, "x nginx"]),
  target("CPU per stream chunk", ["stream", "cpuPerChunkUs"], "ratio", [1.3, "x nginx"]),
  target("CPU per 401 of an unknown key", ["refused", "cpuPerRequestUs"], "ratio", [2, "x nginx"]),
  target("first 5 s after a start, by settled", ["fresh", "freshBySettled"], "value", [1.5, "x"]),
  target("settled after a start", ["fresh", "settledAfterS"], "value", [5, "s"]),
  target("added first-token time, p50", ["first-token", "firstTokenP50Ms"], "added", [0.3, "ms"]),
  target("added first-token time, p99", ["first-token", "firstTokenP99Ms"], "added", [2, "ms"]),
  target("memory per stream", ["memory", "kibPerStream"], "value", [50, "KB"]),
  target("idle RSS per process", ["startup", "idleRssMib"], "value", [100, "MB"]),
  target("idle CPU", ["startup", "idleCpuPercent"], "value", [0.3, "%"]),
  target("ready after start", ["startup", "startMs"], "value", [300, "ms"]),
  target("ready after the very first start", ["startup", "firstStartMs"], "value", [800, "ms"]),
];

/** Compares two gateways by their medians, and round by round. Undefined when one has no readings. */
export function compare(
  readings: readonly Reading[],
  figure: { readonly case: CaseName; readonly metric: Metric },
  comparison: Comparison,
  gateway: GatewayName = "plaza",
): { readonly ofMedians: number; readonly rounds: Spread } | undefined {
  const ours = valuesOf(readings, { ...figure, gateway });
  if (ours.length === 0) return undefined;
  if (comparison === "value") return { ofMedians: median(ours), rounds: spread(ours) };
  const theirs = valuesOf(readings, { ...figure, gateway: comparison === "ratio" ? "nginx" : "direct" });
  if (theirs.length !== ours.length) return undefined;
  const relate = (a: number, b: number) => (comparison === "ratio" ? a / b : a - b);
  return {
    ofMedians: relate(median(ours), median(theirs)),
    rounds: spread(ours.map((value, round) => relate(value, theirs[round] ?? Number.NaN))),
  };
}

/** Delayed chunks are combined and cost less each: such a figure must not pass. */
function doubtOf(readings: readonly Reading[], target: Target): string | undefined {
  if (target.metric !== "cpuPerChunkUs") return undefined;
  const kept = valuesOf(readings, { case: "stream", gateway: "plaza", metric: "paceKeptPercent" });
  if (kept.length === 0 || Math.abs(median(kept) - 100) <= paceTolerancePercent) return undefined;
  return `${Math.round(median(kept))} % of the upstream's pace`;
}

/** Judges every target by the run's medians. */
export function judge(readings: readonly Reading[]): Verdict[] {
  return targets.map((target) => {
    const result = compare(readings, target, target.comparison);
    const doubt = doubtOf(readings, target);
    const isReached =
      result === undefined ? undefined : result.ofMedians <= target.atMost && doubt === undefined;
    return { target, reached: result?.ofMedians, rounds: result?.rounds, isReached, doubt };
  });
}
