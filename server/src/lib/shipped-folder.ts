/**
 * Reads files that are shipped with the program: from disk beside its code, or, in a single executable, from
 * the assets inside it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { getAssetKeys, getRawAsset, isSea } from "node:sea";

export interface ShippedFolder {
  /** Paths of all files, from the folder, with `/` between names; empty when the folder is missing. */
  list(): readonly string[];
  /** A file's bytes, which must not be written to; undefined when there is no such file. */
  read(path: string): Buffer | undefined;
}

const missing = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (missing.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

function onDisk(folder: string): ShippedFolder {
  const find = () => readdirSync(folder, { recursive: true, withFileTypes: true });
  return {
    list: () =>
      (unlessMissing(find) ?? [])
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/")),
    read: (path) => unlessMissing(() => readFileSync(join(folder, path))),
  };
}

function inExecutable(prefix: string): ShippedFolder {
  const keys = new Set(getAssetKeys().filter((key) => key.startsWith(prefix)));
  return {
    list: () => [...keys].map((key) => key.slice(prefix.length)),
    read: (path) => (keys.has(prefix + path) ? Buffer.from(getRawAsset(prefix + path)) : undefined),
  };
}

/**
 * Opens a folder by its absolute path, which ends with a slash. Inside a single executable, paths go on after
 * the path of the executable itself, so no file on disk can have them.
 */
export function openShippedFolder(folder: string): ShippedFolder {
  const inside = `${process.execPath}/`;
  return isSea() && folder.startsWith(inside) ? inExecutable(folder.slice(inside.length)) : onDisk(folder);
}
