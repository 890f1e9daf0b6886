/**
 * Writes the rows of a day into a file of the archive's folder. A process that is killed leaves a file whose
 * name ends in `.part`; the next one begins the day again.
 */
import { open, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "../../error.ts";
import type { Archive, ArchiveFormat } from "../shapes.ts";
import { writeCsv } from "./csv.ts";
import { writeParquet } from "./parquet-writer.ts";
import { type ArchiveTable, digestOf, type WriteTable, type WrittenRows } from "./table.ts";

export const dayMs = 86_400_000;

const formats: Readonly<Record<ArchiveFormat, { readonly ending: string; readonly write: WriteTable }>> = {
  csv: { ending: "csv.gz", write: writeCsv },
  parquet: { ending: "parquet", write: writeParquet },
};

/** Which file: a UTC day in days since 1970, and its number among the files of that day, from 1. */
export interface Part {
  readonly day: number;
  readonly part: number;
}

/** `2026-11-27`. */
export const dayText = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** `requests-2026-11-27.csv.gz`; further parts of a day have their number before the ending. */
export const fileName = (what: string, { day, part }: Part, format: ArchiveFormat): string =>
  `${what}-${dayText(day)}${part === 1 ? "" : `.${part}`}.${formats[format].ending}`;

/** Makes a renamed file survive a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * Gives another name to a file that is there and has something else in it: after a restore of a backup, a day
 * may have fewer rows than when it was archived.
 */
async function keepOther(path: string, digest: string): Promise<void> {
  if (!(await isThere(path))) return;
  const before = await digestOf(path);
  if (before !== digest) await rename(path, `${path}.replaced-${before.slice(0, 12)}`);
}

/**
 * Writes a file and reads it back. Rejects with StoreError `archive_failed` when it cannot, and with what
 * reading the rows rejects with. `what`: the rows, for the message.
 */
export async function writeArchive(
  { folder, format }: Archive,
  name: string,
  what: string,
  table: ArchiveTable,
): Promise<WrittenRows & { readonly bytes: number }> {
  const path = join(folder, name);
  const unfinished = `${path}.part`;
  try {
    const written = await formats[format].write(unfinished, table);
    await keepOther(path, written.digest);
    await rename(unfinished, path);
    await syncFolder(folder);
    return { ...written, bytes: (await stat(path)).size };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      "archive_failed",
      `${what} cannot be archived in ${folder}, so none are removed: ${reason}. Check that the folder is there, has room and may be written by the user Plaza runs as`,
      { cause: error },
    );
  }
}
