/**
 * How long requests took: percentiles by group, and histograms of all. Of many requests a sample is read, and
 * the answer says how far off its percentiles may be.
 */
import type { exploreRoutes } from "@plaza/contract/api/explore.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { exploreRequestsMax, latencyDaysMax } from "@plaza/contract/read-limits.ts";
import type { z } from "zod";
import { dayText } from "../../../lib/time/time-zone.ts";
import type { ExploreGroups, ExploreStore, LatencyGroup } from "../../../store/usage/explore-shapes.ts";
import { sampleParts } from "../../../store/usage/latency-sample.ts";
import { type ExploreQuery, filterOf } from "./explore.ts";
import { stretchesOf } from "./numbers.ts";

type LatencyAnswer = z.output<(typeof exploreRoutes)["getLatency"]["answer"]>;
type Times = LatencyAnswer["all"]["duration"];
type Bucket = LatencyAnswer["histograms"]["duration"][number];

/** Bounds of a histogram in milliseconds: some for each power of ten. */
const steps = [1, 1.5, 2, 3, 5, 7];
const bounds = [
  0,
  ...[10, 100, 1_000, 10_000, 100_000].flatMap((power) => steps.map((step) => step * power)),
];

/** Longer times are in the last bucket, whose end is only drawn. */
const lastMs = 1_000_000;

/** The time within which this share of the sorted times lies, by nearest rank; null without times. */
const rankOf = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? null;

/** Percentiles of times in any order. */
function timesOf(times: readonly number[]): Times {
  const sorted = times.toSorted((one, other) => one - other);
  return {
    count: sorted.length,
    p50: rankOf(sorted, 0.5),
    p75: rankOf(sorted, 0.75),
    p90: rankOf(sorted, 0.9),
    p95: rankOf(sorted, 0.95),
    p99: rankOf(sorted, 0.99),
  };
}

/** The buckets from the first with a time to the last; those between may be empty. */
function histogramOf(times: readonly number[]): Bucket[] {
  const counts = bounds.map(() => 0);
  for (const ms of times) {
    let at = bounds.length - 1;
    while (at > 0 && ms < (bounds[at] as number)) at--;
    counts[at] = (counts[at] as number) + 1;
  }
  const buckets = counts.map((count, at) => {
    return { fromMs: bounds[at] as number, toMs: bounds[at + 1] ?? lastMs, count };
  });
  const first = counts.findIndex((count) => count > 0);
  return first < 0 ? [] : buckets.slice(first, counts.findLastIndex((count) => count > 0) + 1);
}

type TimesName = "firstTokenMs" | "durationMs";

/** Parts of a sample joined by group. */
function joined(groups: readonly LatencyGroup[]): Omit<LatencyGroup, "part">[] {
  const found = new Map<string, { id: string; name: string | null } & Record<TimesName, number[]>>();
  for (const { id, name, firstTokenMs, durationMs } of groups) {
    const group = found.get(id) ?? { id, name, firstTokenMs: [], durationMs: [] };
    found.set(id, group);
    for (const ms of firstTokenMs) group.firstTokenMs.push(ms);
    for (const ms of durationMs) group.durationMs.push(ms);
  }
  return [...found.values()];
}

/** A group of a list of tags as one of each tag. */
const byTag = (group: LatencyGroup): LatencyGroup[] =>
  group.id === "" ? [group] : (JSON.parse(group.id) as string[]).map((id) => ({ ...group, id }));

/** Student's t for an interval of 95 % by the number of parts; fewer than five say too little. */
const studentT: Readonly<Record<number, number>> = {
  ...{ 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262 },
};

/**
 * Half the width of the 95 % interval of a sample's percentile in whole milliseconds, from how it differs
 * between the parts of the sample; null: too few parts have times.
 */
function errorOf(groups: readonly LatencyGroup[], name: TimesName, share: "p50" | "p95"): number | null {
  const parts = Array.from({ length: sampleParts }, (_, part) =>
    groups.filter((group) => group.part === part).flatMap((group) => group[name]),
  );
  const found = parts.map((times) => timesOf(times)[share]).filter((ms) => ms !== null);
  const t = studentT[found.length];
  if (t === undefined) return null;
  const mean = found.reduce((sum, ms) => sum + ms, 0) / found.length;
  const variance = found.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / (found.length - 1);
  return Math.ceil(t * Math.sqrt(variance / found.length));
}

function sampleOf(oneIn: number, groups: readonly LatencyGroup[]): LatencyAnswer["sample"] {
  if (oneIn === 1) return null;
  const errorsOf = (name: TimesName) => ({
    ...{ p50ErrorMs: errorOf(groups, name, "p50"), p95ErrorMs: errorOf(groups, name, "p95") },
  });
  return { oneIn, firstToken: errorsOf("firstTokenMs"), duration: errorsOf("durationMs") };
}

/** Answers a query; throws when even its sample would be too many requests. */
export async function answerLatency(
  { store, nowMs }: { readonly store: Pick<ExploreStore, "listLatencies">; readonly nowMs: number },
  query: Omit<ExploreQuery, "by" | "rank" | "grain" | "top"> & { readonly by: ExploreGroups | "day" },
): Promise<LatencyAnswer> {
  const stretches = stretchesOf(query, latencyDaysMax);
  const { by } = query;
  const limits = { requestsMax: exploreRequestsMax };
  const found = await store.listLatencies({ ...filterOf(query), stretches, by, ...limits });
  if (found === undefined) {
    const refusal = message("usage.requestsTooMany", { max: exploreRequestsMax });
    throw new GatewayError("invalid_request", { message: refusal, param: "from" });
  }
  // Every request once; only the groups below may overlap.
  const firstTokens = found.groups.flatMap(({ firstTokenMs }) => firstTokenMs);
  const durations = found.groups.flatMap(({ durationMs }) => durationMs);
  const groups = joined(by === "tag" ? found.groups.flatMap(byTag) : found.groups);
  return {
    asOf: new Date(nowMs).toISOString(),
    from: new Date(query.from).toISOString(),
    to: new Date(query.to).toISOString(),
    sample: sampleOf(found.oneIn, found.groups),
    groups: groups
      .map(({ id, name, firstTokenMs, durationMs }) => ({
        id: by === "day" ? dayText(Number(id)) : id,
        name,
        firstToken: timesOf(firstTokenMs),
        duration: timesOf(durationMs),
      }))
      .toSorted((one, other) => other.duration.count - one.duration.count || (one.id < other.id ? -1 : 1)),
    all: { firstToken: timesOf(firstTokens), duration: timesOf(durations) },
    histograms: { firstToken: histogramOf(firstTokens), duration: histogramOf(durations) },
  };
}
