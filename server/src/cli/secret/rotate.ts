/**
 * Rotates the key that encrypts credentials: adds the new key to the key file, encrypts everything again,
 * then removes the old key. Everything stays readable after each step.
 */
import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import type { Catalog } from "@plaza/contract/catalog.ts";
import { keyBytes, keysMax, loadOrCreateKeyFile, replaceKeyFile } from "../../lib/secret.ts";
import { resealText } from "../../start/sealed-credentials.ts";
import { readText, replaceText } from "../connect/file.ts";
import { CommandFailure } from "../failure.ts";

/** What is encrypted, and with which keys. */
export interface Rotation {
  readonly keyFile: string;
  /** Catalog files whose sealed credentials are rotated too. */
  readonly catalogFiles: readonly string[];
  readonly readCatalog: (text: string, file: string) => Promise<Catalog>;
  /**
   * Encrypts the database's credentials with the first of the keys, all or none. Resolves with their number.
   */
  readonly resealDatabase: (keys: Buffer) => Promise<number>;
  /** Keeps the old key in the file, after the new one, for credentials stored elsewhere. */
  readonly keepsOld: boolean;
}

/** The step just completed. The rotation may be interrupted after any step. */
export type RotationStep =
  | { readonly step: "key_added" }
  | { readonly step: "database_resealed"; readonly credentials: number }
  | { readonly step: "file_resealed"; readonly file: string }
  | { readonly step: "old_key_removed" };

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

function tryLock(path: string): boolean {
  try {
    const descriptor = openSync(path, "wx", 0o600);
    writeSync(descriptor, String(process.pid));
    closeSync(descriptor);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Prevents concurrent rotations, which could lose each other's key. A dead process's lock is taken over. */
function lock(keyFile: string): () => void {
  const path = `${keyFile}.rotating`;
  if (!tryLock(path)) {
    const pid = Number(readText(path) ?? "0");
    const isStale = Number.isSafeInteger(pid) && pid > 0 && !isAlive(pid);
    if (isStale) unlinkSync(path);
    if (!isStale || !tryLock(path)) {
      const message = `another plaza secret rotate is running; if not, remove ${path}`;
      throw new CommandFailure("busy", message);
    }
  }
  return () => unlinkSync(path);
}

interface CatalogFile {
  readonly file: string;
  readonly text: string;
  readonly catalog: Catalog;
}

async function readFiles({
  catalogFiles,
  readCatalog,
}: Pick<Rotation, "catalogFiles" | "readCatalog">): Promise<CatalogFile[]> {
  const files: CatalogFile[] = [];
  for (const file of new Set(catalogFiles)) {
    const text = readFileSync(file, "utf8");
    files.push({ file, text, catalog: await readCatalog(text, file) });
  }
  return files;
}

/**
 * For a key that is not in a file: reads the catalog files, checks that these keys open their credentials,
 * and returns a function that encrypts them again with the first key and returns the files it changed. Throws
 * when a credential cannot be opened.
 */
export async function resealFiles(
  rotation: Pick<Rotation, "catalogFiles" | "readCatalog">,
  keys: Buffer,
): Promise<() => string[]> {
  const resealed = (await readFiles(rotation)).map(({ file, text, catalog }) => ({
    file,
    text,
    next: resealText(text, catalog, keys),
  }));
  return () =>
    resealed.flatMap(({ file, text, next }) => {
      if (next === text) return [];
      replaceText(file, text, next);
      return [file];
    });
}

/**
 * Throws before any change when a credential cannot be opened. After a later failure everything stays
 * readable and the rotation can be repeated.
 */
export async function* rotateKeys(rotation: Rotation): AsyncGenerator<RotationStep> {
  const { keyFile, resealDatabase, keepsOld } = rotation;
  const unlock = lock(keyFile);
  try {
    const old = loadOrCreateKeyFile(keyFile);
    const files = await readFiles(rotation);
    for (const { text, catalog } of files) resealText(text, catalog, old);
    if (old.length / keyBytes >= keysMax)
      throw new CommandFailure(
        "too_many_keys",
        `${keyFile} holds ${keysMax} keys; run the command without --keep-old`,
      );
    const fresh = randomBytes(keyBytes);
    const keys = Buffer.concat([fresh, old]);
    replaceKeyFile(keyFile, keys);
    yield { step: "key_added" };
    yield { step: "database_resealed", credentials: await resealDatabase(keys) };
    for (const { file, text, catalog } of files) {
      const resealed = resealText(text, catalog, keys);
      if (resealed === text) continue;
      replaceText(file, text, resealed);
      yield { step: "file_resealed", file };
    }
    if (keepsOld) return;
    replaceKeyFile(keyFile, fresh);
    yield { step: "old_key_removed" };
  } finally {
    unlock();
  }
}
