/**
 * The cost explorer: what a period adds up to by group and over time, beside the period before; and how long
 * requests took. Groups, spans and totals of one answer come from one snapshot and add up exactly, except
 * groups by tag.
 */
import { z } from "zod";
import { exploreRequestDaysMax, exploreRequestsMax, latencyDaysMax } from "../read-limits.ts";
import { routes } from "./route.ts";
import { instant, manyTexts, money } from "./shapes.ts";
import { accountFilter, filters, operatorNumbers, usageNumbers, usageRange } from "./usage.ts";

/** Most days of a period by day, and by hour. */
export const exploreDaysMax = 366;
export const exploreHourDaysMax = 31;

/** Most groups with figures of their own; the rest is one more. */
export const exploreTopMax = 50;

const memberFilter = {
  member: manyTexts.meta({ description: "Users who made the keys; an empty one: no known user." }),
};

const groupNames = ["model", "key", "project", "tag", "member", "operation"] as const;
const operatorGroupNames = [...groupNames, "account", "upstream"] as const;

const byTag = "tag: a request counts in the group of each tag of its key, so that groups overlap.";

const question = {
  ...usageRange,
  ...filters,
  ...memberFilter,
  grain: z
    .enum(["day", "hour"])
    .default("day")
    .meta({
      description: `Hours are counted from the start. At most ${exploreDaysMax} days, by hour ${exploreHourDaysMax}.`,
    }),
  top: z.coerce.number().int().min(1).max(exploreTopMax).default(20),
};

const ownQuestion = z.object({
  ...question,
  by: z.enum(groupNames).default("model").meta({ description: byTag }),
  rank: z.enum(["charge", "requests", "tokens"]).default("charge").meta({
    description: "What decides which groups are shown by themselves.",
  }),
});

const operatorQuestion = z.object({
  ...question,
  ...accountFilter,
  by: z
    .enum(operatorGroupNames)
    .default("model")
    .meta({
      description:
        `${byTag} upstream: that of a request's last attempt, read from requests: at most ${exploreRequestDaysMax} ` +
        `days, and ${exploreRequestsMax} requests in both periods together.`,
    }),
  rank: z.enum(["charge", "cost", "requests", "tokens"]).default("charge"),
});

/** One figure for each span, in order. */
const spanFigures = z.object({
  charge: z.array(money),
  requests: z.array(z.number().int()),
  /** Input, cached input, cache writes and output. */
  tokens: z.array(z.number().int()),
});

const operatorSpanFigures = spanFigures.extend({
  /** Sums of the known costs. */
  cost: z.array(money),
  withoutCost: z.array(z.number().int()),
});

/**
 * Numbers with what is left of the charge: charge − loss − known cost. Where `withoutCost` is not 0, it is
 * the most that may be left.
 */
const marginNumbers = operatorNumbers.extend({ margin: money });

const sumsOf = <Numbers extends z.ZodObject, Figures extends z.ZodObject>(
  numbers: Numbers,
  figures: Figures,
) => {
  const sums = z.object({ total: numbers, previous: numbers, spans: figures });
  return {
    groups: z.array(
      sums.extend({
        /** A model, a key's id, … ; "" for requests that name none. */
        id: z.string(),
        name: z.string().nullable(),
        /** By member: their keys, the newest 50. */
        keys: z.array(z.string()),
      }),
    ),
    /**
     * Everything without a group of its own; null: there is nothing else. By tag: requests of keys that have
     * none of the tags above.
     */
    other: sums.extend({ groups: z.number().int() }).nullable(),
    all: sums,
  };
};

const frame = {
  /** Everything recorded up to this time is counted. */
  asOf: instant,
  timeZone: z.string(),
  from: instant,
  to: instant,
  /**
   * The period before, equally long by the clocks of the time zone; while the period lasts, only as much of
   * it as has passed of this one.
   */
  previous: z.object({ from: instant, to: instant }),
  by: z.enum(operatorGroupNames),
  /** True by tag: a request may be in several groups, and groups may add up to more than `all`. */
  overlaps: z.boolean(),
  grain: z.enum(["day", "hour"]),
  /** The begin of each span, up to `asOf`; the last may not be over. */
  spans: z.array(instant),
  /** sums: kept for all time. requests: read from requests, which may have been removed. */
  source: z.enum(["sums", "requests"]),
};

