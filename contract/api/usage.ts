/**
 * Sums and lists of requests: totals, charts, rows and details, for an account and for all. Every number
 * counts rows that can also be listed: the same filter gives the same requests.
 */
import { z } from "zod";
import { operationNames } from "../operations.ts";
import { fault } from "./fault.ts";
import { routes } from "./route.ts";
import { givenInstant, instant, manyTexts, money, nextCursor, pageQuery } from "./shapes.ts";
import { pricePeriod } from "./shapes-prices.ts";

/** Sums are kept per half hour, so queries cannot be finer. */
const usageGrainMs = 30 * 60_000;

/** Most days in one query. */
export const usageDaysMax = 1_830;

/** Most rows in an answer; a query with more is refused, never truncated. */
export const usageRowsMax = 20_000;

const stateNames = ["complete", "incomplete", "aborted", "failed"] as const;

/** How a request ended. */
export const requestState = z.enum(stateNames).meta({
  description:
    "complete: whole answer delivered; incomplete: cut after content; aborted: the client disconnected; failed: an error, no content",
});

const operation = z.enum(operationNames);

const manyOperations = z
  .union([operation, z.array(operation)])
  .transform((given) => (Array.isArray(given) ? given : [given]))
  .optional()
  .meta({ description: "Operations of the paths that were called." });

const onGrain = givenInstant.refine((text) => Date.parse(text) % usageGrainMs === 0, fault("form.halfHour"));

const manyStates = z
  .union([requestState, z.array(requestState)])
  .transform((given) => (Array.isArray(given) ? given : [given]))
  .optional();

/** Filters: values of one filter are alternatives, and all filters must match. */
export const filters = {
  model: manyTexts.meta({
    description:
      "Model ids; an empty one stands for requests that named no model, or one that is not there or not allowed to them.",
  }),
  key: manyTexts.meta({ description: "Key ids." }),
  operation: manyOperations,
  project: manyTexts.meta({ description: "Projects of the keys; an empty one: keys without a project." }),
  tag: manyTexts.meta({
    description: "Tags of the keys, of which each is enough; an empty one: keys without tags.",
  }),
};

export const accountFilter = { account: manyTexts.meta({ description: "Account ids." }) };

export const usageRange = {
  from: onGrain,
  to: onGrain.meta({ description: "Exclusive." }),
  timeZone: z.string().min(1).max(64).default("UTC").meta({
    description:
      "IANA name. Zones whose offset is not whole half hours (Nepal, Chatham, Eucla) are refused with `param` timeZone: use UTC.",
  }),
};

/** Sums over requests. */
export const usageNumbers = z.object({
  requests: z.number().int(),
  complete: z.number().int(),
  incomplete: z.number().int(),
  aborted: z.number().int(),
  failed: z.number().int(),
  /** Fresh prompt tokens; together with the next two the whole prompt. */
  inputTokens: z.number().int(),
  cachedInputTokens: z.number().int(),
  cacheWriteTokens: z.number().int(),
  outputTokens: z.number().int(),
  /** Part of the output. */
  reasoningTokens: z.number().int(),
  charge: money,
  /** The part of the charge that the balance did not cover; the operator bears it. */
  loss: money,
  /** Mean over requests with a first token, in whole milliseconds; null: none. */
  firstTokenMs: z.number().int().nullable(),
  /** Mean in whole milliseconds; null without requests. */
  durationMs: z.number().int().nullable(),
});

/** The same with what only the operator sees: what upstreams charge. */
export const operatorNumbers = usageNumbers.extend({
  /** Sum of the known costs. */
  cost: money,
  /** Number of requests with an unknown cost. */
  withoutCost: z.number().int(),
});

const rowNames = z.object({
  /** YYYY-MM-DD in the requested time zone; null unless grouped by day. */
  day: z.string().nullable(),
  /**
   * Null unless grouped by model; "" for requests without a model, or with one that does not exist or is not
   * allowed.
   */
  model: z.string().nullable(),
  /** Id; null unless grouped by key. */
  key: z.string().nullable(),
  keyName: z.string().nullable(),
  /** Id; null unless grouped by account, or by key across accounts. */
  account: z.string().nullable(),
  accountName: z.string().nullable(),
  /** null unless asked by operation. */
  operation: operation.nullable(),
});

