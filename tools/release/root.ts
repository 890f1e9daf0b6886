/** The checkout that is released, and its lock file. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

export interface LockEntry {
  readonly version: string;
  /** Checksum of the package as the registry has it: `sha512-` and base64. */
  readonly integrity: string;
  readonly license?: string;
}

export const lockBytes = readFileSync(join(root, "package-lock.json"));

/** Entries by path, such as `node_modules/undici`. */
export const lockEntries = (JSON.parse(lockBytes.toString()) as { packages: Record<string, LockEntry> })
  .packages;
