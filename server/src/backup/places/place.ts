/** Where backups are kept: a directory, or a bucket of a store that speaks S3. */
import type { WriteBytes } from "../container/write.ts";

/** A backup that is being written. It is visible under its name only after `commit`. */
export interface Upload {
  readonly write: WriteBytes;
  /** Makes the backup durable and visible. Throws an error with code `exists` instead of replacing one. */
  commit(): Promise<void>;
  /** Ends the upload; what was written must not stay. Never rejects. */
  abandon(): Promise<void>;
}

export interface BackupPlace {
  /** For messages: the directory, or `s3://bucket/prefix`. */
  readonly shown: string;
  /** A directory in which files of the size of the database can be made meanwhile. */
  readonly workFolder: string;
  /** True when backups need room on the disk of `workFolder`. */
  readonly isOnDisk: boolean;
  /**
   * `folder`: a folder in `workFolder` for what is not whole yet, which the caller removes. `bytes`: about
   * the size of the backup.
   */
  begin(name: string, folder: string, bytes: number): Promise<Upload>;
  /** Names of the whole backups, oldest first. */
  list(): Promise<string[]>;
  read(name: string): AsyncIterable<Buffer>;
  remove(name: string): Promise<void>;
}

const ending = ".plazabackup";
const namePattern = /^plaza-\d{8}T\d{6}Z\.plazabackup$/;

/** `plaza-20261127T102008Z.plazabackup`: names sort by time. */
export function backupName(unixMs: number): string {
  const time = new Date(unixMs).toISOString().slice(0, 19).replace(/[-:]/g, "");
  return `plaza-${time}Z${ending}`;
}

export const isBackupName = (name: string): boolean => namePattern.test(name);
