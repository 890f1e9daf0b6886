/** Reads what this process has counted since its start from its metrics, for the live view. */
import { liveOutcomes } from "@plaza/contract/live.ts";
import { durationBounds, firstTokenBounds } from "../../../domain/live/buckets.ts";
import type { Counter, ExactCounter, Histogram, Registry } from "../../../lib/telemetry/metrics.ts";

/** Sums over all labels. They only grow. */
export interface Totals {
  /** In the order of `liveOutcomes`. */
  readonly outcomes: readonly number[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** NanoUsd. */
  readonly charge: bigint;
  readonly firstToken: readonly number[];
  readonly duration: readonly number[];
}

/** Sums by label. */
export interface Breakdown {
  /** Requests by error code. */
  readonly errors: ReadonlyMap<string, number>;
  /** Failed upstream calls by upstream, then by kind of fault. */
  readonly upstreams: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Requests by model. */
  readonly models: ReadonlyMap<string, number>;
}

/** Label values of `plaza_requests_total`, in their order. */
type RequestLabels = readonly [status: string, state: string, error: string, model: string];

/** The place in `liveOutcomes` of a request's ending. */
function outcomeOf(status: string, state: string): number {
  if (state !== "failed") return Math.max(0, liveOutcomes.indexOf(state as "complete"));
  return liveOutcomes.indexOf(status.startsWith("4") ? "refused" : "failed");
}

/** Plain loops: with a thousand models there are some ten thousand numbers to add up every second. */
function sumOfHistograms(registry: Registry, name: string, buckets: number): number[] {
  const sums = new Array<number>(buckets).fill(0);
  for (const { series } of registry.series(name)) {
    const { counts } = series as Histogram;
    for (let index = 0; index < buckets; index += 1)
      sums[index] = (sums[index] as number) + (counts[index] as number);
  }
  return sums;
}

const inputClasses: ReadonlySet<string> = new Set(["input", "cached_input", "cache_write"]);

export function readTotals(registry: Registry): Totals {
  const outcomes = liveOutcomes.map(() => 0);
  for (const { values, series } of registry.series("plaza_requests_total")) {
    const [status, state] = values as unknown as RequestLabels;
    const place = outcomeOf(status, state);
    outcomes[place] = (outcomes[place] ?? 0) + (series as Counter).value;
  }
  let inputTokens = 0;
  let outputTokens = 0;
  for (const { values, series } of registry.series("plaza_tokens_total")) {
    const [, kind = ""] = values;
    if (inputClasses.has(kind)) inputTokens += (series as Counter).value;
    else outputTokens += (series as Counter).value;
  }
  let charge = 0n;
  for (const { series } of registry.series("plaza_charges_usd_total"))
    charge += (series as ExactCounter).value;
  return {
    outcomes,
    inputTokens,
    outputTokens,
    charge,
    firstToken: sumOfHistograms(
      registry,
      "gen_ai_server_time_to_first_token_seconds",
      firstTokenBounds.length + 1,
    ),
    duration: sumOfHistograms(
      registry,
      "gen_ai_client_operation_duration_seconds",
      durationBounds.length + 1,
    ),
  };
}

const addTo = (sums: Map<string, number>, name: string, count: number): void => {
  if (name !== "" && count > 0) sums.set(name, (sums.get(name) ?? 0) + count);
};

export function readBreakdown(registry: Registry): Breakdown {
  const errors = new Map<string, number>();
  const models = new Map<string, number>();
  const upstreams = new Map<string, Map<string, number>>();
  for (const { values, series } of registry.series("plaza_requests_total")) {
    const [, , error, model] = values as unknown as RequestLabels;
    const { value } = series as Counter;
    addTo(errors, error, value);
    addTo(models, model, value);
  }
  for (const { values, series } of registry.series("plaza_attempts_total")) {
    const [upstream = "", outcome = ""] = values;
    if (outcome === "answered") continue;
    const faults = upstreams.get(upstream) ?? new Map<string, number>();
    upstreams.set(upstream, faults);
    addTo(faults, outcome, (series as Counter).value);
  }
  return { errors, upstreams, models };
}
