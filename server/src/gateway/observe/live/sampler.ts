/**
 * Reads this process's counters once a second and keeps what the live view needs of the last 15 minutes. Off
 * the hot path: requests only count into the metrics, as without it.
 */
import { hostname } from "node:os";
import { liveHistoryMax, livePointMs } from "@plaza/contract/live.ts";
import { addCounts, countsSince } from "../../../domain/live/buckets.ts";
import type { LiveBin, LiveSample } from "../../../domain/live/sample.ts";
import type { Registry } from "../../../lib/telemetry/metrics.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { type Breakdown, readBreakdown, readTotals, type Totals } from "./totals.ts";

/** Rates are of this long, in milliseconds. */
const nowMs = 5_000;
const minuteMs = 60_000;
/** The newest complete bins that a sample holds. A reader that misses a sample or two misses none of them. */
const binsInSample = 3;

/** What is read when a sample is made. */
export interface LiveReadings {
  readonly inFlight: number;
  readonly streams: number;
  readonly loopLagMs: number;
}

export interface LiveSampler {
  /** Reads the counters; call once a second. Returns true when a bin has been completed. */
  tick(): boolean;
  sample(): LiveSample;
  /** All complete bins, oldest first. */
  history(): readonly LiveBin[];
}

export interface SamplerOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly readings: () => LiveReadings;
}

interface Reading {
  readonly atMs: number;
  readonly totals: Totals;
}

interface MinuteReading extends Reading {
  readonly breakdown: Breakdown;
}

/** Removes zeros at the end: most latencies are in the first buckets. */
function withoutTail(counts: readonly number[]): number[] {
  let length = counts.length;
  while (length > 0 && counts[length - 1] === 0) length -= 1;
  return counts.slice(0, length);
}

function totalsSince(now: Totals, before: Totals) {
  const [inputTokens = 0] = countsSince([now.inputTokens], [before.inputTokens]);
  const [outputTokens = 0] = countsSince([now.outputTokens], [before.outputTokens]);
  return {
    outcomes: countsSince(now.outcomes, before.outcomes),
    inputTokens,
    outputTokens,
    charge: now.charge >= before.charge ? now.charge - before.charge : now.charge,
    firstToken: countsSince(now.firstToken, before.firstToken),
    duration: countsSince(now.duration, before.duration),
  };
}

/** Names whose count grew, and by how much. */
function grown(
  now: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number> | undefined,
): [string, number][] {
  return [...now].flatMap(([name, count]): [string, number][] => {
    const [more = 0] = countsSince([count], [before?.get(name) ?? 0]);
    return more > 0 ? [[name, more]] : [];
  });
}

/** A class because it keeps what it read. */
class Sampler implements LiveSampler {
  readonly #options: SamplerOptions;
  /** One reading per second, of the last five. */
  readonly #seconds: Reading[] = [];
  /** One reading per bin, of the last minute. */
  readonly #minute: MinuteReading[] = [];
  /** The last one is still being filled. */
  readonly #bins: LiveBin[] = [];
  #last: Reading;

  constructor(options: SamplerOptions) {
    this.#options = options;
    this.#last = this.#read();
    this.#seconds.push(this.#last);
    this.#minute.push({ ...this.#last, breakdown: readBreakdown(options.registry) });
  }

  #read(): Reading {
    return { atMs: this.#options.clock.elapsedMs(), totals: readTotals(this.#options.registry) };
  }

  tick(): boolean {
    const reading = this.#read();
    // Rates need a time to be over.
    if (reading.atMs <= this.#last.atMs) return false;
    const isNew = this.#addToBin(reading);
    this.#last = reading;
    this.#seconds.push(reading);
    while (this.#seconds.length > 1 && (this.#seconds[1] as Reading).atMs <= reading.atMs - nowMs)
      this.#seconds.shift();
    if (isNew) this.#minute.push({ ...reading, breakdown: readBreakdown(this.#options.registry) });
    while (this.#minute.length > 1 && (this.#minute[0] as Reading).atMs < reading.atMs - minuteMs)
      this.#minute.shift();
    return isNew;
  }

  /** Adds what was counted since the last reading to the bin of now. */
  #addToBin({ atMs, totals }: Reading): boolean {
    const ms = atMs - this.#last.atMs;
    const { charge, ...since } = totalsSince(totals, this.#last.totals);
    const t = Math.floor(this.#options.clock.wallMs() / livePointMs) * livePointMs;
    const last = this.#bins.at(-1);
    // A clock that was set back adds to the newest bin, so that times only grow.
    if (last !== undefined && t <= last.t) {
      this.#bins[this.#bins.length - 1] = {
        t: last.t,
        ms: last.ms + ms,
        outcomes: addCounts(last.outcomes, since.outcomes),
        inputTokens: last.inputTokens + since.inputTokens,
        outputTokens: last.outputTokens + since.outputTokens,
        charge: String(BigInt(last.charge) + charge),
        firstToken: withoutTail(addCounts(last.firstToken, since.firstToken)),
        duration: withoutTail(addCounts(last.duration, since.duration)),
      };
      return false;
    }
    this.#bins.push({
      ...since,
      t,
      ms,
      charge: String(charge),
      firstToken: withoutTail(since.firstToken),
      duration: withoutTail(since.duration),
    });
    if (this.#bins.length > liveHistoryMax + 1) this.#bins.shift();
    return true;
  }

  sample(): LiveSample {
    const { registry, readings } = this.#options;
    const reading = this.#read();
    const before = this.#seconds[0] ?? this.#last;
    const now = totalsSince(reading.totals, before.totals);
    const minute = this.#minute[0] as MinuteReading;
    const { charge, ...since } = totalsSince(reading.totals, minute.totals);
    const breakdown = readBreakdown(registry);
    const { inFlight, streams, loopLagMs } = readings();
    return {
      v: 1,
      host: hostname(),
      pid: process.pid,
      inFlight,
      streams,
      loopLagMs: Math.round(loopLagMs * 10) / 10,
      rssBytes: process.memoryUsage.rss(),
      now: {
        ms: Math.max(1, reading.atMs - before.atMs),
        requests: now.outcomes.reduce((sum, count) => sum + count, 0),
        inputTokens: now.inputTokens,
        outputTokens: now.outputTokens,
      },
      minute: {
        outcomes: since.outcomes,
        charge: String(charge),
        firstToken: withoutTail(since.firstToken),
        duration: withoutTail(since.duration),
        errors: grown(breakdown.errors, minute.breakdown.errors).slice(0, 200),
        upstreams: [...breakdown.upstreams]
          .flatMap(([upstream, faults]) =>
            grown(faults, minute.breakdown.upstreams.get(upstream)).map(
              ([fault, count]): [string, string, number] => [upstream, fault, count],
            ),
          )
          .slice(0, 5_000),
        models: grown(breakdown.models, minute.breakdown.models),
      },
      bins: this.#bins.slice(-1 - binsInSample, -1),
    };
  }

  history(): readonly LiveBin[] {
    return this.#bins.slice(0, -1);
  }
}

/** Creates the sampler of a process. What was counted before is not in its figures. */
export function createLiveSampler(options: SamplerOptions): LiveSampler {
  return new Sampler(options);
}
