/** Adds up the samples of several processes. Pure. */
import type { LivePoint, LiveSnapshot } from "@plaza/contract/api/live.ts";
import { type LiveOutcome, liveHistoryMax, liveOutcomes, livePointMs } from "@plaza/contract/live.ts";
import { formatUsd, nanoUsd } from "@plaza/contract/money.ts";
import { addCounts, durationBounds, firstTokenBounds, percentileMs, sumOf } from "./buckets.ts";
import type { LiveBin, LiveSample } from "./sample.ts";

const errorsMax = 12;
const upstreamErrorsMax = 24;
const modelsMax = 10;

/** A process and its sample. */
export interface ProcessSample {
  readonly process: string;
  readonly sample: LiveSample;
}

/** Three digits after the point are enough for rates. */
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

function percentilesOf(bounds: readonly number[], counts: readonly number[]): LivePoint["firstToken"] {
  return {
    p50: percentileMs(bounds, counts, 0.5),
    p95: percentileMs(bounds, counts, 0.95),
    p99: percentileMs(bounds, counts, 0.99),
  };
}

function latencyOf(bounds: readonly number[], counts: readonly number[]): LiveSnapshot["firstToken"] {
  return {
    ...percentilesOf(bounds, counts),
    count: sumOf(counts),
    bounds: bounds.map((bound) => Math.round(bound * 1_000)),
    counts: Array.from({ length: bounds.length + 1 }, (_, index) => counts[index] ?? 0),
  };
}

function byOutcome(counts: readonly number[]): Record<LiveOutcome, number> {
  const [complete = 0, incomplete = 0, aborted = 0, refused = 0, failed = 0] = counts;
  return { complete, incomplete, aborted, refused, failed };
}

/** Sums counts by name; most frequent first, then by name. */
function ranked(lists: readonly (readonly (readonly [string, number])[])[], max: number): [string, number][] {
  const sums = new Map<string, number>();
  for (const [name, count] of lists.flat()) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums]
    .filter(([, count]) => count > 0)
    .sort(([oneName, one], [otherName, other]) => other - one || (oneName < otherName ? -1 : 1))
    .slice(0, max);
}

/** Upstream ids contain no control characters. */
const between = "\u0000";

function upstreamErrorsOf(samples: readonly LiveSample[]): LiveSnapshot["upstreamErrors"] {
  const lists = samples.map(({ minute }) =>
    minute.upstreams.map(([upstream, fault, count]) => [`${upstream}${between}${fault}`, count] as const),
  );
  return ranked(lists, upstreamErrorsMax).map(([key, count]) => {
    const [upstream = "", fault = ""] = key.split(between);
    return { upstream, fault, count };
  });
}

/** Everything of a snapshot that is made of samples. */
export type MergedSamples = Omit<LiveSnapshot, "t" | "isWhole" | "history" | "points">;

