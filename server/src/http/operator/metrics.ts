/** `GET /metrics` for Prometheus. For the operator only; the guard decides who that is. */
import type { Sent } from "../../lib/net/forwarded.ts";
import { metricsType } from "../../lib/telemetry/metrics.ts";
import type { RouteEntry } from "../routes/routes.ts";
import type { GatherMetrics } from "./metrics-gather.ts";

/** `guard` rejects requests without access. */
export function metricsRoute(gather: GatherMetrics, guard: (sent: Sent) => Promise<void>): RouteEntry {
  return {
    method: "GET",
    path: "/metrics",
    async handler(exchange, reply) {
      await guard(exchange);
      reply.send(200, metricsType, Buffer.from(await gather()), ["cache-control", "no-store"]);
    },
  };
}
