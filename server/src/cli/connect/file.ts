/** `plaza connect`: reads the catalog file and replaces it atomically. */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { CommandFailure } from "../failure.ts";

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** Returns undefined when the file does not exist. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const changed = (path: string): CommandFailure =>
  new CommandFailure(
    "changed_meanwhile",
    `another program changed ${path}; nothing was saved. Run plaza connect again`,
  );

/** Resolves links, and returns the permissions the new file should have. */
function fileTargetOf(path: string): { readonly path: string; readonly mode: number } {
  try {
    const real = realpathSync(path);
    return { path: real, mode: statSync(real).mode & 0o777 };
  } catch (error) {
    if (isMissing(error)) return { path, mode: 0o644 };
    throw error;
  }
}

/**
 * Replaces `before` (undefined: no file) with `text`. Readers see either the old or the new text, never a
 * mix. Throws `changed_meanwhile` when the file no longer equals `before`.
 */
export function replaceText(path: string, before: string | undefined, text: string): void {
  const place = fileTargetOf(path);
  const temporary = `${place.path}.${process.pid}.${randomBytes(6).toString("hex")}.new`;
  const descriptor = openSync(temporary, "wx", place.mode);
  try {
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (readText(place.path) !== before) throw changed(path);
    // Unlike a rename, a link never replaces a file that was created meanwhile.
    if (before === undefined) linkSync(temporary, place.path);
    else {
      renameSync(temporary, place.path);
      return;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw changed(path);
    throw error;
  } finally {
    if (readText(temporary) !== undefined) unlinkSync(temporary);
  }
}
