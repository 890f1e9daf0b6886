/**
 * The chunks of a backup file: how each is checked and, with a passphrase, encrypted. Every chunk carries its
 * number and whether it is the last one in what is authenticated, so that none can be changed, moved, left
 * out or added without notice.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from "node:crypto";
import { promisify } from "node:util";

/** Bytes that follow the content of a chunk: a GCM tag, or the beginning of a SHA-256 digest. */
export const checkBytes = 16;

/** How the key of a backup is derived from the passphrase. */
export interface KeyDerivation {
  readonly kdf: "scrypt";
  readonly n: number;
  readonly r: number;
  readonly p: number;
  /** Base64. A new one for each backup makes a new key, so that chunk numbers can be nonces. */
  readonly salt: string;
}

export interface ChunkCodec {
  /** Returns what is stored for a chunk: as many bytes, followed by the check. */
  seal(content: Buffer, number: number, isLast: boolean): Buffer;
  /** The inverse; undefined when the chunk is not what was sealed in this place. */
  open(stored: Buffer, number: number, isLast: boolean): Buffer | undefined;
}

/** 128 MiB and about half a second (https://cheatsheetseries.owasp.org, Password Storage, 2026). */
const strength = { n: 2 ** 17, r: 8, p: 1 } as const;
/** A header that asks for more (512 MiB) is not ours: it would use up the memory of who reads it. */
const memoryMax = 2 ** 22;
const parallelMax = 4;

export const newDerivation = (): KeyDerivation => ({
  kdf: "scrypt",
  ...strength,
  salt: randomBytes(16).toString("base64"),
});

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;

/** True for parameters that a backup of ours may have. */
export const isDerivation = (value: unknown): value is KeyDerivation => {
  const { kdf, n, r, p, salt } = (value ?? {}) as Record<string, unknown>;
  if (kdf !== "scrypt" || typeof salt !== "string") return false;
  if (!isWhole(n) || !isWhole(r) || !isWhole(p)) return false;
  return n > 1 && n * r <= memoryMax && p <= parallelMax && Number.isInteger(Math.log2(n));
};

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** Twelve bytes that differ for every chunk of a backup. */
function placeOf(number: number, isLast: boolean): Buffer {
  const place = Buffer.alloc(12);
  place.writeUInt8(isLast ? 1 : 0, 0);
  place.writeBigUInt64BE(BigInt(number), 4);
  return place;
}

/** Encrypts with AES-256-GCM. `header`: the bytes before the first chunk, which are authenticated, too. */
export async function createEncryption(
  passphrase: string,
  { n, r, p, salt }: KeyDerivation,
  header: Buffer,
): Promise<ChunkCodec> {
  const options = { N: n, r, p, maxmem: 2 ** 24 + 256 * n * r };
  const key = await deriveKey(passphrase.normalize("NFC"), Buffer.from(salt, "base64"), 32, options);
  return {
    seal(content, number, isLast) {
      const cipher = createCipheriv("aes-256-gcm", key, placeOf(number, isLast));
      cipher.setAAD(header);
      return Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
    },
    open(stored, number, isLast) {
      const decipher = createDecipheriv("aes-256-gcm", key, placeOf(number, isLast), {
        authTagLength: checkBytes,
      });
      decipher.setAAD(header);
      decipher.setAuthTag(stored.subarray(-checkBytes));
      try {
        return Buffer.concat([decipher.update(stored.subarray(0, -checkBytes)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

/** The same without a passphrase: finds damage, and does not protect from someone who wants to change it. */
export function createDigests(header: Buffer): ChunkCodec {
  const checkOf = (content: Buffer, number: number, isLast: boolean): Buffer =>
    createHash("sha256")
      .update(header)
      .update(placeOf(number, isLast))
      .update(content)
      .digest()
      .subarray(0, checkBytes);
  return {
    seal: (content, number, isLast) => Buffer.concat([content, checkOf(content, number, isLast)]),
    open(stored, number, isLast) {
      const content = stored.subarray(0, -checkBytes);
      const isSame = timingSafeEqual(stored.subarray(-checkBytes), checkOf(content, number, isLast));
      return isSame ? content : undefined;
    },
  };
}
