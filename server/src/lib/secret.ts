/**
 * Encrypts secrets at rest with AES-256-GCM, and manages the key file. Knows no project words and no
 * database.
 *
 * A key is 32 bytes. During an exchange there are several, concatenated: the first one seals, any of them
 * opens.
 *
 * A sealed text is `v1.KEYTAG.PAYLOAD`. KEYTAG identifies the key (so that "wrong key" and "damaged" are
 * different messages); PAYLOAD is base64url of nonce (12 bytes), ciphertext, tag (16 bytes).
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

export const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const version = "v1";

/** Most keys in a file, and most a process remembers. */
export const keysMax = 8;

const isKeys = (bytes: Uint8Array): boolean =>
  bytes.length > 0 && bytes.length % keyBytes === 0 && bytes.length <= keysMax * keyBytes;

function requireKey(key: Uint8Array): void {
  if (!isKeys(key)) throw new RangeError(`a sealing key has ${keyBytes} bytes, not ${key.length}`);
}

/** Splits concatenated keys. */
function keysOf(keys: Uint8Array): Uint8Array[] {
  return Array.from({ length: keys.length / keyBytes }, (_, index) =>
    keys.subarray(index * keyBytes, (index + 1) * keyBytes),
  );
}

/** Eight hex digits that identify a key without revealing it. */
function keyTag(key: Uint8Array): string {
  return createHash("sha256").update("sealing key tag\0").update(key).digest("hex").slice(0, 8);
}

/** The fingerprint of each key, in order. */
export const fingerprintsOf = (keys: Uint8Array): string[] => keysOf(keys).map(keyTag);

/** The fingerprint of the key that sealed a text; undefined when the text is not sealed. */
export const sealedWith = (sealed: string): string | undefined => sealed.split(".")[1];

/** Authenticated in addition to the ciphertext: the version, and the context the text belongs to. */
const associated = (context: string): Buffer => Buffer.from(`${version}\0${context}`);

function sealWith(nonce: Uint8Array, plain: string, key: Uint8Array, context: string): string {
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(associated(context));
  const payload = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${version}.${keyTag(key)}.${payload.toString("base64url")}`;
}

/**
 * Encrypts `plain` with the first of the 32-byte keys; every call returns a different text. It opens only
 * with the same `context`, so a secret cannot be copied to another row.
 */
export function seal(plain: string, keys: Uint8Array, context = ""): string {
  requireKey(keys);
  return sealWith(randomBytes(nonceBytes), plain, keys.subarray(0, keyBytes), context);
}

/**
 * Like `seal`, but every call returns the same text, so that files with sealed texts can be compared. The
 * nonce is derived from key, context and text: two different texts share one with a probability of 2^-96.
 * Shows which texts of one context are equal, and nothing else.
 */
export function sealSteadily(plain: string, keys: Uint8Array, context: string): string {
  requireKey(keys);
  const key = keys.subarray(0, keyBytes);
  const nonceKey = createHmac("sha256", key).update("steady nonce").digest();
  const nonce = createHmac("sha256", nonceKey).update(`${context}\0`).update(plain).digest();
  return sealWith(nonce.subarray(0, nonceBytes), plain, key, context);
}

/**
 * Decrypts what `seal` made. Throws an Error that says whether the key differs or the text is damaged or was
 * moved.
 */
export function unseal(sealed: string, keys: Uint8Array, context = ""): string {
  requireKey(keys);
  const [itsVersion, itsKeyTag, payloadText, ...rest] = sealed.split(".");
  if (itsVersion !== version || itsKeyTag === undefined || payloadText === undefined || rest.length > 0) {
    throw new Error(`not a sealed text of version ${version}: it is damaged, or a newer version sealed it`);
  }
  const key = keysOf(keys).find((one) => keyTag(one) === itsKeyTag);
  if (key === undefined) {
    throw new Error("sealed with another key: use the key file that belongs to this database");
  }
  const payload = Buffer.from(payloadText, "base64url");
  const damaged = "the sealed text is damaged or was moved from another place";
  if (payload.length < nonceBytes + tagBytes) throw new Error(damaged);
  const decipher = createDecipheriv("aes-256-gcm", key, payload.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(associated(context));
  decipher.setAuthTag(payload.subarray(payload.length - tagBytes));
  const body = payload.subarray(nonceBytes, payload.length - tagBytes);
  try {
    return decipher.update(body, undefined, "utf8") + decipher.final("utf8");
  } catch (cause) {
    throw new Error(damaged, { cause });
  }
}

const isCode = (thrown: unknown, code: string): boolean =>
  thrown instanceof Error && "code" in thrown && thrown.code === code;

function readKeyFile(path: string): Buffer | undefined {
  let key: Buffer;
  try {
    key = readFileSync(path);
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    const reason = isCode(error, "EACCES")
      ? `give this user the right to read it, and to enter ${dirname(path)} and the directories above`
      : (error as Error).message;
    throw new Error(`the key file ${path} cannot be read: ${reason}`, { cause: error });
  }
  if (!isKeys(key)) {
    throw new Error(
      `the key file ${path} holds ${key.length} bytes instead of ${keyBytes}: restore it from a backup`,
    );
  }
  return key;
}

/**
 * Syncs a directory, so that its entries survive a power cut; systems that cannot open a directory do not
 * need it.
 */
function syncDirectory(path: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch {
    return;
  }
  try {
    fsyncSync(descriptor);
  } catch {
    // Some file systems refuse to sync a directory; the key itself is already on disk.
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces the keys at `path` in one step that survives a power cut. */
export function replaceKeyFile(path: string, keys: Uint8Array): void {
  requireKey(keys);
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString("hex")}.new`;
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    writeSync(descriptor, keys);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, path);
  syncDirectory(dirname(path));
}