const usageAnswer = {
  /** Everything recorded up to this time is counted. */
  asOf: instant,
  timeZone: z.string(),
  from: instant,
  to: instant,
};

const requestFilters = {
  ...filters,
  from: givenInstant.optional(),
  to: givenInstant.optional().meta({ description: "Exclusive." }),
  state: manyStates,
  errorCode: z.string().min(1).max(100).optional(),
  id: z.string().min(1).max(100).optional().meta({ description: "The beginning of an id, or a whole one." }),
};

/** A request in a list. */
export const requestLine = z.object({
  id: z.string(),
  createdAt: instant,
  /** The requested model; null when the body named none. */
  model: z.string().nullable(),
  /** The operation of the called path. */
  operation,
  keyId: z.string(),
  keyName: z.string().nullable(),
  isStream: z.boolean(),
  /** HTTP status sent; 499 when the client disconnected before one was. */
  status: z.number().int(),
  state: requestState,
  errorCode: z.string().nullable(),
  inputTokens: z.number().int(),
  cachedInputTokens: z.number().int(),
  cacheWriteTokens: z.number().int(),
  outputTokens: z.number().int(),
  reasoningTokens: z.number().int(),
  usageSource: z.enum(["exact", "estimated", "none"]),
  charge: money,
  firstTokenMs: z.number().int().nullable(),
  durationMs: z.number().int(),
  /** Number of upstream calls; 0 when it was refused before one. */
  attempts: z.number().int(),
});

/**
 * A key's refused calls for one reason that have no row of their own; only the first five per minute have
 * one.
 */
export const refusedCalls = z.object({
  keyId: z.string(),
  keyName: z.string().nullable(),
  errorCode: z.string(),
  count: z.number().int(),
  /** The first and the last minute with such calls. */
  from: instant,
  to: instant,
});

const operatorRefusedCalls = refusedCalls.extend({ accountId: z.string() });

const refusedMeta = {
  description:
    "Refused calls beside the list, the most first: on its first page, unless a model, an operation, an id or another state than failed is asked for",
};

/** A request in the operator's list. */
export const operatorRequestLine = requestLine.extend({
  accountId: z.string(),
  accountName: z.string().nullable(),
  upstream: z.string().nullable(),
  upstreamModel: z.string().nullable(),
  /** What upstreams charge for all attempts; null: unknown. */
  cost: money.nullable(),
});

const attempt = z.object({
  /** From 1, in order. */
  number: z.number().int(),
  /** The attempt's model if it differs from the requested one. */
  model: z.string().nullable(),
  /**
   * Its result as in `GET /v1/requests/{id}`: answered, caller_left, cut, refused, rate_limited, overloaded,
   * timeout, stopped, superseded, failed.
   */
  outcome: z.string(),
  /** Why it failed; null for the one that answered, and when it only concerns the operator. */
  fault: z.string().nullable(),
  /** The upstream's HTTP status, if it says something about this request. */
  status: z.number().int().nullable(),
  startMs: z.number().int().nullable().meta({
    description:
      "Milliseconds from the request's arrival to the start of this attempt; null for requests recorded before Plaza kept it",
  }),
  durationMs: z
    .number()
    .int()
    .meta({ description: "Milliseconds from the start of this attempt to its end" }),
  firstTokenMs: z.number().int().nullable().meta({
    description:
      "Milliseconds from the start of this attempt to its first token; null when no token reached the caller, for answers that are not streamed, and where startMs is null",
  }),
});

const operatorAttempt = attempt.extend({
  upstream: z.string(),
  upstreamModel: z.string(),
  /** Tokens the upstream reported for an attempt that was not charged. */
  usage: z.object({ input: z.number().int(), output: z.number().int() }).nullable(),
  /** True when it reported none: tokens and cost are the most that an abandoned attempt may have used. */
  isBound: z.boolean(),
  cost: money.nullable(),
});

