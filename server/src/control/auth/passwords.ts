/** Passwords: which are allowed, and their argon2id hashes. Knows no users. */

import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { refuseField } from "../field-faults.ts";
import { commonPasswords } from "./common-passwords.ts";
import { HashQueue, type QueueComer, type QueueTicket, trusted } from "./hash-queue.ts";

/** Parameters of a hash. Source: OWASP's password storage cheat sheet, read 2026-11. */
const memoryKib = 19_456;
const passes = 2;
const lanes = 1;
const saltBytes = 16;
const hashBytes = 32;

/** With 120 waiting, the last one is served after about two seconds on two cores. */
const queue = new HashQueue({ atOnceMax: 2, ticketsMax: 120, strangersMax: 80, failedMax: 40 });

/** Takes a ticket to check a password. Throws `too_many_attempts` when none is available. */
export const enterQueue = (comer: QueueComer): QueueTicket => queue.enter(comer);

interface Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

const current: Parameters = { memory: memoryKib, passes, parallelism: lanes };

/** Runs the work in its turn, with its own ticket. Throws `too_many_attempts` when none is available. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const ticket = queue.enter(trusted);
  try {
    return await ticket.run("known", work);
  } finally {
    ticket.leave();
  }
}

function derive(password: string, nonce: Buffer, parameters: Parameters, tagLength: number): Promise<Buffer> {
  // Other systems may encode the same typed password with other code points.
  const message = password.normalize("NFKC");
  return new Promise((resolve, reject) => {
    argon2("argon2id", { message, nonce, tagLength, ...parameters }, (error, derived) => {
      if (error === null) resolve(derived);
      else reject(error);
    });
  });
}

const base64 = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");

/** `$argon2id$v=19$m=…,t=…,p=…$SALT$HASH`. */
export function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  return inTurn(async () => {
    const derived = await derive(password, salt, current, hashBytes);
    return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${base64(salt)}$${base64(derived)}`;
  });
}

interface StoredHash {
  readonly parameters: Parameters;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const pattern = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function readHash(text: string): StoredHash | undefined {
  const [, memory, time, parallelism, salt, hash] = pattern.exec(text) ?? [];
  if (salt === undefined || hash === undefined) return undefined;
  return {
    parameters: { memory: Number(memory), passes: Number(time), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64"),
  };
}

/** Costs as much as a real hash; no password matches. */
const nobodys: StoredHash = {
  parameters: current,
  salt: Buffer.alloc(saltBytes),
  hash: Buffer.alloc(hashBytes),
};

/** Runs hashing in its turn. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * True when the password matches. Takes as long without a stored hash (`stored` null). `isOutdated`: hash it
 * again. `turn`: an existing ticket. Throws `too_many_attempts` when too many are waiting.
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  turn: Turn = inTurn,
): Promise<{ readonly isRight: boolean; readonly isOutdated: boolean }> {
  const known = stored === null ? undefined : readHash(stored);
  const { parameters, salt, hash } = known ?? nobodys;
  const derived = await turn(() => derive(password, salt, parameters, hash.length));
  const isRight = timingSafeEqual(derived, hash) && known !== undefined;
  const isOutdated =
    parameters.memory !== memoryKib ||
    parameters.passes !== passes ||
    parameters.parallelism !== lanes ||
    hash.length !== hashBytes;
  return { isRight, isOutdated };
}

/**
 * Throws `invalid_request` at the field `path` for a very common password. The contract checks its length.
 */
export function checkNewPassword(password: string, email: string, path: string): void {
  const folded = password.normalize("NFKC").trim().toLowerCase();
  const fault = weakness(folded, email);
  if (fault !== undefined) refuseField(path, fault);
}

function weakness(folded: string, email: string): Message | undefined {
  if (folded === email || folded === email.split("@")[0]) return message("access.passwordIsEmail");
  if (new Set(folded).size <= 2) return message("access.passwordCommon");
  return commonPasswords.has(folded) ? message("access.passwordCommon") : undefined;
}
