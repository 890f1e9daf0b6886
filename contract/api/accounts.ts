/** Accounts, as the operator sees and changes them. */
import { routes } from "./route.ts";

export const accountsRoutes = routes({});
