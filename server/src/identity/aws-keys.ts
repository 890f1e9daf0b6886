/** AWS keys as the provider takes them, and the form in which metadata services give them. */
import type { JsonRecord } from "../lib/record.ts";
import { unreadable } from "./failure.ts";
import { type ShortLived, secondsUntil } from "./reading.ts";
import type { Answer } from "./surroundings.ts";

const keyId = /^\w{16,128}$/;
/** Visible ASCII without a colon, which separates the parts. */
const keyPart = /^[!-9;-~]{1,8192}$/;

const isPart = (value: unknown): value is string => typeof value === "string" && keyPart.test(value);

/** `ID:SECRET:SESSION`, or `ID:SECRET` without a session; undefined when a part has another form. */
export function joinKeys(id: unknown, secret: unknown, session: unknown): string | undefined {
  if (typeof id !== "string" || !keyId.test(id) || !isPart(secret)) return undefined;
  if (session === undefined) return `${id}:${secret}`;
  return isPart(session) ? `${id}:${secret}:${session}` : undefined;
}

/** Credentials of a role, which always have a session and an end. Throws an `IdentityFailure`. */
export function roleCredentials(
  keys: { readonly id: unknown; readonly secret: unknown; readonly session: unknown },
  until: unknown,
  { answer, place, nowMs }: { readonly answer: Answer; readonly place: string; readonly nowMs: number },
): ShortLived {
  const secret = keys.session === undefined ? undefined : joinKeys(keys.id, keys.secret, keys.session);
  if (secret === undefined) throw unreadable(place);
  const untilMs = Date.parse(String(until));
  return { secret, expiresInSeconds: secondsUntil(untilMs, answer, place, nowMs) };
}

/** As the container's and the instance's metadata services name the parts. */
export const metadataCredentials = (
  value: JsonRecord,
  of: { readonly answer: Answer; readonly place: string; readonly nowMs: number },
): ShortLived =>
  roleCredentials(
    { id: value["AccessKeyId"], secret: value["SecretAccessKey"], session: value["Token"] },
    value["Expiration"],
    of,
  );
