/**
 * The live view of the installation: a stream of snapshots for operators, one a second. Figures cover all
 * serving processes that answered in the last seconds; they are counted when a request ends.
 */
import { z } from "zod";
import { routes } from "./route.ts";
import { money } from "./shapes.ts";

/** Percentiles in milliseconds, estimated within a histogram's bucket; null: nothing was measured. */
const percentiles = z.object({
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
});

/** A latency over the last minute. */
const latency = percentiles.extend({
  count: z.number().int(),
  /** Highest value of each bucket in milliseconds, ascending. */
  bounds: z.array(z.number()),
  /** One number more than `bounds`: the last one counts larger values. */
  counts: z.array(z.number().int()),
});

const perSecond = z.number();

/** Five seconds of the past. */
export const livePoint = z.object({
  /** When they began, in Unix milliseconds. */
  t: z.number().int(),
  /** Requests per second, by how they ended. */
  requests: z.object({
    complete: perSecond,
    incomplete: perSecond,
    aborted: perSecond,
    refused: perSecond,
    failed: perSecond,
  }),
  inputTokens: perSecond,
  outputTokens: perSecond,
  /** US dollars per minute; a number, for charts only. */
  spend: z.number(),
  firstToken: percentiles,
  duration: percentiles,
});
export type LivePoint = z.output<typeof livePoint>;

const inLastMinute = z.number().int();

/** What one event of the stream holds. */
export const liveSnapshot = z.object({
  /** The answering process's clock, in Unix milliseconds. */
  t: z.number().int(),
  /** Rates of the last five seconds. Token counts include cached input. */
  requestsPerSecond: perSecond,
  inputTokensPerSecond: perSecond,
  outputTokensPerSecond: perSecond,
  /** Requests being served now, and how many of them are streamed. */
  inFlight: z.number().int(),
  streams: z.number().int(),
  /** Everything below is of the last minute: the last 55 to 60 seconds. */
  spendPerMinute: money,
  requests: z.object({
    complete: inLastMinute,
    incomplete: inLastMinute,
    aborted: inLastMinute,
    refused: inLastMinute,
    failed: inLastMinute,
  }),
  /** Time to the first token of streams, and duration of complete requests that an upstream answered. */
  firstToken: latency,
  duration: latency,
  /** Requests that ended with an error, by its code; most frequent first, at most 12. */
  errors: z.array(z.object({ code: z.string(), count: inLastMinute })),
  /** Upstream calls that failed, by upstream and kind of fault; most frequent first, at most 24. */
  upstreamErrors: z.array(z.object({ upstream: z.string(), fault: z.string(), count: inLastMinute })),
  /** Most frequent first, at most 10. */
  models: z.array(z.object({ model: z.string(), count: inLastMinute })),
  /** By host and process id. */
  processes: z.array(
    z.object({
      /** Its id, as in the health report. */
      process: z.string(),
      host: z.string(),
      pid: z.number().int(),
      requestsPerSecond: perSecond,
      inFlight: z.number().int(),
      streams: z.number().int(),
      /** Event loop delay in the last seconds: 99th percentile in milliseconds. */
      loopLagMs: z.number(),
      rssBytes: z.number().int(),
    }),
  ),
  /** False while the database does not answer: then only the answering process is in the figures. */
  isWhole: z.boolean(),
  /** The last 15 minutes, oldest first, in the first event and when another process appears; else null. */
  history: z.array(livePoint).nullable(),
  /**
   * The newest points. They replace those of the same time, because other processes report a moment later.
   */
  points: z.array(livePoint),
});
export type LiveSnapshot = z.output<typeof liveSnapshot>;

export const liveRoutes = routes({
  watchLive: {
    method: "get",
    path: "/operator/live",
    access: "operator",
    scope: "health:read",
    summary:
      "A stream of server-sent events: one snapshot a second of the whole installation, the first at once",
    query: z.object({
      /** True: one event, after the other processes had two seconds to report, then the end. */
      once: z.stringbool().optional(),
    }),
    answerType: "text/event-stream",
    answer: liveSnapshot,
  },
});
