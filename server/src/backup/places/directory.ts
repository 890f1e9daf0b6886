/** Backups in a directory. A file gets its name when all of it is on the disk, so a killed one has none. */
import { createReadStream } from "node:fs";
import { access, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { BackupError } from "../error.ts";
import { type BackupPlace, isBackupName, type Upload } from "./place.ts";

const readBytes = 1024 ** 2;

/** Makes names durable. Some systems cannot open a directory and do not need it. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** Makes the content of a file durable. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The bytes of a file. Rejects with the system's error when it cannot be read. */
export const readFileBytes = (path: string): AsyncIterable<Buffer> =>
  createReadStream(path, { highWaterMark: readBytes });

async function begin(directory: string, name: string, folder: string): Promise<Upload> {
  const path = join(directory, name);
  const temporary = join(folder, name);
  const file = await open(temporary, "wx", 0o600);
  return {
    write: (bytes) => file.writeFile(bytes),
    async commit() {
      await file.sync();
      await file.close();
      const isTaken = await access(path).then(
        () => true,
        () => false,
      );
      if (isTaken) throw new BackupError("exists", `${path} exists already: run the command again`);
      await rename(temporary, path);
      await syncDirectory(directory);
    },
    async abandon() {
      await file.close().catch(() => {});
    },
  };
}

/** Opens a directory for backups; creates it, for its owner only. */
export async function openDirectory(directory: string): Promise<BackupPlace> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return {
    shown: directory,
    workFolder: directory,
    isOnDisk: true,
    begin: (name, folder) => begin(directory, name, folder),
    list: async () => (await readdir(directory)).filter(isBackupName).sort(),
    read: (name) => readFileBytes(join(directory, name)),
    async remove(name) {
      await rm(join(directory, name));
      await syncDirectory(directory);
    },
  };
}
