/** How a command fails: a code for programs, words for people, an exit status. */
import type { CommanderError } from "commander";
import type { CommandIo } from "./command-io.ts";
import { writeJson } from "./output.ts";

/** 1: it was understood but could not be done. 2: it was not understood, or a setting is not valid. */
export type ExitStatus = 1 | 2;

/** Thrown to end a command; the message says what is wrong and what to do next. */
export class CommandFailure extends Error {
  readonly code: string;
  readonly status: ExitStatus;

  constructor(code: string, message: string, status: ExitStatus = 1) {
    super(message);
    this.name = "CommandFailure";
    this.code = code;
    this.status = status;
  }
}

/** Ends a command with status 1 when its output already says what is wrong. */
export class ReportedFailure extends Error {
  override readonly name = "ReportedFailure";
}

/** The system's errors a command can meet, in words that say what to do. */
function systemMessage(
  error: NodeJS.ErrnoException & { port?: number; address?: string },
): string | undefined {
  const where = error.path ?? "";
  switch (error.code) {
    case "EADDRINUSE":
      return `port ${error.port} on ${error.address} is already in use: stop the other program, or choose another port with --port`;
    case "EADDRNOTAVAIL":
      return `${error.address} is not an address of this machine: choose another one with --host`;
    case "EACCES":
    case "EPERM":
      if (error.syscall === "listen")
        return `this user is not allowed to listen on port ${error.port}: use a port above 1023`;
      return `${where}: permission denied; check the owner and permissions`;
    case "ENOENT":
      return `${where}: no such file or directory`;
    case "EISDIR":
      return `${where || "this"} is a directory, not a file`;
    case "ENOTDIR":
    case "EEXIST":
      return `${where}: expected a directory, found a file`;
    case "ENOSPC":
      return "the disk is full: free some space and try again";
    case "EROFS":
      return `${where}: the disk is mounted read-only`;
    default:
      return undefined;
  }
}

/** Recognized by name, so that the library is not loaded for the check. */
const isCommandersEnd = (thrown: unknown): thrown is CommanderError =>
  thrown instanceof Error && thrown.name === "CommanderError";

/** Any thrown value as a failure. Commander's own ends (help, version) are undefined: nothing failed. */
function toFailure(thrown: unknown): CommandFailure | undefined {
  if (thrown instanceof CommandFailure) return thrown;
  if (isCommandersEnd(thrown)) {
    if (thrown.exitCode === 0) return undefined;
    return new CommandFailure("usage", thrown.message.replace(/^error: /, ""), 2);
  }
  if (!(thrown instanceof Error)) return new CommandFailure("unexpected", String(thrown));
  const message = systemMessage(thrown);
  if (message !== undefined) return new CommandFailure("system", message);
  // Errors of the store carry a code of their own and words that say what to do;
  // so do plain ones the server throws.
  if ("code" in thrown && typeof thrown.code === "string")
    return new CommandFailure(thrown.code, thrown.message);
  if (thrown.constructor === Error) return new CommandFailure("failed", thrown.message);
  return new CommandFailure("unexpected", `internal error; please report it: ${thrown.stack}`);
}

/**
 * Reports how a command failed, on standard error and for `--json` on
 * standard output too; gives the exit status.
 */
export function reportFailure(thrown: unknown, words: readonly string[], io: CommandIo): 0 | 1 | 2 {
  if (thrown instanceof ReportedFailure) return 1;
  const failure = toFailure(thrown);
  if (failure === undefined) return 0;
  // Commander has already written its own errors, with help.
  if (failure.code !== "usage") io.err(`${failure.message.replace(/^/gm, "error: ")}\n`);
  if (words.includes("--json")) writeJson(io, { error: { code: failure.code, message: failure.message } });
  return failure.status;
}

/** A command on a key that is not there. */
export function keyNotFound(id: string): CommandFailure {
  return new CommandFailure("not_found", `key ${id} not found; see: npx plaza key list`);
}

/** A command on a key that is revoked. */
export function keyRevoked(id: string): CommandFailure {
  return new CommandFailure(
    "key_revoked",
    `key ${id} is permanently revoked; create another one with: npx plaza key create`,
  );
}
