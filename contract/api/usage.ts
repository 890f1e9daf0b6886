/** Numbers and rows of requests: totals, charts, lists, details, for an account and across all of them. */
import { routes } from "./route.ts";

export const usageRoutes = routes({});
