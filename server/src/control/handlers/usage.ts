/** Handlers of `contract/api/usage.ts`. */
import type { usageRoutes } from "@plaza/contract/api/usage.ts";
import type { HandlersOf } from "../context.ts";

export const usageHandlers: HandlersOf<typeof usageRoutes> = {};
