/** Handlers of `contract/api/session.ts`. */
import type { sessionRoutes } from "@plaza/contract/api/session.ts";
import type { HandlersOf } from "../context.ts";

export const sessionHandlers: HandlersOf<typeof sessionRoutes> = {};
