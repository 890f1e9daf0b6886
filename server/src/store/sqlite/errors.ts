/**
 * Converts SQLite's result codes to StoreError. Codes: https://www.sqlite.org/rescode.html; the low byte is
 * the primary code.
 */
import { StoreError, storeErrorOf } from "../error.ts";

const constraint = 19;
const uniqueCodes: ReadonlySet<number> = new Set([1555, 2067, 2579]);

/** SQLite's extended result code of an error `node:sqlite` threw; undefined for any other value. */
function sqliteCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !("errcode" in thrown)) return undefined;
  return typeof thrown.errcode === "number" ? thrown.errcode : undefined;
}

/** True when another connection holds the file. */
export function isBusy(thrown: unknown): boolean {
  return ((sqliteCode(thrown) ?? 0) & 255) === 5;
}

/** True when one statement refused its values and the transaction is otherwise fine. */
export function isRefusedValue(thrown: unknown): boolean {
  const code = sqliteCode(thrown);
  // Thrown for a value that has no SQLite type.
  if (code === undefined) return thrown instanceof TypeError;
  return (code & 255) === constraint;
}

/**
 * A StoreError that says what to do, if the code is known; else the value itself. Messages contain `file`.
 */
export function toStoreError(thrown: unknown, file: string): unknown {
  const code = sqliteCode(thrown);
  if (code === undefined || thrown instanceof StoreError) return thrown;
  const cause = thrown as Error;
  const error = (name: StoreError["code"], message: string) =>
    storeErrorOf(name, message, undefined, { cause });
  switch (code & 255) {
    case 5:
    case 6:
      return error(
        "locked",
        `another process keeps the database ${file} locked: find it (a backup, a shell, a stuck Plaza) and end it`,
      );
    case 8:
      return error(
        "read_only",
        `the database ${file} cannot be written: give the user Plaza runs as the right to write the file and its directory, and check that the disk is not mounted read-only`,
      );
    case 10:
      return error(
        "io",
        `the disk that holds the database ${file} fails (${cause.message}): check the disk and the system log`,
      );
    case 11:
    case 26:
      return error(
        "damaged",
        `${file} is damaged or is not a SQLite database (${cause.message}): restore it from a backup`,
      );
    case 13:
      return error(
        "disk_full",
        `the disk that holds the database ${file} is full: free some space; a running Plaza then goes on by itself`,
      );
    case 14:
      return error(
        "cannot_open",
        `the database ${file} cannot be opened: give the user Plaza runs as the right to read and write it, its directory and the files beside it`,
      );
    case constraint:
      return error(uniqueCodes.has(code) ? "duplicate" : "invalid", cause.message);
    default:
      return thrown;
  }
}
