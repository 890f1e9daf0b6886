/**
 * Checks a user's identity by password and code. Every failure gets the same answer, after the same
 * work; which of it is written down in the audit log only.
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

/** Failures that cost no waiting: of one email address, and of one device that is known. */
const freePerEmail = 5;
const freePerDevice = 5;

/**
 * By how much of the address counts: failures that cost no waiting (absent = not counted), and
 * most tickets of the queue for hashing.
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
 * Every count of failures at signing in as this (folded) email address:
 * forgotten when its user has used a link.
 */
export const emailSubjects = (email: string): AttemptSubject[] => [emailSubject(email), cleanSubject(email)];

/** As it is kept. */
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

/** Runs a check; one that could not be made does not count as failed. */
async function checkOrUndo<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    await attempt.undo();
    throw thrown;
  }
}

/** An attempt that may be made, and whose turn comes before whose. */
interface Begun {
  readonly attempt: Attempt;
  readonly priority: Priority;
  /** What a success forgets. */
  readonly forgotten: readonly AttemptSubject[];
}

/**
 * A device that is known is counted by itself: what strangers did to its
 * user or in its network is not its fault.
 */
async function beginKnown(context: ControlContext, device: string): Promise<Begun> {
  const own = attemptSubject("sign-in-device", device, freePerDevice);
  return { attempt: await beginAttempt(context, [own]), priority: "known", forgotten: [own] };
}

/**
 * Counts the networks, then the email address. Where the address is blocked, a network without any
 * failure still gets in by a second count of the address, which the attacker who blocked the first cannot use
 * up from the networks it failed from.
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

/** Who it is. Throws `sign_in_failed`, `second_factor_required` or `too_many_attempts`. */
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
  // Before anything is written or read: a crowd costs the database no more than the queue lets in.
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

/** Checks what was claimed, and counts how it ended. */
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
    // A name without a user might be a password typed into the wrong field.
    actor: secrets === undefined ? undefined : secrets.user,
    from,
    outcome: isRight ? "done" : "refused",
    detail: isRight ? undefined : { reason: secrets === undefined ? "unknown email" : result },
  });
  if (!isRight) throw new GatewayError("sign_in_failed");
  await attempt.succeed(forgotten);
  return secrets.user;
}

/** What is guessed at within sessions of a user. */
const sessionSubject = ({ id }: User) => attemptSubject("session-user", id, freePerEmail);

/**
 * Checks that the person at a session knows the user's password, before a sensitive change. Wrong ones
 * are counted by the user, apart from those of signing in: strangers who guess there cannot keep a user out
 * here. Throws `invalid_request` beside the field `path`.
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

/** The same for a code of the second factor: ten wrong ones in a row are no way in either. */
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
