/**
 * Every route of the control plane. A new one is an entry in its area's file and a handler of the same name.
 */
import { accountsRoutes } from "./accounts.ts";
import { billingRoutes } from "./billing.ts";
import { catalogRoutes } from "./catalog.ts";
import { exploreRoutes } from "./explore.ts";
import { installationRoutes } from "./installation.ts";
import { keysRoutes } from "./keys.ts";
import { liveRoutes } from "./live.ts";
import { peopleRoutes } from "./people.ts";
import { plazaRoutes } from "./plaza.ts";
import { profileRoutes } from "./profile.ts";
import { sessionRoutes } from "./session.ts";
import { statusRoutes } from "./status.ts";
import { usageRoutes } from "./usage.ts";

export const apiRoutes = {
  ...sessionRoutes,
  ...profileRoutes,
  ...peopleRoutes,
  ...keysRoutes,
  ...billingRoutes,
  ...accountsRoutes,
  ...installationRoutes,
  ...liveRoutes,
  ...usageRoutes,
  ...exploreRoutes,
  ...plazaRoutes,
  ...statusRoutes,
  ...catalogRoutes,
} as const;

export type ApiRoutes = typeof apiRoutes;
export type RouteName = keyof ApiRoutes;
export type { Access, AnswerOf, Input, RouteSpec, Sending, TokenScope } from "./route.ts";
