/** Handlers of `contract/api/people.ts`. */
import type { peopleRoutes } from "@plaza/contract/api/people.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { HandlersOf } from "../context.ts";

const unfinished = (): never => {
  throw new GatewayError("internal_error");
};

export const peopleHandlers: HandlersOf<typeof peopleRoutes> = {
  listMembers: unfinished,
  changeMember: unfinished,
  removeMember: unfinished,
  listInvitations: unfinished,
  inviteMember: unfinished,
  withdrawInvitation: unfinished,
  listUsers: unfinished,
  inviteUser: unfinished,
  listUserInvitations: unfinished,
  withdrawUserInvitation: unfinished,
  changeUser: unfinished,
  makeResetLink: unfinished,
  endUserSessions: unfinished,
  listTokens: unfinished,
  createToken: unfinished,
  revokeToken: unfinished,
};
