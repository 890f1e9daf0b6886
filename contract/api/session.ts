/** Signing in and out, the first set-up by the printed link, and what the console knows before and after. */
import { routes } from "./route.ts";

export const sessionRoutes = routes({});
