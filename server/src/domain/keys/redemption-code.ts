/**
 * The text of a redemption code: creates it, reads what people type, and digests it for storage. Knows no
 * store.
 *
 * `plaza-XXXX-XXXX-XXXX-XXXX-XX`: 80 random bits as 16 letters of Crockford's base32 (no I, L, O, U), and a
 * checksum of two letters, so that a typing error can be told from an unknown code.
 */
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { RandomBytes } from "./api-key.ts";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const randomByteCount = 10;
const randomLetters = 16;
const checkLetters = 2;
const groupLength = 4;
const start = "PLAZA";

/** Letters that stand for a digit they look like. */
const lookalikes: Readonly<Record<string, string>> = { O: "0", I: "1", L: "1" };

function letters(value: bigint, count: number): string {
  let text = "";
  for (let place = count - 1; place >= 0; place -= 1) {
    text += alphabet.charAt(Number((value >> BigInt(place * 5)) & 31n));
  }
  return text;
}

const checkOf = (random: string): string => letters(BigInt(crc32(random) >>> 0) & 1023n, checkLetters);

/** Creates a code. `text` is shown once and never stored; `visibleEnd` may always be shown. */
export function createRedemptionCode(randomBytes: RandomBytes): { text: string; visibleEnd: string } {
  const random = letters(BigInt(`0x${randomBytes(randomByteCount).toString("hex")}`), randomLetters);
  const groups = random.match(new RegExp(`.{${groupLength}}`, "g")) ?? [];
  return { text: ["plaza", ...groups, checkOf(random)].join("-"), visibleEnd: random.slice(-groupLength) };
}

/**
 * The letters of a code, ignoring case, spaces and dashes, with O read as 0 and I as 1; undefined for a text
 * that is not a Plaza code or has a wrong or missing letter.
 */
export function readRedemptionCode(text: string): string | undefined {
  const plain = text
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[\s\p{Pd}_.]/gu, "");
  const body = plain.startsWith(start) ? plain.slice(start.length) : plain;
  const read = body.replace(/[OIL]/g, (letter) => lookalikes[letter] ?? letter);
  if (!/^[0-9A-HJKMNP-TV-Z]{18}$/.test(read)) return undefined;
  const random = read.slice(0, randomLetters);
  return checkOf(random) === read.slice(randomLetters) ? random : undefined;
}

/** SHA-256 of the letters from `readRedemptionCode`, in hex. A plain digest is enough for 80 random bits. */
export function digestRedemptionCode(read: string): string {
  return hash("sha256", `plaza-code:${read}`, "hex");
}
