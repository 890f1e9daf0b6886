/** The second factor: codes of an authenticator app, each valid once, and recovery codes. */
import { generateSecret, generateURI, verify } from "otplib";
import type { RandomBytes } from "../../domain/keys/api-key.ts";
import type { UserSecrets } from "../../store/people/people.ts";
import type { ControlContext } from "../context.ts";
import { digestOf } from "./secret-text.ts";

const periodSeconds = 30;
const recoveryCodes = 10;
const recoveryBytes = 10;
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** A new secret in base32, and the URL for a QR code. */
export function newTotp(installation: string, email: string): { secret: string; address: string } {
  const secret = generateSecret();
  return { secret, address: generateURI({ issuer: installation, label: email, secret }) };
}

/** The 30-second step of a code, the current one or a neighbour; undefined: the code is wrong. */
export async function stepOfCode(secret: string, code: string, nowMs: number): Promise<number | undefined> {
  const epoch = Math.floor(nowMs / 1_000);
  const result = await verify({ secret, token: code, epoch, epochTolerance: periodSeconds });
  return result.valid && "timeStep" in result ? result.timeStep : undefined;
}

/** Ten codes of 80 random bits, `xxxx-xxxx-xxxx-xxxx`, and their digests. */
export function newRecoveryCodes(randomBytes: RandomBytes): { codes: string[]; digests: string[] } {
  const plain = Array.from({ length: recoveryCodes }, () => {
    let bits = 0n;
    for (const byte of randomBytes(recoveryBytes)) bits = (bits << 8n) | BigInt(byte);
    return Array.from({ length: 16 }, (_, index) =>
      alphabet.charAt(Number((bits >> BigInt(75 - 5 * index)) & 31n)),
    ).join("");
  });
  const codes = plain.map((text) => text.match(/.{4}/g)?.join("-") ?? text);
  return { codes, digests: plain.map(digestOf) };
}

/** The code without the characters people put in between. */
const bare = (code: string): string => code.replace(/[\s-]/g, "").toLowerCase();

/** True for an unused code of the user; the code is then used. */
export async function takeCode(
  { store, clock }: Pick<ControlContext, "store" | "clock">,
  { user, totpSecret }: UserSecrets,
  code: string,
): Promise<boolean> {
  const text = bare(code);
  const nowMs = clock.wallMs();
  if (!/^\d{6}$/.test(text)) return await store.takeRecoveryCode(user.id, digestOf(text), nowMs);
  const step = totpSecret === null ? undefined : await stepOfCode(totpSecret, text, nowMs);
  return step !== undefined && (await store.takeTotpStep(user.id, step));
}
