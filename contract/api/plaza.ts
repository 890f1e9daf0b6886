/**
 * The model plaza: every model's facts, price, price history and measured health. Unknown or unmeasured
 * values are null, and nothing is free unless its price is an explicit 0. `GET /v1/models` has the same facts
 * in OpenAI's format.
 */
import { z } from "zod";
import { capabilityNames, modelStatuses } from "../catalog.ts";
import { operationNames } from "../operations.ts";
import { routes } from "./route.ts";
import { instant, limits, messageRef, money } from "./shapes.ts";
import { pricePeriod, shownPrice } from "./shapes-prices.ts";

/** Measurements from the traffic of the last 24 hours. */
export const modelHealth = z.object({
  /** All requests that named the model, from all accounts. */
  requests: z.number().int(),
  /**
   * 0 to 1, four decimals: the share of complete answers. Requests ended by a client disconnect or refused as
   * invalid (4xx) do not count; truncated answers and failures (5xx) count against it. Null: no request
   * counts.
   */
  successRate: z.number().nullable(),
  /** Number of requests in the success rate. */
  counted: z.number().int(),
  /** Over requests with a first token, in whole milliseconds, accurate to 3 %; null: none. */
  firstTokenMs: z.object({ p50: z.number().int(), p95: z.number().int() }).nullable(),
  /**
   * Output tokens of complete streams divided by the time from first to last token, one decimal; null: none.
   */
  outputTokensPerSecond: z.number().nullable(),
});

/** A model as visitors see it. */
export const plazaModel = z.object({
  id: z.string(),
  name: z.string(),
  /** The vendor. */
  family: z.string().nullable(),
  /** Its operations; never empty. */
  operations: z.array(z.enum(operationNames)),
  description: z.string().nullable(),
  /** The message of a description that Plaza wrote. */
  descriptionMessage: messageRef.nullable(),
  /** When this catalog first listed it. */
  createdAt: instant.nullable(),
  /** Context window in tokens. */
  context: z.number().int().nullable(),
  /** Most output tokens of one answer. */
  maxOutput: z.number().int().nullable(),
  modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }).nullable(),
  /** Null: unknown; empty: known to have none. */
  capabilities: z.array(z.enum(capabilityNames)).nullable(),
  /** When it becomes deprecated. */
  deprecatedAt: instant.nullable(),
  /** From all processes; deprecation is a separate field. */
  status: z.enum(modelStatuses),
  /** The current price per million tokens; null: none, so it is not served. */
  price: shownPrice.nullable(),
  /** Prices that apply later, ascending. */
  scheduledPrices: z.array(pricePeriod),
  /**
   * For a signed-in member, the lower of the account's and the model's limit of each kind; else the model's.
   */
  myLimits: limits,
  /** Null: no traffic in the last 24 hours. */
  health: modelHealth.nullable(),
});

/** A past, current or future price of the model. */
const priceInHistory = pricePeriod.extend({
  when: z.enum(["past", "now", "scheduled"]),
});

/** The account's usage of a model in the last seven days. */
const lastWeek = z.object({
  from: instant,
  to: instant,
  requests: z.number().int(),
  inputTokens: z.number().int(),
  cachedInputTokens: z.number().int(),
  cacheWriteTokens: z.number().int(),
  outputTokens: z.number().int(),
  reasoningTokens: z.number().int(),
  /** The amount charged. */
  charge: money,
  /**
   * The sums at today's price, computed from the summed classes with the rates for small prompts, plus the
   * price per request for each that did not fail. Tiers and parts such as audio are ignored. Null: no price.
   */
  chargeNow: money.nullable(),
});

export const plazaRoutes = routes({
  getPlaza: {
    method: "get",
    path: "/plaza",
    access: "anyone",
    summary:
      "Every model with its facts, price, limits and measured health; open to everybody where the operator says so",
    answer: z.object({
      asOf: instant,
      models: z.array(plazaModel),
    }),
  },
  getPlazaStatuses: {
    method: "get",
    path: "/plaza-statuses",
    access: "anyone",
    summary: "The status of every model that is not simply available, for pages that stay open",
    answer: z.object({
      /** By model id; models that are missing are available. */
      statuses: z.record(z.string(), z.enum(modelStatuses)),
    }),
  },
  getPlazaModel: {
    method: "get",
    path: "/plaza/{model}",
    access: "anyone",
    summary:
      "One model with the history of its price, and what the account used of it. A slash in the id is sent as %2F",
    answer: plazaModel.extend({
      asOf: instant,
      /** All past, current and future prices (the last thousand), newest first. */
      history: z.array(priceInHistory),
      /** For a signed-in member's account; null for others, and without usage. */
      lastWeek: lastWeek.nullable(),
    }),
  },
});