const latencyQuestion = z.object({ ...usageRange, ...filters, ...memberFilter });

const times = z.object({
  count: z.number().int(),
  p50: z.number().int().nullable(),
  p75: z.number().int().nullable(),
  p90: z.number().int().nullable(),
  p95: z.number().int().nullable(),
  p99: z.number().int().nullable(),
});

const histogram = z.array(z.object({ fromMs: z.number(), toMs: z.number(), count: z.number().int() }));

const sampleErrors = z.object({
  p50ErrorMs: z.number().int().nullable(),
  p95ErrorMs: z.number().int().nullable(),
});

const latencyAnswer = z.object({
  asOf: instant,
  from: instant,
  to: instant,
  sample: z
    .object({ oneIn: z.number().int(), firstToken: sampleErrors, duration: sampleErrors })
    .nullable()
    .meta({
      description: `null: all requests are read. Of more than ${exploreRequestsMax} a sample is: one request in oneIn, whole stretches of time spread over the period. Counts are then those of the sample. The errors are half the width of the 95 % confidence interval of the percentile of all requests, in milliseconds; null: the sample is too small to tell`,
    }),
  /**
   * Milliseconds, nearest rank. `firstToken`: of requests with one. `duration`: of complete requests. By
   * day, the id is YYYY-MM-DD in the time zone. Requests that were removed are not counted.
   */
  groups: z.array(
    z.object({ id: z.string(), name: z.string().nullable(), firstToken: times, duration: times }),
  ),
  all: z.object({ firstToken: times, duration: times }),
  /** `toMs` is exclusive. */
  histograms: z.object({ firstToken: histogram, duration: histogram }),
});

const latencyLimits = `At most ${latencyDaysMax} days; of more than ${exploreRequestsMax} requests a sample`;

export const exploreRoutes = routes({
  exploreUsage: {
    method: "get",
    path: "/usage/explore",
    access: "member",
    summary: "The account's usage by group and over time, beside the period before",
    query: ownQuestion,
    answer: z.object({ ...frame, ...sumsOf(usageNumbers, spanFigures) }),
  },
  exportExploredUsage: {
    method: "get",
    path: "/usage/explore.csv",
    access: "member",
    summary: "The same as CSV: a line for each span and group with requests",
    query: ownQuestion,
    answerType: "text/csv",
  },
  getLatency: {
    method: "get",
    path: "/usage/latency",
    access: "member",
    summary: `How long the account's requests took, by percentile. ${latencyLimits}`,
    query: latencyQuestion.extend({ by: z.enum([...groupNames, "day"]).default("model") }),
    answer: latencyAnswer,
  },
  exploreAllUsage: {
    method: "get",
    path: "/operator/usage/explore",
    access: "operator",
    scope: "usage:read",
    summary: "Usage of all accounts by group and over time, with cost and margin, beside the period before",
    query: operatorQuestion,
    answer: z.object({ ...frame, ...sumsOf(marginNumbers, operatorSpanFigures) }),
  },
  exportAllExploredUsage: {
    method: "get",
    path: "/operator/usage/explore.csv",
    access: "operator",
    scope: "usage:read",
    summary: "The same as CSV: a line for each span and group with requests",
    query: operatorQuestion,
    answerType: "text/csv",
  },
  getAllLatency: {
    method: "get",
    path: "/operator/usage/latency",
    access: "operator",
    scope: "usage:read",
    summary: `How long requests of all accounts took, by percentile. ${latencyLimits}`,
    query: latencyQuestion.extend({
      ...accountFilter,
      by: z.enum([...operatorGroupNames, "day"]).default("model"),
    }),
    answer: latencyAnswer,
  },
});
