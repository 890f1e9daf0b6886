/**
 * Authenticates a user by password and code. Every failure has the same answer after the same work; only the
 * audit log records the reason.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { AttemptSubject, User, UserSecrets } from "../../store/people/people.ts";
import { recordAct } from "../audit/audit.ts";
import type { Call, ControlContext, Origin, SignedIn } from "../context.ts";
import { refuseField } from "../field-faults.ts";
import { findDevice } from "./device.ts";
import type { Priority, QueueNetwork } from "./hash-queue.ts";
import { enterQueue, hashPassword, type Turn, verifyPassword } from "./passwords.ts";
import {
  type Attempt,
  attemptSubject,
  beginAttempt,
  bothOf,
  type NetworkWidth,
  networksOf,
} from "./throttle.ts";
import { takeCode } from "./two-factor.ts";

/** Failures without a wait: per email address, and per known device. */
const freePerEmail = 5;
const freePerDevice = 5;

/**
 * Per part of the address: failures without a wait (absent: not counted), and most tickets of the hashing
 * queue.
 */
const networkBounds: Readonly<Record<NetworkWidth, { readonly free?: number; readonly ticketsMax: number }>> =
  {
    own: { free: 20, ticketsMax: 8 },
    home: { free: 40, ticketsMax: 12 },
    site: { free: 80, ticketsMax: 16 },
    region: { ticketsMax: 60 },
  };

export interface Claim {
  readonly email: string;
  readonly password: string;
  readonly code?: string | undefined;
}

const emailSubject = (email: string) => attemptSubject("sign-in-email", email, freePerEmail);
const cleanSubject = (email: string) => attemptSubject("sign-in-email-clean", email, freePerEmail);

/**
 * Every failure count for signing in with this (folded) email address; cleared when its user has used a link.
 */
export const emailSubjects = (email: string): AttemptSubject[] => [emailSubject(email), cleanSubject(email)];

/** The address as stored. */
export const foldEmail = (email: string): string => email.trim().normalize("NFC").toLowerCase();

type Checked = "right" | "wrong password" | "disabled" | "code wanted" | "wrong code";

async function checkPassword(
  context: ControlContext,
  secrets: UserSecrets | undefined,
  password: string,
  turn?: Turn,
): Promise<boolean> {
  const stored = secrets?.password ?? null;
  const { isRight, isOutdated } = await verifyPassword(password, stored, turn);
  if (!isRight || secrets === undefined || stored === null) return false;
  if (isOutdated) await context.store.rehashPassword(secrets.user.id, stored, await hashPassword(password));
  return true;
}

async function check(
  context: ControlContext,
  secrets: UserSecrets | undefined,
  { password, code }: Claim,
  turn: Turn,
): Promise<Checked> {
  if (!(await checkPassword(context, secrets, password, turn)) || secrets === undefined)
    return "wrong password";
  if (secrets.user.status !== "active") return "disabled";
  if (!secrets.totpIsConfirmed) return "right";
  if (code === undefined || code === "") return "code wanted";
  return (await takeCode(context, secrets, code)) ? "right" : "wrong code";
}

/** Runs a check; one that could not be done does not count as failed. */
async function checkOrUndo<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    await attempt.undo();
    throw thrown;
  }
}

/** An attempt that may be made, and its priority. */
interface Begun {
  readonly attempt: Attempt;
  readonly priority: Priority;
  /** The counts a success clears. */
  readonly forgotten: readonly AttemptSubject[];
}

/** A known device has its own count: other people's failures for its user or network do not affect it. */
async function beginKnown(context: ControlContext, device: string): Promise<Begun> {
  const own = attemptSubject("sign-in-device", device, freePerDevice);
  return { attempt: await beginAttempt(context, [own]), priority: "known", forgotten: [own] };
}

/**
 * Counts the networks, then the email address. When the address is blocked, a network without failures still
 * gets in through a second count of the address, which the networks that caused the block cannot use up.
 */
