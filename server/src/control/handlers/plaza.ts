/** Handlers of `contract/api/plaza.ts`. */
import type { plazaRoutes } from "@plaza/contract/api/plaza.ts";
import type { HandlersOf } from "../context.ts";

export const plazaHandlers: HandlersOf<typeof plazaRoutes> = {};
