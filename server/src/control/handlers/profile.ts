/** Handlers of `contract/api/profile.ts`. */
import type { profileRoutes } from "@plaza/contract/api/profile.ts";
import type { HandlersOf } from "../context.ts";

export const profileHandlers: HandlersOf<typeof profileRoutes> = {};
