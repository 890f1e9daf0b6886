/** API keys of an account: made, shown once, changed, revoked, and passes for the console's own calls. */
import { routes } from "./route.ts";

export const keysRoutes = routes({});
