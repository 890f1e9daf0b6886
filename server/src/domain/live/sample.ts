/**
 * What one process reports for the live view. Other processes read it from the store, also those of another
 * version, so it is checked when read.
 */
import { liveOutcomes } from "@plaza/contract/live.ts";
import { z } from "zod";

const count = z.number().nonnegative();
const nanos = z.string().regex(/^\d{1,30}$/);
const counts = z.array(count).max(64);
const name = z.string().max(400);

/** How many requests ended, in the order of `liveOutcomes`. */
const outcomes = z.array(count).length(liveOutcomes.length);

/** What was counted during five seconds. */
const bin = z.object({
  /** When they began, in Unix milliseconds. */
  t: z.number().int(),
  /** Milliseconds between the first and the last reading: rates are over this time. */
  ms: z.number().positive(),
  outcomes,
  inputTokens: count,
  outputTokens: count,
  charge: nanos,
  /** Counts of the buckets (`buckets.ts`), without zeros at the end. */
  firstToken: counts,
  duration: counts,
});
export type LiveBin = z.output<typeof bin>;

export const liveHistory = z.array(bin).max(400);

export const liveSample = z.object({
  /** Raised when a field or a bucket changes its meaning; other versions are ignored. */
  v: z.literal(1),
  host: name,
  pid: z.number().int(),
  inFlight: count,
  streams: count,
  loopLagMs: count,
  rssBytes: count,
  /** The last five seconds. */
  now: z.object({ ms: z.number().positive(), requests: count, inputTokens: count, outputTokens: count }),
  /** The last minute. */
  minute: z.object({
    outcomes,
    charge: nanos,
    firstToken: counts,
    duration: counts,
    errors: z.array(z.tuple([name, count])).max(200),
    upstreams: z.array(z.tuple([name, name, count])).max(5_000),
    models: z.array(z.tuple([name, count])).max(2_000),
  }),
  /** The newest complete bins. */
  bins: z.array(bin).max(10),
});
export type LiveSample = z.output<typeof liveSample>;
