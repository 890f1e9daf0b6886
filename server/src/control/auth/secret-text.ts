/** Secrets that only programs handle: 256 random bits, stored as a digest. Does not know their purpose. */
import { hash, timingSafeEqual } from "node:crypto";
import type { RandomBytes } from "../../domain/keys/api-key.ts";

const secretBytes = 32;
const secretPattern = /^[A-Za-z0-9_-]{43}$/;

/** 43 characters of base64url. */
export function newSecret(randomBytes: RandomBytes): string {
  return randomBytes(secretBytes).toString("base64url");
}

/** True when the text has the form of a Plaza secret. Other texts are not looked up. */
export function isSecretShape(text: string): boolean {
  return secretPattern.test(text);
}

/** SHA-256 in hex. A plain digest is enough for 256 random bits. */
export function digestOf(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** Compares digests, so that timing reveals nothing about either text. */
export function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(one)), Buffer.from(digestOf(other)));
}
