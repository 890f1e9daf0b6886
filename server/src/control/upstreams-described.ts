/**
 * Describes `GET /api/upstreams` for the OpenAPI document. The path is served outside the control plane
 * (`http/operator/upstreams.ts`) without its code; the compiler compares its shape with `ProcessStates`.
 */
import type { ProcessStates } from "@plaza/contract/upstream-states.ts";
import { z } from "zod";

const lastFault = z.object({ kind: z.string(), status: z.number().nullable(), at: z.string() }).nullable();

const credential = z.object({
  number: z.number(),
  state: z.enum(["active", "resting", "out"]),
  untilAt: z.string().nullable(),
  lastFault,
});

const deployment = z.object({
  model: z.string(),
  upstreamModel: z.string(),
  priority: z.number(),
  weight: z.number(),
  weightNow: z.number(),
  state: z.enum(["healthy", "resting", "ejected", "probing", "returning"]),
  untilAt: z.string().nullable(),
  lastFault,
  inFlight: z.number(),
  firstTokenMs: z.number().nullable(),
  p95FirstTokenMs: z.number().nullable(),
});

const upstream = z.object({
  id: z.string(),
  provider: z.string(),
  inFlight: z.number(),
  concurrency: z.number().nullable(),
  credentials: z.array(credential),
  deployments: z.array(deployment),
});

const selfLimit = z.object({
  reason: z.enum(["lag", "heap"]),
  seen: z.number(),
  allowed: z.number(),
  inFlightLimit: z.number(),
  inFlightMax: z.number(),
});

const readings = z.object({
  pid: z.number(),
  version: z.string(),
  startedAt: z.string(),
  loopLagMs: z.number(),
  heapBytes: z.number(),
  rssBytes: z.number(),
  inFlight: z.number(),
  isBehind: z.boolean(),
  isLimiting: z.boolean(),
  selfLimit: selfLimit.nullable().optional(),
  refused: z.number().optional(),
});

const models = z.object({
  down: z.array(z.string()),
  degraded: z.array(z.string()),
  served: z.array(z.string()),
});

const states = z.object({
  process: z.string(),
  at: z.string(),
  upstreams: z.array(upstream),
  readings: readings.nullable(),
  models: models.nullable(),
}) satisfies z.ZodType<ProcessStates>;

/** In the form `registerPath` takes; the path is below `/api`. */
export const upstreamsDescribed = {
  method: "get" as const,
  path: "/upstreams",
  operationId: "listProcessStates",
  summary: "How every serving process finds its upstreams: the document of `plaza upstreams --json`.",
  description:
    "For: PLAZA_OPERATOR_TOKEN; while none is set, programs on the same machine. Tokens made in the console and sessions do not open it.",
  security: [{ operatorToken: [] }, {}] as Record<string, string[]>[],
  responses: {
    200: {
      description: "The answer.",
      content: { "application/json": { schema: z.object({ processes: z.array(states) }) } },
    },
  },
};
