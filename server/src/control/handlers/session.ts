/** Handlers of `contract/api/session.ts`. */
import type { sessionRoutes } from "@plaza/contract/api/session.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { HandlersOf } from "../context.ts";

const unfinished = (): never => {
  throw new GatewayError("internal_error");
};

export const sessionHandlers: HandlersOf<typeof sessionRoutes> = {
  getSession: unfinished,
  signIn: unfinished,
  signOut: unfinished,
  checkLink: unfinished,
  useLink: unfinished,
  beginOidc: unfinished,
  finishOidc: unfinished,
};
