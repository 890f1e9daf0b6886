/** The access rule of every route: decides from the route's declaration who may call it. */

import type { RouteSpec } from "@plaza/contract/api/index.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import type { Viewer } from "./context.ts";

const refuse = (message: Message): never => {
  throw new GatewayError("not_permitted", { message });
};

function requireToken(spec: RouteSpec, viewer: Extract<Viewer, { kind: "token" }>): void {
  if (spec.access !== "operator" || spec.scope === undefined) refuse(message("access.noToken"));
  else if (!viewer.scopes.has(spec.scope)) refuse(message("access.scopeLacking", { scope: spec.scope }));
}

function requireUser(spec: RouteSpec, viewer: Extract<Viewer, { kind: "user" }>): void {
  if (spec.access === "operator" && !viewer.isOperator) refuse(message("access.operatorOnly"));
  if (spec.access !== "member" && spec.access !== "owner") return;
  if (viewer.account === null) refuse(message("access.noAccount"));
  if (spec.access === "owner" && viewer.account?.role !== "owner") refuse(message("access.ownerOnly"));
}

/** Throws `not_signed_in` (401) or `not_permitted` (403) for callers without access to the route. */
export function requireAccess(spec: RouteSpec, viewer: Viewer): void {
  if (spec.access === "anyone") return;
  if (viewer.kind === "nobody") throw new GatewayError("not_signed_in");
  if (viewer.kind === "token") requireToken(spec, viewer);
  else requireUser(spec, viewer);
}
