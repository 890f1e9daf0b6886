/** Reads a credential from the file that a catalog file names, as `file:/run/secrets/openai`. */
import { readFileSync, statSync } from "node:fs";
import type { ReadSecret } from "../domain/catalog/file/reading.ts";

const bytesMax = 64 * 1024;

/** The file's text without its last line end, or a code like `EACCES`. Only regular files are read. */
export const readSecret: ReadSecret = (path) => {
  try {
    // A device or a pipe might never end.
    const about = statSync(path);
    if (!about.isFile()) return { code: "EISDIR" };
    if (about.size > bytesMax) return { code: "EFBIG" };
    return { text: readFileSync(path, "utf8").replace(/\r?\n$/, "") };
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? "EIO" };
  }
};