/**
 * Returns the current keys: those in the file, followed by earlier ones, because a text sealed with them may
 * just have been read. Without a file, or while it cannot be read, the given keys.
 */
export function createKeyRing(given: Uint8Array, path: string | undefined): () => Uint8Array {
  let seen = Buffer.from(given);
  return () => {
    let inFile: Buffer | undefined;
    try {
      inFile = path === undefined ? undefined : readKeyFile(path);
    } catch {
      // The file is being replaced or is no longer readable; the last good keys stay in use.
    }
    if (inFile === undefined) return seen;
    const keys = [...keysOf(inFile), ...keysOf(seen)].map((key) => Buffer.from(key).toString("hex"));
    seen = Buffer.from([...new Set(keys)].slice(0, keysMax).join(""), "hex");
    return seen;
  };
}

/**
 * Writes a new key beside `path` and links it there complete; does nothing when another process was first.
 */
function createKeyFile(path: string): void {
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString("hex")}.new`;
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    try {
      writeSync(descriptor, randomBytes(keyBytes));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    // Unlike a rename, a link never replaces a key that another process has just written.
    linkSync(temporary, path);
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  } finally {
    unlinkSync(temporary);
    syncDirectory(dirname(path));
  }
}

/**
 * The 32-byte key at `path`, created at first use and readable by its owner only. Safe when several processes
 * start at once: all get the same key. The directory must exist. Throws an Error that names the file.
 */
export function loadOrCreateKeyFile(path: string): Buffer {
  const existing = readKeyFile(path);
  if (existing !== undefined) return existing;
  try {
    createKeyFile(path);
  } catch (error) {
    const reason = isCode(error, "EACCES")
      ? `give this user the right to write the directory ${dirname(path)}`
      : (error as Error).message;
    throw new Error(`the key file ${path} cannot be created: ${reason}`, { cause: error });
  }
  const key = readKeyFile(path);
  if (key === undefined) throw new Error(`the key file ${path} vanished while it was being created`);
  return key;
}
