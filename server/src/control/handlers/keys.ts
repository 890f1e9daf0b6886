/** Handlers of `contract/api/keys.ts`. */
import type { keysRoutes } from "@plaza/contract/api/keys.ts";
import type { HandlersOf } from "../context.ts";

export const keysHandlers: HandlersOf<typeof keysRoutes> = {};
