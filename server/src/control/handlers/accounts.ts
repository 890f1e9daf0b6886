/** Handlers of `contract/api/accounts.ts`. */
import type { accountsRoutes } from "@plaza/contract/api/accounts.ts";
import type { HandlersOf } from "../context.ts";

export const accountsHandlers: HandlersOf<typeof accountsRoutes> = {};
