/**
 * The status of models: now, over the last day, and what is wrong. Visitors see it where the operator opened
 * the plaza; upstreams and the reasons of faults are for operators only.
 */
import { z } from "zod";
import { modelStatuses } from "../catalog.ts";
import { routes } from "./route.ts";
import { instant, messageRef } from "./shapes.ts";

/** The last day of a model, from its requests, and for the current half hour also from its live status. */
const history = {
  /**
   * 48 half hours, a letter each, oldest first: `-` no request that counts, `a` available, `d` degraded,
   * `x` down. The last one is the current half hour.
   */
  strip: z.string().regex(/^[-adx]{48}$/),
  /** Share of complete answers among the requests that count, 0 to 1, rounded down; null: none counts. */
  uptime: z.number().nullable(),
  /**
   * Requests that count: complete answers, truncated answers and failures of upstreams. Not requests ended by
   * the client or refused.
   */
  counted: z.number().int(),
};

/** A model on the status page. */
export const modelStatus = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(modelStatuses),
  ...history,
});

/** What visitors see of an incident. */
const publicIncident = z.object({
  state: z.enum(["degraded", "down"]),
  /** Public ids: the first few of `modelsCount`. */
  models: z.array(z.string()),
  modelsCount: z.number().int(),
  startedAt: instant,
  /** Null: not over. */
  endedAt: instant.nullable(),
});

/** Start of the first half hour of every strip. */
const from = instant;

const incidentCause = z.enum(["unreachable", "failing", "busy", "credential", "quota", "unknown"]);

/** What operators see of an incident. */
const incident = publicIncident.extend({
  upstream: z.string(),
  cause: incidentCause,
  /** The last fault seen, by its kind (`server/src/domain/routing/fault.ts`); null: none. */
  fault: z.object({ kind: z.string(), status: z.number().int().nullable(), at: instant }).nullable(),
  /** When Plaza tries it next by itself; null: unknown, or over. */
  nextTryAt: instant.nullable(),
});

export const statusRoutes = routes({
  getStatus: {
    method: "get",
    path: "/status",
    access: "anyone",
    summary:
      "The status of every model now and over the last day, and incidents; open to everybody where the operator says so",
    answer: z.object({
      asOf: instant,
      /** `outage`: every model that has a price is down. `partial`: some are down. */
      state: z.enum(["operational", "degraded", "partial", "outage"]),
      from,
      /** Models with a price, as the catalog orders them. */
      models: z.array(modelStatus),
      /** Of the last day, newest first. */
      incidents: z.array(publicIncident),
    }),
  },
  getModelStatus: {
    method: "get",
    path: "/status/{model}",
    access: "anyone",
    summary: "The status of one model. A slash in the id is sent as %2F",
    answer: modelStatus.extend({ asOf: instant, from }),
  },
  listIncidents: {
    method: "get",
    path: "/operator/incidents",
    access: "operator",
    scope: "health:read",
    summary: "Incidents of models by upstream and cause, newest first: those of now, and the last 30 days",
    answer: z.object({ at: instant, incidents: z.array(incident) }),
  },
  testUpstream: {
    method: "post",
    path: "/operator/upstreams/{id}/test",
    access: "operator",
    scope: "catalog:write",
    summary:
      "Ask an upstream for its models now, and have every process probe what it ejected there; a failure is part of the answer",
    subject: "upstream {id}",
    answer: z.object({
      at: instant,
      /** False: it does not answer, or refuses the credential. */
      isWorking: z.boolean(),
      /** True when the answer also shows that the credential is accepted. */
      isChecked: z.boolean(),
      /** Number of models it listed; null: it has no list. */
      models: z.number().int().nullable(),
      tookMs: z.number().int(),
      /** Why it failed; null: it did not. */
      reason: z.string().nullable(),
      reasonMessage: messageRef.nullable(),
    }),
  },
});
