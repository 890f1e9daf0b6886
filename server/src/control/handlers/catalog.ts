/** Handlers of `contract/api/catalog.ts`. */
import type { catalogRoutes } from "@plaza/contract/api/catalog.ts";
import type { HandlersOf } from "../context.ts";

export const catalogHandlers: HandlersOf<typeof catalogRoutes> = {};
