/** Handlers of `contract/api/catalog.ts`; what they do is in `../catalog/`. */
import type { catalogRoutes } from "@plaza/contract/api/catalog.ts";
import { checkHandlers } from "../catalog/check.ts";
import { connectHandlers } from "../catalog/connect.ts";
import { editHandlers } from "../catalog/edit.ts";
import { serviceHandlers } from "../catalog/services.ts";
import type { HandlersOf } from "../context.ts";

export const catalogHandlers: HandlersOf<typeof catalogRoutes> = {
  ...editHandlers,
  ...serviceHandlers,
  ...checkHandlers,
  ...connectHandlers,
};
