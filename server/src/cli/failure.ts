/** Command failures: a code for programs, a message for people, an exit status. */
import type { CommanderError } from "commander";
import type { CommandIo } from "./command-io.ts";
import { writeJson } from "./output.ts";

/** 1: understood but failed. 2: not understood, or a setting is invalid. */
export type ExitStatus = 1 | 2;

/** Ends a command. The message says what is wrong and what to do next. */
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

/** Messages for system errors, with what to do. */
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

/** Checked by name, so that the library need not be loaded. */
const isCommandersEnd = (thrown: unknown): thrown is CommanderError =>
  thrown instanceof Error && thrown.name === "CommanderError";

/** Converts any thrown value to a failure. undefined for commander's normal ends (help, version). */
function toFailure(thrown: unknown): CommandFailure | undefined {
  if (thrown instanceof CommandFailure) return thrown;
  if (isCommandersEnd(thrown)) {
    if (thrown.exitCode === 0) return undefined;
    return new CommandFailure("usage", thrown.message.replace(/^error: /, ""), 2);
  }
  if (!(thrown instanceof Error)) return new CommandFailure("unexpected", String(thrown));
  const message = systemMessage(thrown);
  if (message !== undefined) return new CommandFailure("system", message);
  // Store errors have their own code and message; so do plain errors of the server.
  if ("code" in thrown && typeof thrown.code === "string")
    return new CommandFailure(thrown.code, thrown.message);
  if (thrown.constructor === Error) return new CommandFailure("failed", thrown.message);
  return new CommandFailure("unexpected", `internal error; please report it: ${thrown.stack}`);
}

/** Reports a failure on standard error, and with `--json` on standard output too. Returns the exit status. */
export function reportFailure(thrown: unknown, words: readonly string[], io: CommandIo): 0 | 1 | 2 {
  if (thrown instanceof ReportedFailure) return 1;
  const failure = toFailure(thrown);
  if (failure === undefined) return 0;
  // Commander has already printed its own errors.
  if (failure.code !== "usage") io.err(`${failure.message.replace(/^/gm, "error: ")}\n`);
  if (words.includes("--json")) writeJson(io, { error: { code: failure.code, message: failure.message } });
  return failure.status;
}

/** The failure for an unknown key. */
export function keyNotFound(id: string): CommandFailure {
  return new CommandFailure("not_found", `key ${id} not found; see: npx plaza key list`);
}

/** The failure for a revoked key. */
export function keyRevoked(id: string): CommandFailure {
  return new CommandFailure(
    "key_revoked",
    `key ${id} is permanently revoked; create another one with: npx plaza key create`,
  );
}
