/**
 * A cookie for a browser in which this user has signed in before. It does not sign in. It prevents attackers
 * who guess a user's password from locking that user out: known devices are counted separately. Signed, so
 * that it cannot be forged, and bound to one email address.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { ControlContext, Cookies } from "../context.ts";
import { digestOf } from "./secret-text.ts";

const deviceCookie = "plaza_device";
const lifeMs = 180 * 24 * 60 * 60_000;
const idBytes = 16;
const pattern = /^([A-Za-z0-9_-]{22})\.([0-9a-z]{1,12})\.([0-9a-f]{32})\.([A-Za-z0-9_-]{43})$/;

type Signing = Pick<ControlContext, "secretKey" | "clock" | "randomBytes">;

export interface Device {
  readonly id: string;
  /** A tag of the email address. */
  readonly emailTag: string;
}

const tagOf = (email: string): string => digestOf(email).slice(0, 32);

function signatureOf({ secretKey }: Signing, text: string): Buffer {
  const key = createHmac("sha256", secretKey()).update("plaza device cookie 1").digest();
  return createHmac("sha256", key).update(text).digest();
}

/** The browser's device for this user; undefined: no recent sign-in from this browser. */
export function readDevice(signing: Signing, cookies: Pick<Cookies, "get">): Device | undefined {
  const text = cookies.get(deviceCookie);
  const [, id, expires, emailTag, signature] = (text === undefined ? null : pattern.exec(text)) ?? [];
  if (id === undefined || expires === undefined || emailTag === undefined || signature === undefined)
    return undefined;
  if (Number.parseInt(expires, 36) * 1_000 <= signing.clock.wallMs()) return undefined;
  const wanted = signatureOf(signing, `${id}.${expires}.${emailTag}`);
  return timingSafeEqual(wanted, Buffer.from(signature, "base64url")) ? { id, emailTag } : undefined;
}

/**
 * The id of the browser's device if it signed in with this (folded) email address before; undefined: unknown.
 */
export function findDevice(signing: Signing, cookies: Cookies, email: string): string | undefined {
  const device = readDevice(signing, cookies);
  return device?.emailTag === tagOf(email) ? device.id : undefined;
}

/** Stores in the browser that it signed in as this user; a known device keeps its id. */
export function rememberDevice(signing: Signing, cookies: Cookies, email: string): void {
  const id = findDevice(signing, cookies, email) ?? signing.randomBytes(idBytes).toString("base64url");
  const expires = Math.floor((signing.clock.wallMs() + lifeMs) / 1_000).toString(36);
  const text = `${id}.${expires}.${tagOf(email)}`;
  const signature = signatureOf(signing, text).toString("base64url");
  cookies.set(deviceCookie, `${text}.${signature}`, lifeMs / 1_000);
}
