/** `plaza connect`: the catalog file on disk: read, and replaced whole or not at all. */
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

/** undefined: there is no such file. */
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

/** The file itself where the path is a link to it; its rights go over to what takes its place. */
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
 * Puts `text` in the place of `before` (undefined: of nothing). Whoever reads the file meanwhile sees the old
 * or the new text whole. Throws `changed_meanwhile` where the file is not `before` any more.
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
    // A link, unlike a rename, never replaces a file that has just come to be.
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
