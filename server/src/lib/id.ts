/** Ids that sort by creation time and cannot be guessed. Knows no project words; callers choose prefixes. */
import { randomFillSync } from "node:crypto";
import type { Clock } from "./time/clock.ts";

/** Crockford's base32 in lower case: no i, l, o, u. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** All 1,024 pairs of letters, so that one look-up converts ten bits. */
const pairs: readonly string[] = Array.from(
  { length: 1024 },
  (_, value) => alphabet.charAt(value >> 5) + alphabet.charAt(value & 31),
);

const randomBytesPerId = 10;
/** Ids per draw of random bytes; a draw per id would cost more than everything else. */
const idsPerDraw = 409;

/** Fills the buffer with random bytes; tests pass their own function. */
export type RandomFill = (buffer: Buffer) => void;

/** Makes an id: 26 characters, after `prefix` and an underscore if a prefix is given. */
export type NewId = (prefix?: string) => string;

const pair = (value: number): string => pairs[value] as string;

/** 48 bits of Unix milliseconds as ten letters (the two highest bits are always zero). */
function timeText(unixMs: number): string {
  const high = Math.floor(unixMs / 2 ** 20);
  const low = unixMs % 2 ** 20;
  return (
    pair((high >>> 20) & 1023) +
    pair((high >>> 10) & 1023) +
    pair(high & 1023) +
    pair(low >>> 10) +
    pair(low & 1023)
  );
}

/** Ids made at this time (Unix milliseconds) or later sort after this text, all earlier ones before it. */
export const firstIdAt = (prefix: string, unixMs: number): string => `${prefix}_${timeText(unixMs)}`;

/** Ten bytes (80 bits) as sixteen letters. */
function randomText(bytes: Buffer, at: number): string {
  let text = "";
  for (let index = at; index < at + randomBytesPerId; index += 5) {
    const first = bytes[index] as number;
    const second = bytes[index + 1] as number;
    const third = bytes[index + 2] as number;
    const fourth = bytes[index + 3] as number;
    const fifth = bytes[index + 4] as number;
    text +=
      pair((first << 2) | (second >> 6)) +
      pair(((second & 63) << 4) | (third >> 4)) +
      pair(((third & 15) << 6) | (fourth >> 2)) +
      pair(((fourth & 3) << 8) | fifth);
  }
  return text;
}

/**
 * `newId("req")` returns "req_" + ten letters of time + sixteen random letters (80 bits). Ids sort by time as
 * plain text; those of the same millisecond have no order.
 */
export function createIdFactory(clock: Clock, randomFill: RandomFill = randomFillSync): NewId {
  const pool = Buffer.alloc(randomBytesPerId * idsPerDraw);
  let used = pool.length;
  let lastMs = -1;
  let time = "";
  return (prefix) => {
    if (used === pool.length) {
      randomFill(pool);
      used = 0;
    }
    // A clock set before 1970 must still give valid base32.
    const nowMs = Math.max(0, Math.trunc(clock.wallMs()));
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      time = timeText(nowMs);
    }
    const id = time + randomText(pool, used);
    used += randomBytesPerId;
    return prefix === undefined ? id : `${prefix}_${id}`;
  };
}
