/**
 * The text of an API key: creates it, checks it for typing errors without a look-up, and digests it for
 * storage. Knows no store.
 *
 * `sk-plaza-`, 32 random base62 characters (190 bits), and a checksum of 6: the CRC-32 of all before it, in
 * base62. A CRC-32 differs after any single change, so a mistyped or truncated key is refused before a
 * look-up.
 */
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** How every key of Plaza begins, and so the visible prefix of each that was not imported. */
export const keyStart = "sk-plaza-";
const randomLength = 32;
const checksumLength = 6;
const checkedLength = keyStart.length + randomLength;
const keyLength = checkedLength + checksumLength;
/** Characters that may be shown to identify a key; the rest still has over 160 random bits. */
const visibleLength = keyStart.length + 4;

/**
 * The largest multiple of 62 in a byte. Bytes from here on are skipped, because they would favour the first
 * letters.
 */
const unbiasedBytes = 248;

/** 1 for the character codes of base62. */
const isBase62 = new Uint8Array(128);
for (const letter of alphabet) isBase62[letter.charCodeAt(0)] = 1;

/** Returns `count` random bytes: `randomBytes` of node:crypto, or a scripted function in tests. */
export type RandomBytes = (count: number) => Buffer;

/** Random letters and digits, uniformly distributed. */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < unbiasedBytes) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}

/** A checksum of six characters that differs after any single change of the text. */
export function textChecksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < checksumLength; place += 1) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/** Creates a key. `secret` is shown once and never stored; `visiblePrefix` may always be shown. */
export function createApiKey(randomBytes: RandomBytes): { secret: string; visiblePrefix: string } {
  const checked = keyStart + randomBase62(randomLength, randomBytes);
  return { secret: checked + textChecksum(checked), visiblePrefix: checked.slice(0, visibleLength) };
}

/** As long as other gateways make them; shorter ones may have been chosen by people, and can be guessed. */
const importedLengthMin = 20;
const importedLengthMax = 200;

/**
 * True when the text may be a key that was imported from another gateway: `sk-` and further letters, digits
 * or signs, but no Plaza key. Linear time.
 */
export function checkImportedKeyShape(text: string): boolean {
  const isLong = text.length >= importedLengthMin && text.length <= importedLengthMax;
  return isLong && text.startsWith("sk-") && !text.startsWith(keyStart) && /^[!-~]+$/.test(text);
}

/** True when the text has the form of a Plaza key. Linear time; does not say whether the key exists. */
export function checkApiKeyShape(text: string): boolean {
  if (text.length !== keyLength || !text.startsWith(keyStart)) return false;
  for (let index = keyStart.length; index < keyLength; index += 1) {
    // A code outside the table gives undefined.
    if (isBase62[text.charCodeAt(index)] !== 1) return false;
  }
  let rest = crc32(text.slice(0, checkedLength));
  for (let index = keyLength - 1; index >= checkedLength; index -= 1) {
    if (text.charCodeAt(index) !== alphabet.charCodeAt(rest % alphabet.length)) return false;
    rest = Math.floor(rest / alphabet.length);
  }
  return true;
}

/** Shorter texts are not shown at all: their ends would reveal too much. */
const maskedLengthMin = 24;

/**
 * A key as shown in errors, so that the caller can tell which one was sent: `sk-plaza-…abcd`. Shows less than
 * OpenAI does, and nothing of a text with characters that keys do not have.
 */
export function maskApiKey(text: string): string {
  if (text.length < maskedLengthMin) return "***";
  const start = text.startsWith(keyStart) ? keyStart : text.slice(0, 3);
  const end = text.slice(-4);
  return /^[\w-]+$/.test(start + end) ? `${start}…${end}` : "***";
}

/**
 * SHA-256 of the whole secret in hex. A plain digest is enough: a secret with 190 random bits cannot be
 * guessed.
 */
export function digestApiKey(secret: string): string {
  return hash("sha256", secret, "hex");
}
