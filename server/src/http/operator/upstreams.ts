/**
 * `GET /api/upstreams`: how every process finds its upstreams. For the operator's eyes
 * only; who that is, is the guard's to say.
 */
import type { ProcessStates } from "@plaza/contract/upstream-states.ts";
import { answerType } from "../../gateway/request/reply.ts";
import type { RouteEntry } from "../routes/routes.ts";
import type { OperatorGuard } from "./guard.ts";

/** The same document as `plaza upstreams --json`. */
export function upstreamsRoute(list: () => Promise<ProcessStates[]>, guard: OperatorGuard): RouteEntry {
  return {
    method: "GET",
    path: "/api/upstreams",
    async handler(exchange, reply) {
      guard(exchange);
      const body = { processes: await list() };
      reply.send(200, answerType, Buffer.from(JSON.stringify(body)));
    },
  };
}
