/**
 * The model plaza: every model's facts, price, history and measured health. Facts only: what is not known is
 * null, what was not measured is null, and nothing is free unless its price is an explicit 0. The same facts
 * in OpenAI's shape: `GET /v1/models`.
 */
import { z } from "zod";
import { capabilityNames, modelStatuses } from "../catalog.ts";
import { operationNames } from "../operations.ts";
import { routes } from "./route.ts";
import { instant, limits, messageRef, money } from "./shapes.ts";
import { pricePeriod, shownPrice } from "./shapes-prices.ts";

/** What was measured with the traffic of the last 24 hours. */
export const modelHealth = z.object({
  /** All requests that named the model, of all accounts. */
  requests: z.number().int(),
  /**
   * 0 to 1, four decimals: complete answers among the requests that the model could have answered. Requests
   * the caller left, and requests refused for what they asked (4xx), are not counted; answers cut short and
   * failures (5xx) count against it. null = no request counts.
   */
  successRate: z.number().nullable(),
  /** Requests the success rate is of. */
  counted: z.number().int(),
  /** Of requests that had a first token, whole milliseconds, accurate to 3 %; null = none had. */
  firstTokenMs: z.object({ p50: z.number().int(), p95: z.number().int() }).nullable(),
  /** Output tokens of complete streams by the time from first to last token, one decimal; null = none. */
  outputTokensPerSecond: z.number().nullable(),
});

/** A model as all visitors see it. */
export const plazaModel = z.object({
  id: z.string(),
  name: z.string(),
  /** Who made it. */
  family: z.string().nullable(),
  /** What it is for; never empty. */
  operations: z.array(z.enum(operationNames)),
  description: z.string().nullable(),
  /** Of a description that is Plaza's own. */
  descriptionMessage: messageRef.nullable(),
  /** When this catalog first listed it. */
  createdAt: instant.nullable(),
  /** Context window in tokens. */
  context: z.number().int().nullable(),
  /** Most output tokens of one answer. */
  maxOutput: z.number().int().nullable(),
  modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }).nullable(),
  /** null = unknown; empty = the model is known to have none. */
  capabilities: z.array(z.enum(capabilityNames)).nullable(),
  /** From then on it is not to be relied on. */
  deprecatedAt: instant.nullable(),
  /** As measured by all processes; deprecation is a separate field. */
  status: z.enum(modelStatuses),
  /** Now, per million tokens; null = none, so that it is not served. */
  price: shownPrice.nullable(),
  /** Prices that take over by themselves, ascending. */
  scheduledPrices: z.array(pricePeriod),
  /**
   * For a signed-in member the least of what the account and the model allow,
   * each for itself; else the model's own.
   */
  myLimits: limits,
  /** null = no traffic in the last 24 hours. */
  health: modelHealth.nullable(),
});

/** A price the model had, has or will have. */
const priceInHistory = pricePeriod.extend({
  when: z.enum(["past", "now", "scheduled"]),
});

/** The account's own use of a model over the last seven days. */
const lastWeek = z.object({
  from: instant,
  to: instant,
  requests: z.number().int(),
  inputTokens: z.number().int(),
  cachedInputTokens: z.number().int(),
  cacheWriteTokens: z.number().int(),
  outputTokens: z.number().int(),
  reasoningTokens: z.number().int(),
  /** What was charged. */
  charge: money,
  /**
   * What the sums would cost at the price of now: computed once on the summed classes by the rates of small
   * prompts, plus the price per request for each that did not fail. Tiers by size of prompt, and parts like
   * audio, are not distinguished. null = there is no price.
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
      /** By model id; a model that is not in it is available. */
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
      /** Every price that is, was or will be in force (the last thousand), the newest first. */
      history: z.array(priceInHistory),
      /** Of a signed-in member's account; null for others, and without use. */
      lastWeek: lastWeek.nullable(),
    }),
  },
});
