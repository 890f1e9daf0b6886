/**
 * Opens the database's file before SQLite does, because the system's errors are more precise. Knows no SQL.
 */
import { closeSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../error.ts";

const codeOf = (thrown: unknown): string | undefined => (thrown as NodeJS.ErrnoException).code;

/** The system's error code when the step fails. */
function failureOf(step: () => unknown): string | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

/** Which permission is missing where, when the file could not be opened for reading and writing. */
function missingRight(file: string): string {
  const directory = dirname(file);
  const user = "give the user Plaza runs as the right to";
  const toFind = failureOf(() => statSync(file));
  if (toFind === "ENOENT") return `${user} write the directory ${directory}`;
  if (toFind !== undefined) return `${user} enter the directory ${directory} and those above it`;
  const toRead = failureOf(() => closeSync(openSync(file, "r")));
  return `${user} ${toRead === undefined ? "write" : "read and write"} this file`;
}

function reasonOf(error: unknown, file: string): string {
  const directory = dirname(file);
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM":
      return missingRight(file);
    case "ENOENT":
      return `directory ${directory} does not exist: create it and make it writable for the user that runs Plaza`;
    case "ENOTDIR":
      return `${directory} is not a directory: give another place with --data or --database`;
    case "EISDIR":
      return "it is a directory: give the file in it with --database";
    case "EROFS":
      return `the disk that holds ${directory} is mounted read-only`;
    default:
      return `${(error as Error).message}; its directory must exist and be writable for the user Plaza runs as`;
  }
}

/**
 * Creates a missing file, readable by its owner only (its log files inherit that). Throws `cannot_open` with
 * the path and the missing permission.
 */
export function touchDatabaseFile(file: string): void {
  try {
    closeSync(openSync(file, "a+", 0o600));
  } catch (error) {
    throw new StoreError("cannot_open", `the database ${file} cannot be opened: ${reasonOf(error, file)}`, {
      cause: error,
    });
  }
}
