/**
 * Checks what a form sends with the schema by which the server will read it. Brings every schema of the
 * contract along: import it late.
 */
import "./zod-without-eval.ts";
import { faultMessage } from "@plaza/contract/api/fault.ts";
import { apiRoutes, type RouteSpec } from "@plaza/contract/api/index.ts";
import { rendered } from "@plaza/contract/messages/message.ts";
import type { FieldError } from "../api/error.ts";

const specs = new Map<string, RouteSpec>(
  Object.values<RouteSpec>(apiRoutes).map((spec) => [`${spec.method} ${spec.path}`, spec]),
);

/** What the server would refuse in a body of a route, by path; `""` is the whole body. */
export function bodyFaults(route: string, body: unknown): readonly FieldError[] {
  const issues = specs.get(route)?.body?.safeParse(body).error?.issues ?? [];
  return issues.map((issue) => ({ path: issue.path.join("."), ...rendered(faultMessage(issue)) }));
}
