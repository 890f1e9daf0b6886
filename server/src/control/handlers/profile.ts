/** Handlers of `contract/api/profile.ts`. */
import type { profileRoutes } from "@plaza/contract/api/profile.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { HandlersOf } from "../context.ts";

const unfinished = (): never => {
  throw new GatewayError("internal_error");
};

export const profileHandlers: HandlersOf<typeof profileRoutes> = {
  changeProfile: unfinished,
  changePassword: unfinished,
  beginTwoFactor: unfinished,
  confirmTwoFactor: unfinished,
  endTwoFactor: unfinished,
  newRecoveryCodes: unfinished,
  listSessions: unfinished,
  endSession: unfinished,
  endOtherSessions: unfinished,
};
