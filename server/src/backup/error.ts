/** Failures of backups, with a code for programs and a message that says what to do next. */

/**
 * `damaged`: the file is not what was written. `encrypted`: a passphrase is missing, or another one is
 * needed. `newer_backup`: a newer Plaza wrote it. `unsound`: it is whole, but its ledger is not.
 */
export type BackupErrorCode =
  | "damaged"
  | "encrypted"
  | "newer_backup"
  | "unsound"
  | "not_empty"
  | "in_use"
  | "exists"
  | "disk_full"
  | "not_found"
  | "storage";

/** Every function of this folder throws this when a code applies; file system errors keep their own code. */
export class BackupError extends Error {
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "BackupError";
    this.code = code;
  }
}

/** The failure of a backup that is not what was written. */
export const damaged = (reason: string): BackupError =>
  new BackupError("damaged", `the backup is damaged: ${reason}; use another one`);
