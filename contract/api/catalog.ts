/** Upstreams, models, prices and limits, as the operator connects and changes them. */
import { routes } from "./route.ts";

export const catalogRoutes = routes({});
