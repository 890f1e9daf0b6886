/** Handlers of `contract/api/billing.ts`. */
import type { billingRoutes } from "@plaza/contract/api/billing.ts";
import type { HandlersOf } from "../context.ts";

export const billingHandlers: HandlersOf<typeof billingRoutes> = {};
