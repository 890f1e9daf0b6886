/**
 * Where the control plane meets the listener: `/api` goes to its app, which is loaded when it is first asked
 * for, and every other address without a route is the console's.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ControlContext } from "../../control/context.ts";
import { isCallersPath } from "../../gateway/endpoints/path-families.ts";
import { takeOver } from "../node-exchange.ts";
import type { Fallback } from "../routes/routes.ts";
import { createConsole } from "./files.ts";

type Listener = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

async function load(context: ControlContext): Promise<Listener> {
  const { createControlListener } = await import("../../control/app.ts");
  return createControlListener(context);
}

/**
 * What answers where there is no route. `endpoint`: origin of the base URL where it is not where
 * the console is; asked once listening.
 */
export function createControlPlane(context: ControlContext, endpoint: () => string | undefined): Fallback {
  const serveConsole = createConsole({ endpoint });
  let listener: Promise<Listener> | undefined;
  return (exchange, reply) => {
    const { path } = exchange;
    if (isCallersPath(path)) return false;
    if (!path.startsWith("/api/")) return serveConsole(exchange, reply);
    const { req, res } = takeOver(exchange, reply);
    res.setHeader("x-request-id", reply.requestId);
    listener ??= load(context);
    listener
      .then((listen) => listen(req, res))
      .catch((error: Error) => {
        context.log.error("internal_error", { request: reply.requestId, stack: error.stack });
        res.destroy();
      });
    return true;
  };
}
