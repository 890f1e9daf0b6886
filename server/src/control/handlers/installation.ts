/** Handlers of `contract/api/installation.ts`. */
import type { installationRoutes } from "@plaza/contract/api/installation.ts";
import type { HandlersOf } from "../context.ts";

export const installationHandlers: HandlersOf<typeof installationRoutes> = {};
