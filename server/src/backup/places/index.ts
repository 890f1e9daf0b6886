/** Finds where a backup is kept, by how the operator names it: a path, or `s3://bucket/prefix`. */
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Environment } from "../../lib/s3/address.ts";
import { BackupError } from "../error.ts";
import { openDirectory, readFileBytes } from "./directory.ts";
import type { BackupPlace } from "./place.ts";

/** A backup to read, and its size. */
export interface BackupSource {
  readonly bytes: number;
  readonly source: AsyncIterable<Buffer>;
}

const isS3 = (text: string): boolean => text.startsWith("s3://");

/** Opens the directory or bucket that backups are written to. */
export async function openPlace(text: string, env: Environment): Promise<BackupPlace> {
  if (!isS3(text)) return openDirectory(text);
  // Loaded here, because most backups need neither a network nor signatures.
  const { openBucket } = await import("./s3/bucket.ts");
  return openBucket(text, env, tmpdir());
}

/** Opens one backup. Throws an error with code `not_found` when there is none. */
export async function openBackup(text: string, env: Environment): Promise<BackupSource> {
  if (isS3(text)) {
    const { openObject } = await import("./s3/bucket.ts");
    return openObject(text, env);
  }
  const found = await stat(text).catch(() => undefined);
  if (found === undefined) throw new BackupError("not_found", `${text}: no such file`);
  if (!found.isFile())
    throw new BackupError("not_found", `${text} is not a file: name one of the backups in it`);
  return { bytes: found.size, source: readFileBytes(text) };
}
