/**
 * Connects the control plane to the listener: `/api` goes to its app, which is loaded on first use, and every
 * other path without a route goes to the console.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ControlContext } from "../../control/context.ts";
import { isCallersPath } from "../../gateway/endpoints/path-families.ts";
import { takeOver } from "../node-exchange.ts";
import type { Fallback } from "../routes/routes.ts";
import { createConsole } from "./files.ts";
import { createServePublic } from "./public-pages.ts";

type Listener = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

async function load(context: ControlContext): Promise<Listener> {
  const { createControlListener } = await import("../../control/app.ts");
  return createControlListener(context);
}

/**
 * Answers requests without a route. `endpoint`: origin of the base URL when it differs from the console's;
 * called once listening.
 */
export function createControlPlane(context: ControlContext, endpoint: () => string | undefined): Fallback {
  const servePublic = createServePublic(context.log, async () => {
    const { createPublicAnswers } = await import("../../control/public/answer.ts");
    return createPublicAnswers(context);
  });
  const serveConsole = createConsole({ endpoint, servePublic });
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