const detailFields = {
  /** Parts of the classes that may have their own price; only those that are not 0. */
  usageParts: z.object({
    audioInput: z.number().int().optional(),
    imageInput: z.number().int().optional(),
    audioOutput: z.number().int().optional(),
    imageOutput: z.number().int().optional(),
    longCacheWrite: z.number().int().optional(),
  }),
  /** The price it was charged at; null when nothing was priced. */
  price: pricePeriod.extend({ id: z.number().int() }).nullable(),
  /** The part of the charge that the balance did not cover; the operator bears it. */
  loss: money,
  queueMs: z.number().int().nullable().meta({
    description:
      "Milliseconds from the request's arrival to the start of its first attempt: reading the body, checks, waiting in the queue of the upstream; null without an attempt, and for requests recorded before Plaza kept it",
  }),
};

/** Everything about a request that its account may see. */
export const requestDetail = requestLine.extend({ ...detailFields, attemptList: z.array(attempt) });

/** Everything, for the operator. */
export const operatorRequestDetail = operatorRequestLine.extend({
  ...detailFields,
  attemptList: z.array(operatorAttempt),
});

const csvSummary =
  "A header line, then every request that fits, newest first. Cells that a spreadsheet would take for a formula begin with '";

export const usageRoutes = routes({
  getUsage: {
    method: "get",
    path: "/usage",
    access: "member",
    summary: "What the account's requests add up to, by day, model, key or operation",
    query: z.object({
      ...usageRange,
      ...filters,
      by: z
        .enum(["none", "day", "model", "key", "operation", "day-model", "day-key", "day-operation"])
        .default("none"),
    }),
    answer: z.object({
      ...usageAnswer,
      rows: z.array(rowNames.extend(usageNumbers.shape)),
      total: usageNumbers,
    }),
  },
  listRequests: {
    method: "get",
    path: "/requests",
    access: "member",
    summary: "The account's requests, newest first",
    query: pageQuery.extend(requestFilters),
    answer: z.object({
      requests: z.array(requestLine),
      next: nextCursor,
      asOf: instant,
      refused: z.array(refusedCalls).meta(refusedMeta),
    }),
  },
  getRequestDetail: {
    method: "get",
    path: "/requests/{id}",
    access: "member",
    summary: "One request of the account: usage, price, charge and what was tried",
    answer: requestDetail,
  },
  exportRequests: {
    method: "get",
    path: "/requests.csv",
    access: "member",
    summary: `The account's requests as CSV. ${csvSummary}`,
    query: z.object(requestFilters),
    answerType: "text/csv",
  },
  getAllUsage: {
    method: "get",
    path: "/operator/usage",
    access: "operator",
    scope: "usage:read",
    summary: "What requests of all accounts add up to, with what upstreams bill",
    query: z.object({
      ...usageRange,
      ...filters,
      ...accountFilter,
      by: z
        .enum([
          "none",
          "day",
          "model",
          "key",
          "account",
          "operation",
          "day-model",
          "day-key",
          "day-account",
          "day-operation",
        ])
        .default("none"),
    }),
    answer: z.object({
      ...usageAnswer,
      rows: z.array(rowNames.extend(operatorNumbers.shape)),
      total: operatorNumbers,
    }),
  },
  listAllRequests: {
    method: "get",
    path: "/operator/requests",
    access: "operator",
    scope: "usage:read",
    summary: "Requests of all accounts, newest first",
    query: pageQuery.extend({ ...requestFilters, ...accountFilter }),
    answer: z.object({
      requests: z.array(operatorRequestLine),
      next: nextCursor,
      asOf: instant,
      refused: z.array(operatorRefusedCalls).meta(refusedMeta),
    }),
  },
  getAnyRequest: {
    method: "get",
    path: "/operator/requests/{id}",
    access: "operator",
    scope: "usage:read",
    summary: "One request of any account, with upstreams and cost",
    answer: operatorRequestDetail,
  },
  exportAllRequests: {
    method: "get",
    path: "/operator/requests.csv",
    access: "operator",
    scope: "usage:read",
    summary: `Requests of all accounts as CSV. ${csvSummary}`,
    query: z.object({ ...requestFilters, ...accountFilter }),
    answerType: "text/csv",
  },
});
