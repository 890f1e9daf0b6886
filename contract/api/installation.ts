/** Settings of the installation, its health, the ledger's self-check, and the audit log. */
import { routes } from "./route.ts";

export const installationRoutes = routes({});
