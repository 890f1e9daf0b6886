/** Handlers of `contract/api/people.ts`. */
import type { peopleRoutes } from "@plaza/contract/api/people.ts";
import type { HandlersOf } from "../context.ts";

export const peopleHandlers: HandlersOf<typeof peopleRoutes> = {};
