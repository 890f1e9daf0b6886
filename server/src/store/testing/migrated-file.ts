/**
 * SQLite files that are migrated already, for tests: to copy one is thirty times faster than to run every
 * migration. The first test that needs one makes it and keeps it beside the installed packages, under a name
 * that changes with the migrations.
 */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrations } from "../migrations/index.ts";
import { openStoreInProcess } from "../open.ts";

const cache = fileURLToPath(new URL("../../../../node_modules/.cache/plaza-tests/", import.meta.url));
const digest = createHash("sha256").update(JSON.stringify(migrations)).digest("hex").slice(0, 16);
const template = join(cache, `migrated-${digest}.sqlite`);

async function makeTemplate(): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "making-"));
  try {
    const file = join(folder, "plaza.sqlite");
    const store = await openStoreInProcess({
      database: { kind: "sqlite", file },
      secretKey: Buffer.alloc(32),
    });
    await store.migrate();
    // The last connection moves the log into the file and removes it.
    await store.close();
    // Another process may have made the same one in the meantime.
    renameSync(file, template);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates a migrated database without rows, which must not exist yet. */
export async function createMigratedFile(file: string): Promise<void> {
  if (!existsSync(template)) await makeTemplate();
  copyFileSync(template, file);
}
