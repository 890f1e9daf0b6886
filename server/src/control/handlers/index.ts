/** The handlers of every route; a route without one does not compile. */
import type { AllHandlers } from "../context.ts";
import { accountsHandlers } from "./accounts.ts";
import { billingHandlers } from "./billing.ts";
import { catalogHandlers } from "./catalog.ts";
import { exploreHandlers } from "./explore.ts";
import { installationHandlers } from "./installation.ts";
import { keysHandlers } from "./keys.ts";
import { liveHandlers } from "./live.ts";
import { peopleHandlers } from "./people.ts";
import { plazaHandlers } from "./plaza.ts";
import { profileHandlers } from "./profile.ts";
import { sessionHandlers } from "./session.ts";
import { statusHandlers } from "./status.ts";
import { usageHandlers } from "./usage.ts";

export const handlers: AllHandlers = {
  ...sessionHandlers,
  ...profileHandlers,
  ...peopleHandlers,
  ...keysHandlers,
  ...billingHandlers,
  ...accountsHandlers,
  ...installationHandlers,
  ...liveHandlers,
  ...usageHandlers,
  ...exploreHandlers,
  ...plazaHandlers,
  ...statusHandlers,
  ...catalogHandlers,
};
