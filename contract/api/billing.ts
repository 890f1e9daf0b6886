/** Balance, ledger and redemption codes, as an account sees them and as the operator makes them. */
import { routes } from "./route.ts";

export const billingRoutes = routes({});