async function beginUnknown(context: ControlContext, email: string, ip: string): Promise<Begun> {
  const networks = networksOf(ip).flatMap(({ name, width }) => {
    const { free } = networkBounds[width];
    return free === undefined ? [] : [attemptSubject("sign-in-network", name, free)];
  });
  const byNetwork = await beginAttempt(context, networks);
  const isClean = byNetwork.counted.every(({ failures }) => failures === 1);
  const begin = (subject: AttemptSubject) => beginAttempt(context, [subject]);
  try {
    const counted = await begin(emailSubject(email)).catch((refusal) => {
      if (!isClean) throw refusal;
      return begin(cleanSubject(email));
    });
    const forgotten = emailSubjects(email);
    return {
      attempt: bothOf(context, byNetwork, counted),
      priority: isClean ? "clean" : "failed",
      forgotten,
    };
  } catch (thrown) {
    await byNetwork.undo();
    throw thrown;
  }
}

/** Authenticates the claim. Throws `sign_in_failed`, `second_factor_required` or `too_many_attempts`. */
export async function checkClaim(
  context: ControlContext,
  claim: Claim,
  { from, cookies, signal }: Pick<Call, "from" | "cookies" | "signal">,
): Promise<User> {
  const email = foldEmail(claim.email);
  const device = findDevice(context, cookies, email);
  const networks: QueueNetwork[] = networksOf(from.ip).map(({ name, width }) => ({
    name,
    ticketsMax: networkBounds[width].ticketsMax,
    isJudged: networkBounds[width].free !== undefined,
  }));
  // Before any database access, so that a flood costs the database no more than the queue admits.
  const ticket = enterQueue({ isKnown: device !== undefined, networks });
  try {
    const begun = await (device === undefined
      ? beginUnknown(context, email, from.ip)
      : beginKnown(context, device));
    const turn: Turn = (work) => ticket.run(begun.priority, work, signal);
    const user = await finishClaim(context, { ...claim, email }, from, begun, turn);
    ticket.judge(false);
    return user;
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === "sign_in_failed") ticket.judge(true);
    throw thrown;
  } finally {
    ticket.leave();
  }
}

/** Checks the claim and counts the result. */
async function finishClaim(
  context: ControlContext,
  claim: Claim,
  from: Origin,
  { attempt, forgotten }: Begun,
  turn: Turn,
): Promise<User> {
  const { email } = claim;
  const secrets = await checkOrUndo(attempt, () => context.store.findUserSecrets({ email }));
  const result = await checkOrUndo(attempt, () => check(context, secrets, claim, turn));
  if (result === "code wanted") {
    await attempt.undo();
    throw new GatewayError("second_factor_required");
  }
  const isRight = result === "right" && secrets !== undefined;
  await recordAct(context, {
    action: "signIn",
    // A name without a user may be a password typed into the wrong field.
    actor: secrets === undefined ? undefined : secrets.user,
    from,
    outcome: isRight ? "done" : "refused",
    detail: isRight ? undefined : { reason: secrets === undefined ? "unknown email" : result },
  });
  if (!isRight) throw new GatewayError("sign_in_failed");
  await attempt.succeed(forgotten);
  return secrets.user;
}

/** The count of wrong guesses within a user's sessions. */
const sessionSubject = ({ id }: User) => attemptSubject("session-user", id, freePerEmail);

/**
 * Checks the user's password before a sensitive change. Failures are counted per user, separately from
 * sign-in, so that attackers there cannot block the user here. Throws `invalid_request` at the field `path`.
 */
export async function requirePassword(
  context: ControlContext,
  viewer: SignedIn,
  password: string | undefined,
  path: string,
): Promise<UserSecrets> {
  const { store } = context;
  const secrets = await store.findUserSecrets({ id: viewer.userId });
  if (secrets === undefined) throw new GatewayError("not_signed_in");
  if (secrets.password === null) refuseField(path, message("access.noPassword"));
  if (password === undefined || password === "") refuseField(path, message("form.passwordMissing"));
  const attempt = await beginAttempt(context, [sessionSubject(secrets.user)]);
  const isRight = await checkOrUndo(attempt, () => checkPassword(context, secrets, password));
  if (!isRight) refuseField(path, message("access.passwordWrong"));
  await attempt.undo();
  return secrets;
}

/** The same for a code of the second factor. */
export async function requireCode(
  context: ControlContext,
  secrets: UserSecrets,
  code: string,
): Promise<void> {
  const attempt = await beginAttempt(context, [sessionSubject(secrets.user)]);
  const isRight = await checkOrUndo(attempt, () => takeCode(context, secrets, code));
  if (!isRight) refuseField("code", message("access.codeWrong"));
  await attempt.undo();
}