export function mergeSamples(processes: readonly ProcessSample[]): MergedSamples {
  const samples = processes.map(({ sample }) => sample);
  const sum = (of: (sample: LiveSample) => number): number =>
    samples.reduce((total, sample) => total + of(sample), 0);
  const add = (of: (sample: LiveSample) => readonly number[]): number[] =>
    samples.reduce<number[]>((total, sample) => addCounts(total, of(sample)), []);
  const perSecond = (of: (now: LiveSample["now"]) => number): number =>
    rounded(sum(({ now }) => (of(now) * 1_000) / now.ms));
  const charge = samples.reduce((total, { minute }) => total + BigInt(minute.charge), 0n);
  return {
    requestsPerSecond: perSecond(({ requests }) => requests),
    inputTokensPerSecond: perSecond(({ inputTokens }) => inputTokens),
    outputTokensPerSecond: perSecond(({ outputTokens }) => outputTokens),
    inFlight: sum(({ inFlight }) => inFlight),
    streams: sum(({ streams }) => streams),
    spendPerMinute: formatUsd(nanoUsd(charge)),
    requests: byOutcome(add(({ minute }) => minute.outcomes)),
    firstToken: latencyOf(
      firstTokenBounds,
      add(({ minute }) => minute.firstToken),
    ),
    duration: latencyOf(
      durationBounds,
      add(({ minute }) => minute.duration),
    ),
    errors: ranked(
      samples.map(({ minute }) => minute.errors),
      errorsMax,
    ).map(([code, count]) => ({ code, count })),
    upstreamErrors: upstreamErrorsOf(samples),
    models: ranked(
      samples.map(({ minute }) => minute.models),
      modelsMax,
    ).map(([model, count]) => ({ model, count })),
    processes: processes
      .map(({ process, sample }) => ({
        process,
        host: sample.host,
        pid: sample.pid,
        requestsPerSecond: rounded((sample.now.requests * 1_000) / sample.now.ms),
        inFlight: sample.inFlight,
        streams: sample.streams,
        loopLagMs: sample.loopLagMs,
        rssBytes: sample.rssBytes,
      }))
      .sort((one, other) => (one.host === other.host ? one.pid - other.pid : one.host < other.host ? -1 : 1)),
  };
}

/** A bin's counts per second, so that processes that read at different times can be added up. */
interface Rates {
  outcomes: number[];
  inputTokens: number;
  outputTokens: number;
  /** US dollars per minute. */
  spend: number;
  firstToken: number[];
  duration: number[];
}

function addBin(rates: Rates, bin: LiveBin): void {
  const perSecond = 1_000 / bin.ms;
  rates.outcomes = rates.outcomes.map((rate, index) => rate + (bin.outcomes[index] ?? 0) * perSecond);
  rates.inputTokens += bin.inputTokens * perSecond;
  rates.outputTokens += bin.outputTokens * perSecond;
  rates.spend += (Number(bin.charge) / 1e9) * 60 * perSecond;
  rates.firstToken = addCounts(rates.firstToken, bin.firstToken);
  rates.duration = addCounts(rates.duration, bin.duration);
}

function pointOf(t: number, rates: Rates): LivePoint {
  return {
    t,
    requests: byOutcome(rates.outcomes.map(rounded)),
    inputTokens: rounded(rates.inputTokens),
    outputTokens: rounded(rates.outputTokens),
    spend: Math.round(rates.spend * 1e9) / 1e9,
    firstToken: percentilesOf(firstTokenBounds, rates.firstToken),
    duration: percentilesOf(durationBounds, rates.duration),
  };
}

/**
 * The newest time that every process has completed: a later point would lack some of them and look like a
 * fall. A process more than two bins behind hangs, or its clock is wrong, and is not waited for.
 */
export function completeUntil(processes: readonly (readonly LiveBin[])[]): number {
  const newest = processes.flatMap((bins) => bins.at(-1)?.t ?? []);
  const latest = Math.max(...newest);
  return Math.min(...newest.filter((t) => t >= latest - 2 * livePointMs));
}

/**
 * The points of all processes' bins, oldest first. Their clocks may differ a little; a bin belongs to the
 * five seconds its beginning is nearest to.
 */
export function mergeBins(processes: readonly (readonly LiveBin[])[]): LivePoint[] {
  const at = new Map<number, Rates>();
  for (const bin of processes.flat()) {
    const t = Math.round(bin.t / livePointMs) * livePointMs;
    let rates = at.get(t);
    if (rates === undefined) {
      rates = {
        outcomes: liveOutcomes.map(() => 0),
        inputTokens: 0,
        outputTokens: 0,
        spend: 0,
        firstToken: [],
        duration: [],
      };
      at.set(t, rates);
    }
    addBin(rates, bin);
  }
  return [...at]
    .sort(([one], [other]) => one - other)
    .slice(-liveHistoryMax)
    .map(([t, rates]) => pointOf(t, rates));
}
