/**
 * Converts the usage of an Anthropic message to and from disjoint classes. `input_tokens` excludes tokens
 * read from or written to the cache. A stream's counts are cumulative, so its reader passes the first report
 * merged with the last.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { agesNamed, anthropicAges, count, optionalCount, usageOf, writesByAge } from "../usage-counts.ts";

/**
 * Tokens written to the cache, and how many of them for more than five minutes. The total may be missing when
 * its two parts are there.
 */
function cacheWrites(report: JsonRecord) {
  const { all, long, hasUnknownClass } = writesByAge(
    agesNamed(recordOf(report["cache_creation"]), anthropicAges),
  );
  const total = count(report["cache_creation_input_tokens"]) ?? all;
  return { cacheWrite: all > total ? Number.NaN : total, longCacheWrite: long, hasUnknownClass };
}

function readReport(report: JsonRecord): Usage | undefined {
  const input = count(report["input_tokens"]);
  const output = count(report["output_tokens"]);
  if (input === undefined || output === undefined) return undefined;
  // Anthropic has no separate audio and image counts. These are Plaza's names for counts of other upstreams.
  const { audio_tokens: audioInput, image_tokens: imageInput } = recordOf(report["input_tokens_details"]);
  const details = recordOf(report["output_tokens_details"]);
  return usageOf({
    input,
    cachedInput: optionalCount(report["cache_read_input_tokens"]),
    ...cacheWrites(report),
    output,
    reasoning: optionalCount(details["thinking_tokens"]),
    audioInput: optionalCount(audioInput),
    imageInput: optionalCount(imageInput),
    audioOutput: optionalCount(details["audio_tokens"]),
    imageOutput: optionalCount(details["image_tokens"]),
  });
}

/**
 * Usage as it is written, also in `message_start`; `readUsage` reads it back to the same classes. Missing
 * counts are 0, because clients add them up.
 */
export function usageOnWire(usage: Usage): JsonRecord {
  const { audioInput, imageInput, audioOutput, imageOutput, longCacheWrite: long = 0 } = usage;
  // A cache write of unknown lifetime is written under Plaza's own name.
  const longName =
    usage.hasUnknownClass === true ? "ephemeral_unknown_input_tokens" : "ephemeral_1h_input_tokens";
  const inputs = {
    ...(audioInput === undefined ? {} : { audio_tokens: audioInput }),
    ...(imageInput === undefined ? {} : { image_tokens: imageInput }),
  };
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cachedInput,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite - long,
      ephemeral_1h_input_tokens: 0,
      [longName]: long,
    },
    ...(Object.keys(inputs).length === 0 ? {} : { input_tokens_details: inputs }),
    output_tokens: usage.output,
    output_tokens_details: {
      thinking_tokens: usage.reasoning,
      ...(audioOutput === undefined ? {} : { audio_tokens: audioOutput }),
      ...(imageOutput === undefined ? {} : { image_tokens: imageOutput }),
    },
  };
}

/** The partial reports that make up the bill; empty when the message's own report is the bill. */
function billedIterations(report: JsonRecord): JsonRecord[] {
  const iterations = Array.isArray(report["iterations"]) ? report["iterations"].map(recordOf) : [];
  if (iterations.some(({ type }) => type === "fallback_message")) return [];
  return iterations.filter(({ type }) => type === "message" || type === "compaction");
}

function sum(usages: readonly Usage[], of: (usage: Usage) => number | undefined): number {
  return usages.reduce((total, usage) => total + (of(usage) ?? 0), 0);
}

/**
 * Undefined when absent or implausible: a count that is negative, fractional, not a number or above 10^9;
 * more cache writes by lifetime than in total; or more thinking than output. A message made of several runs
 * has the sum of their usage.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const whole = readReport(value);
  const iterations = billedIterations(value);
  if (whole === undefined || iterations.length === 0) return whole;
  const runs: Usage[] = [];
  for (const iteration of iterations) {
    const run = readReport(iteration);
    if (run === undefined) return undefined;
    runs.push(run);
  }
  const output = sum(runs, (run) => run.output);
  return usageOf({
    input: sum(runs, (run) => run.input),
    cachedInput: sum(runs, (run) => run.cachedInput),
    cacheWrite: sum(runs, (run) => run.cacheWrite),
    longCacheWrite: sum(runs, (run) => run.longCacheWrite),
    hasUnknownClass: runs.some((run) => run.hasUnknownClass === true),
    output,
    // The parts do not always report thinking; the message does.
    reasoning: Math.min(
      output,
      Math.max(
        whole.reasoning,
        sum(runs, (run) => run.reasoning),
      ),
    ),
  });
}

const counts = [
  "input_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "output_tokens",
] as const;

/**
 * True when it reports any count. Unknown usage is written as zeros because clients need numbers, and no real
 * call uses zero tokens.
 */
export const isReport = (value: unknown): boolean =>
  isRecord(value) && counts.some((name) => value[name] !== 0 && (value[name] ?? undefined) !== undefined);

/** The report without output: in `message_start` its count is only an initial value. */
export const promptOf = (report: JsonRecord): JsonRecord => ({
  ...report,
  output_tokens: 0,
  output_tokens_details: undefined,
});
