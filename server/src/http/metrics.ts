/**
 * `GET /metrics`: everything counted, for Prometheus. For the operator's eyes only; who that is, is the guard's to say.
 */
import type { IncomingMessage } from "node:http";
import { metricsType } from "../lib/telemetry/metrics.ts";
import type { GatherMetrics } from "./metrics-gather.ts";
import type { RouteEntry } from "./routes.ts";

/** `guard` rejects whoever may not see it. */
export function metricsRoute(
  gather: GatherMetrics,
  guard: (req: IncomingMessage) => Promise<void>,
): RouteEntry {
  return {
    method: "GET",
    path: "/metrics",
    async handler(req, reply) {
      await guard(req);
      reply.send(200, metricsType, Buffer.from(await gather()), ["cache-control", "no-store"]);
    },
  };
}
