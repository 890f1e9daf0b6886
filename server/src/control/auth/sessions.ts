/**
 * Sessions of the console: a cookie with a random secret whose digest the store keeps. The secret is rotated
 * while the session is used. A session ends when unused, and after a month in any case.
 */
import type { FoundSession, User } from "../../store/people/people.ts";
import type { ControlContext, Cookies, Origin, SignedIn } from "../context.ts";
import { digestOf, isSecretShape, newSecret } from "./secret-text.ts";

export const sessionCookie = "plaza_session";

const minuteMs = 60_000;
/** A session ends after this long without use. */
const idleMs = 12 * 60 * minuteMs;
/** A session ends after this long, even if used. */
export const lifeMs = 30 * 24 * 60 * minuteMs;
/** A secret is rotated at this age. */
const rotateMs = 15 * minuteMs;
/** The previous secret is accepted this long, for calls already in flight. */
const previousMs = minuteMs;
const seenEveryMs = minuteMs;

interface Browser {
  readonly cookies: Cookies;
  readonly from: Origin;
}

/** Signs a user in at this browser and signs out the previous user. */
export async function openSession(
  context: ControlContext,
  { cookies, from }: Browser,
  userId: string,
): Promise<{ id: string; csrf: string }> {
  const { store, clock, randomBytes, newId } = context;
  const before = await findSession(context, cookies);
  if (before !== undefined) await store.endSession(before.user.id, before.session.id);
  const nowMs = clock.wallMs();
  const secret = newSecret(randomBytes);
  const session = {
    id: newId("ses"),
    userId,
    csrf: newSecret(randomBytes),
    ip: from.ip,
    userAgent: from.userAgent,
    createdAt: nowMs,
    rotatedAt: nowMs,
    seenAt: nowMs,
    expiresAt: nowMs + lifeMs,
  };
  await store.createSession({ ...session, digest: digestOf(secret), idleMs });
  cookies.set(sessionCookie, secret, lifeMs / 1_000);
  return session;
}

/** The session of the cookie, if it is still valid and its user may sign in. */
async function findSession(
  { store, clock }: ControlContext,
  cookies: Cookies,
): Promise<FoundSession | undefined> {
  const secret = cookies.get(sessionCookie);
  if (secret === undefined || !isSecretShape(secret)) return undefined;
  const nowMs = clock.wallMs();
  const found = await store.findSession(digestOf(secret), nowMs - previousMs);
  if (found === undefined || found.user.status !== "active") return undefined;
  return isAlive(found.session, nowMs) ? found : undefined;
}

const isAlive = ({ expiresAt, seenAt }: { expiresAt: number; seenAt: number }, nowMs: number): boolean =>
  nowMs < expiresAt && nowMs < seenAt + idleMs;

/** The user of a session that is still valid, by its id. Does not keep the session alive. */
export async function readViewer(
  { store, clock }: ControlContext,
  sessionId: string,
): Promise<SignedIn | undefined> {
  const found = await store.readSession(sessionId);
  if (found === undefined || found.user.status !== "active") return undefined;
  return isAlive(found.session, clock.wallMs()) ? toViewer(found.user, found.session) : undefined;
}

/** Rotates a session's secret: when it is old, and when the user's rights have changed. */
export async function rotateSession(
  { store, clock, randomBytes }: ControlContext,
  cookies: Cookies,
  session: { readonly id: string; readonly expiresAt: number },
): Promise<void> {
  const nowMs = clock.wallMs();
  const from = digestOf(cookies.get(sessionCookie) ?? "");
  const secret = newSecret(randomBytes);
  // Of concurrent calls only one rotates the session; the others' answers must not overwrite its cookie.
  if (await store.rotateSession({ id: session.id, from, to: digestOf(secret), nowMs }))
    cookies.set(sessionCookie, secret, Math.max(1, Math.floor((session.expiresAt - nowMs) / 1_000)));
}

function toViewer(user: User, session: { readonly id: string; readonly csrf: string }): SignedIn {
  return {
    kind: "user",
    sessionId: session.id,
    csrf: session.csrf,
    userId: user.id,
    email: user.email,
    name: user.name,
    isOperator: user.isOperator,
    account: user.account === null ? null : { id: user.account.id, role: user.account.role },
  };
}

/** The user signed in at this browser. Keeps the session alive. */
export async function identifySession(
  context: ControlContext,
  { cookies, from }: Browser,
): Promise<SignedIn | undefined> {
  const found = await findSession(context, cookies);
  if (found === undefined) return undefined;
  const { session, user, isPrevious } = found;
  const nowMs = context.clock.wallMs();
  if (nowMs >= session.seenAt + seenEveryMs) await context.store.touchSession(session.id, nowMs, from);
  if (!isPrevious && nowMs >= session.rotatedAt + rotateMs) await rotateSession(context, cookies, session);
  return toViewer(user, session);
}
