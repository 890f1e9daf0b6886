/**
 * `GET /api/upstreams`: upstream health as seen by every process. For the operator only; the guard decides
 * who that is.
 */
import type { ProcessStates } from "@plaza/contract/upstream-states.ts";
import { answerType } from "../../gateway/request/reply.ts";
import type { RouteEntry } from "../routes/routes.ts";
import type { OperatorGuard } from "./guard.ts";

/** Returns the same document as `plaza upstreams --json`. */
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
