/**
 * Checks who somebody claims to be by password and code. Whatever is wrong gets one answer, after the same work; which of it is
 * written down in the audit log only.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import type { User, UserSecrets } from "../../store/console/people.ts";
import { recordAct } from "../audit.ts";
import type { ControlContext, Origin, SignedIn } from "../context.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";
import { type Attempt, attemptSubject, beginAttempt, networkOf } from "./throttle.ts";
import { takeCode } from "./two-factor.ts";

/** Failures that cost no waiting: of one email address, and of everything from one network. */
const freePerEmail = 5;
const freePerNetwork = 20;

export interface Claim {
  readonly email: string;
  readonly password: string;
  readonly code?: string | undefined;
}

export const emailSubject = (email: string) => attemptSubject("sign-in-email", email, freePerEmail);

/** As it is kept. */
export const foldEmail = (email: string): string => email.trim().normalize("NFC").toLowerCase();

type Checked = "right" | "wrong password" | "disabled" | "code wanted" | "wrong code";

async function checkPassword(
  context: ControlContext,
  secrets: UserSecrets | undefined,
  password: string,
): Promise<boolean> {
  const stored = secrets?.password ?? null;
  const { isRight, isOutdated } = await verifyPassword(password, stored);
  if (!isRight || secrets === undefined || stored === null) return false;
  if (isOutdated) await context.store.rehashPassword(secrets.user.id, stored, await hashPassword(password));
  return true;
}

async function check(
  context: ControlContext,
  secrets: UserSecrets | undefined,
  { password, code }: Claim,
): Promise<Checked> {
  if (!(await checkPassword(context, secrets, password)) || secrets === undefined) return "wrong password";
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

/** Who it is. Throws `sign_in_failed`, `second_factor_required` or `too_many_attempts`. */
export async function checkClaim(context: ControlContext, claim: Claim, from: Origin): Promise<User> {
  const email = foldEmail(claim.email);
  const byEmail = emailSubject(email);
  const byNetwork = attemptSubject("sign-in-network", networkOf(from.ip), freePerNetwork);
  const attempt = await beginAttempt(context, [byEmail, byNetwork]);
  const secrets = await checkOrUndo(attempt, () => context.store.findUserSecrets({ email }));
  const result = await checkOrUndo(attempt, () => check(context, secrets, claim));
  if (result === "code wanted") {
    await attempt.undo();
    throw new GatewayError("second_factor_required");
  }
  const isRight = result === "right" && secrets !== undefined;
  await recordAct(context, {
    action: "signIn",
    // What nobody is called might be a password typed into the wrong field.
    actor: secrets === undefined ? undefined : secrets.user,
    from,
    outcome: isRight ? "done" : "refused",
    detail: isRight ? undefined : { reason: secrets === undefined ? "unknown email" : result },
  });
  if (!isRight) throw new GatewayError("sign_in_failed");
  await attempt.succeed([byEmail]);
  return secrets.user;
}

function refuseField(path: string, message: string): never {
  throw new GatewayError("invalid_request", { message, param: path, fields: [{ path, message }] });
}

/**
 * Makes sure that whoever sits at a session knows the user's password, before something weighty. Wrong ones count with those of
 * signing in. Throws `invalid_request` beside the field `path`.
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
  if (secrets.password === null) refuseField(path, "You have no password yet; set one first.");
  if (password === undefined || password === "") refuseField(path, "Enter your password.");
  const subject = emailSubject(secrets.user.email);
  const attempt = await beginAttempt(context, [subject]);
  const isRight = await checkOrUndo(attempt, () => checkPassword(context, secrets, password));
  if (!isRight) refuseField(path, "The password is wrong.");
  await attempt.undo();
  return secrets;
}

/** The same for a code of the second factor: ten wrong ones in a row are no way in either. */
export async function requireCode(
  context: ControlContext,
  secrets: UserSecrets,
  code: string,
): Promise<void> {
  const attempt = await beginAttempt(context, [emailSubject(secrets.user.email)]);
  const isRight = await checkOrUndo(attempt, () => takeCode(context, secrets, code));
  if (!isRight) refuseField("code", "The code is wrong, or was used already.");
  await attempt.undo();
}
