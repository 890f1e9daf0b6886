/** Handlers of `contract/api/session.ts`. */

import type { sessionRoutes } from "@plaza/contract/api/session.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { Link, LinkOutcome } from "../../store/people/people.ts";
import { recordAct } from "../audit/audit.ts";
import { rememberDevice } from "../auth/device.ts";
import { beginOidc, finishOidc, OidcError, reasonOf } from "../auth/oidc.ts";
import { checkNewPassword, hashPassword } from "../auth/passwords.ts";
import { digestOf, isSecretShape } from "../auth/secret-text.ts";
import { type SessionAnswer, sessionAnswer } from "../auth/session-answer.ts";
import { openSession, sessionCookie } from "../auth/sessions.ts";
import { isOfCurrentSetting } from "../auth/setting-maker.ts";
import { checkClaim, emailSubjects } from "../auth/sign-in.ts";
import type { Call, ControlContext, HandlersOf, Redirect } from "../context.ts";
import { refuseField } from "../field-faults.ts";

type Handlers = HandlersOf<typeof sessionRoutes>;

async function signedIn(context: ControlContext, call: Call, userId: string): Promise<SessionAnswer> {
  const { csrf } = await openSession(context, call, userId);
  const user = await context.store.findUser(userId);
  if (user === undefined) throw new GatewayError("sign_in_failed");
  rememberDevice(context, call.cookies, user.email);
  return await sessionAnswer(context, call.from, { user, csrf });
}

const noLink = () =>
  new GatewayError("not_found", {
    message: message("access.linkUnknown"),
  });

/** Throws `not_found` or `already_used`. */
async function findLink(context: ControlContext, token: string): Promise<Link> {
  const { store, clock } = context;
  const link = isSecretShape(token) ? await store.findLink(digestOf(token)) : undefined;
  if (link === undefined) throw noLink();
  if (link.usedAt !== null)
    throw new GatewayError("already_used", {
      message: message("access.linkUsed"),
    });
  if (link.expiresAt <= clock.wallMs()) throw noLink();
  if (!(await isOfCurrentSetting(context, link.createdBy))) throw noLink();
  return link;
}

/** The email of a link: its own, or for a reset the user's current address. */
async function emailOf({ store }: ControlContext, link: Link): Promise<string | null> {
  if (link.kind !== "reset") return link.email;
  const user = link.userId === null ? undefined : await store.findUser(link.userId);
  if (user?.status !== "active") throw noLink();
  return user.email;
}

function unusable(kind: Exclude<LinkOutcome["kind"], "done">): GatewayError {
  switch (kind) {
    case "missing":
      return noLink();
    case "used":
      return new GatewayError("already_used");
    case "already_set_up":
      return new GatewayError("already_used", {
        message: message("access.operatorExists"),
      });
    case "email_taken":
      return new GatewayError("already_exists", {
        message: message("access.emailTakenSignIn"),
        param: "email",
      });
  }
}

const useLink: Handlers["useLink"] = async (context, call) => {
  const { store, clock, newId } = context;
  const { body, params, from } = call;
  const link = await findLink(context, params.token);
  const email = (await emailOf(context, link)) ?? body.email;
  if (email === undefined) refuseField("email", message("access.emailMissing"));
  if (link.kind === "setup" && body.name === undefined) refuseField("name", message("access.nameMissing"));
  checkNewPassword(body.password, email, "password");
  const password = await hashPassword(body.password);
  const outcome = await store.useLink({
    digest: digestOf(params.token),
    userId: newId("usr"),
    email,
    name: body.name,
    password,
    nowMs: clock.wallMs(),
  });
  if (outcome.kind !== "done") throw unusable(outcome.kind);
  await store.clearAttempts(emailSubjects(email).map(({ subject }) => subject));
  const user = await store.findUser(outcome.userId);
  const detail = { kind: link.kind };
  await recordAct(context, {
    action: "useLink",
    actor: user,
    from,
    outcome: "done",
    subject: link.id,
    detail,
  });
  return await signedIn(context, call, outcome.userId);
};

/** A failure redirects to the sign-in page, which shows what went wrong. */
async function orSignInPage(
  context: ControlContext,
  call: Call,
  work: () => Promise<string>,
): Promise<Redirect> {
  try {
    return { location: await work() };
  } catch (thrown) {
    if (!(thrown instanceof OidcError)) throw thrown;
    context.log.warn("oidc_sign_in_failed", { request: call.from.requestId, reason: reasonOf(thrown) });
    return { location: `/sign-in?oidc=${thrown.failure}` };
  }
}

export const sessionHandlers: Handlers = {
  async getSession(context, { viewer, from }) {
    const found = viewer.kind === "user" ? await context.store.readSession(viewer.sessionId) : undefined;
    return await sessionAnswer(context, from, found && { user: found.user, csrf: found.session.csrf });
  },
  async signIn(context, call) {
    const user = await checkClaim(context, call.body, call);
    return await signedIn(context, call, user.id);
  },
  async signOut({ store }, { viewer, cookies }) {
    await store.endSession(viewer.userId, viewer.sessionId);
    cookies.clear(sessionCookie);
  },
  async checkLink(context, { params }) {
    const link = await findLink(context, params.token);
    return {
      kind: link.kind,
      email: await emailOf(context, link),
      accountName: link.accountName,
      role: link.role,
      expiresAt: new Date(link.expiresAt).toISOString(),
    };
  },
  useLink,
  beginOidc: (context, call) =>
    orSignInPage(context, call, () => beginOidc(context, call, call.query.returnTo)),
  finishOidc: (context, call) =>
    orSignInPage(context, call, async () => {
      const { userId, how, returnTo } = await finishOidc(context, call);
      await openSession(context, call, userId);
      const actor = await context.store.findUser(userId);
      await recordAct(context, {
        action: "finishOidc",
        actor,
        from: call.from,
        outcome: "done",
        detail: { how },
      });
      return returnTo;
    }),
};
