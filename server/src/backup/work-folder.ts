/** Folders for what is unpacked or copied meanwhile, and whether there is room in them. */
import { rmSync } from "node:fs";
import { mkdtemp, readdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { BackupError } from "./error.ts";

const prefix = ".plaza-backup-";
/** What a killed command left is removed by a later one; no command takes this long. */
const leftForMs = 24 * 60 * 60_000;
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MiB`;

/** Throws BackupError `disk_full` unless the disk of `directory` has `bytes` free. */
export async function requireRoom(directory: string, bytes: number, purpose: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new BackupError(
    "disk_full",
    `${purpose} needs ${mebibytes(bytes)} in ${directory}, and ${mebibytes(free)} are free: free some space, or give another directory`,
  );
}

async function removeLeft(directory: string, nowMs: number): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(directory, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: nowMs }));
    if (nowMs - mtimeMs > leftForMs) await rm(path, { recursive: true, force: true });
  }
}

/** Removes the folder when the command is interrupted. Returns the function that ends this. */
function removeWhenStopped(folder: string): () => void {
  const stop = (signal: NodeJS.Signals): void => {
    rmSync(folder, { recursive: true, force: true });
    end();
    process.kill(process.pid, signal);
  };
  const end = (): void => {
    for (const signal of signals) process.off(signal, stop);
  };
  for (const signal of signals) process.on(signal, stop);
  return end;
}

/** Runs `work` with a new folder in `directory`, which is removed afterwards, also after a failure. */
export async function withWorkFolder<T>(
  directory: string,
  nowMs: number,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  await removeLeft(directory, nowMs);
  const folder = await mkdtemp(join(directory, prefix));
  const end = removeWhenStopped(folder);
  try {
    return await work(folder);
  } finally {
    end();
    await rm(folder, { recursive: true, force: true });
  }
}
