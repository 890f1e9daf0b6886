/** Handlers of `contract/api/profile.ts`. */

import type { profileRoutes } from "@plaza/contract/api/profile.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { isSame } from "../../lib/record.ts";
import type { UserSecrets } from "../../store/people/people.ts";
import { checkNewPassword, hashPassword } from "../auth/passwords.ts";
import { type SessionAnswer, sessionAnswer } from "../auth/session-answer.ts";
import { rotateSession } from "../auth/sessions.ts";
import { requireCode, requirePassword } from "../auth/sign-in.ts";
import { newRecoveryCodes, newTotp, stepOfCode } from "../auth/two-factor.ts";
import type { Call, ControlContext, HandlersOf, SignedIn } from "../context.ts";
import { refuseField } from "../field-faults.ts";

type Handlers = HandlersOf<typeof profileRoutes>;
type OwnCall = Pick<Call, "from" | "cookies"> & { readonly viewer: SignedIn };

const iso = (ms: number): string => new Date(ms).toISOString();

/** The current session; with a new secret if the user's rights were proved again. */
async function answerNow(context: ControlContext, call: OwnCall, isRotated = false): Promise<SessionAnswer> {
  const found = await context.store.readSession(call.viewer.sessionId);
  if (found === undefined) throw new GatewayError("not_signed_in");
  if (isRotated) await rotateSession(context, call.cookies, found.session);
  return await sessionAnswer(context, call.from, { user: found.user, csrf: found.session.csrf });
}

function checkTimeZone(name: string | null | undefined): void {
  if (name === null || name === undefined) return;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
  } catch {
    refuseField("timeZone", message("access.timeZoneUnknown"));
  }
}

/** Checks the password, and a code if a second factor is active. */
async function requireBoth(
  context: ControlContext,
  viewer: SignedIn,
  { password, code }: { readonly password: string; readonly code: string },
): Promise<UserSecrets> {
  const secrets = await requirePassword(context, viewer, password, "password");
  if (!secrets.totpIsConfirmed) refuseField("code", message("access.twoFactorOff"));
  await requireCode(context, secrets, code);
  return secrets;
}

const changePassword: Handlers["changePassword"] = async (context, call) => {
  const { viewer, body } = call;
  const { store } = context;
  const user = await store.findUser(viewer.userId);
  if (user?.hasPassword === true) await requirePassword(context, viewer, body.current, "current");
  checkNewPassword(body.next, viewer.email, "next");
  await store.setPassword(viewer.userId, await hashPassword(body.next), viewer.sessionId);
  call.note(viewer.userId);
  return await answerNow(context, call, true);
};

const confirmTwoFactor: Handlers["confirmTwoFactor"] = async (context, call) => {
  const { viewer, body } = call;
  const { store, clock, randomBytes } = context;
  const secrets = await store.findUserSecrets({ id: viewer.userId });
  const secret = secrets?.totpSecret ?? null;
  if (secrets === undefined || secret === null || secrets.totpIsConfirmed)
    throw new GatewayError("invalid_request", { message: message("access.twoFactorNotBegun") });
  const nowMs = clock.wallMs();
  const step = await stepOfCode(secret, body.code.replace(/\s/g, ""), nowMs);
  if (step === undefined) refuseField("code", message("access.codeWrongClock"));
  const { codes, digests } = newRecoveryCodes(randomBytes);
  const confirmation = { secret, step, recoveryDigests: digests, keepSessionId: viewer.sessionId, nowMs };
  if (!(await store.confirmTotp({ userId: viewer.userId, ...confirmation })))
    throw new GatewayError("changed_meanwhile");
  call.note(viewer.userId);
  await answerNow(context, call, true);
  return { recoveryCodes: codes };
};

export const profileHandlers: Handlers = {
  async changeProfile(context, call) {
    const { viewer, body } = call;
    checkTimeZone(body.timeZone);
    const before = await context.store.findUser(viewer.userId);
    if (before !== undefined && isSame(before, body)) call.unchanged();
    else await context.store.setProfile(viewer.userId, body);
    call.note(viewer.userId, { fields: Object.keys(body) });
    return await answerNow(context, call);
  },
  changePassword,
  async beginTwoFactor(context, { viewer, body, note }) {
    const { user } = await requirePassword(context, viewer, body.password, "password");
    const { name } = await context.store.getSettings();
    const { secret, address } = newTotp(name, user.email);
    if (!(await context.store.beginTotp(user.id, secret)))
      throw new GatewayError("invalid_request", { message: message("access.twoFactorOn") });
    note(user.id);
    return { secret, address };
  },
  confirmTwoFactor,
  async endTwoFactor(context, call) {
    const { user } = await requireBoth(context, call.viewer, call.body);
    await context.store.endTotp(user.id);
    call.note(user.id);
    await answerNow(context, call, true);
  },
  async newRecoveryCodes(context, { viewer, body, note }) {
    const { user } = await requireBoth(context, viewer, body);
    const { codes, digests } = newRecoveryCodes(context.randomBytes);
    await context.store.setRecoveryCodes(user.id, digests);
    note(user.id);
    return { recoveryCodes: codes };
  },
  async listSessions({ store }, { viewer }) {
    const sessions = await store.listSessions(viewer.userId);
    return {
      sessions: sessions.map(({ id, ip, userAgent, createdAt, seenAt }) => ({
        id,
        isThis: id === viewer.sessionId,
        ip,
        userAgent,
        createdAt: iso(createdAt),
        seenAt: iso(seenAt),
      })),
    };
  },
  async endSession({ store }, { viewer, params }) {
    if (!(await store.endSession(viewer.userId, params.id)))
      throw new GatewayError("not_found", { message: message("access.sessionUnknown") });
  },
  async endOtherSessions({ store }, { viewer, note, unchanged }) {
    const ended = await store.endSessions(viewer.userId, viewer.sessionId);
    if (ended === 0) unchanged();
    note(viewer.userId, { ended });
    return { ended };
  },
};
