/**
 * Checks what a form sends with the schema by which the server will read it, and with the rules that its
 * handler will apply. Brings every schema of the contract along: import it late.
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
  const spec = specs.get(route);
  const read = spec?.body?.safeParse(body);
  if (read === undefined) return [];
  const faults = read.success
    ? (spec?.rules?.(read.data as never) ?? [])
    : read.error.issues.map((issue) => ({ path: issue.path.join("."), message: faultMessage(issue) }));
  return faults.map(({ path, message }) => ({ path, ...rendered(message) }));
}
