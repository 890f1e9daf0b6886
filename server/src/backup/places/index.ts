/** Finds where a backup is kept, by how the operator names it. */
import { stat } from "node:fs/promises";
import { BackupError } from "../error.ts";
import { openDirectory, readFileBytes } from "./directory.ts";
import type { BackupPlace } from "./place.ts";

/** A backup to read, and its size. */
export interface BackupSource {
  readonly bytes: number;
  readonly source: AsyncIterable<Buffer>;
}

/** Opens the directory that backups are written to. */
export async function openPlace(text: string): Promise<BackupPlace> {
  return openDirectory(text);
}

/** Opens one backup. Throws BackupError `not_found` when there is none. */
export async function openBackup(text: string): Promise<BackupSource> {
  const found = await stat(text).catch(() => undefined);
  if (found === undefined) throw new BackupError("not_found", `${text}: no such file`);
  if (!found.isFile())
    throw new BackupError("not_found", `${text} is not a file: name one of the backups in it`);
  return { bytes: found.size, source: readFileBytes(text) };
}
