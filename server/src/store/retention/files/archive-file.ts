/**
 * Writes the rows of a day into a file of the archive, in a folder or a bucket. A process that is killed
 * leaves a file whose name ends in `.part`, or an upload that is not completed; the next one begins the day
 * again.
 */
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "../../error.ts";
import type { Archive, ArchiveBucket, ArchiveFormat } from "../shapes.ts";
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

type WrittenFile = WrittenRows & { readonly bytes: number };

/** Writes a file into the folder, where it stays. */
async function writeInFolder({ folder, format }: Archive, name: string, table: ArchiveTable) {
  const path = join(folder, name);
  const unfinished = `${path}.part`;
  const written = await formats[format].write(unfinished, table);
  await keepOther(path, written.digest);
  await rename(unfinished, path);
  await syncFolder(folder);
  return { ...written, bytes: (await stat(path)).size };
}

/** Writes a file into the folder and from there into the bucket. The folder is gone afterwards. */
async function writeInBucket(
  { folder, format }: Archive,
  bucket: ArchiveBucket,
  name: string,
  table: ArchiveTable,
): Promise<WrittenFile> {
  // Loaded here, because most archives need neither a network nor signatures.
  const { storeInBucket } = await import("./archive-bucket.ts");
  const path = join(folder, name);
  try {
    await mkdir(folder, { recursive: true });
    const written = await formats[format].write(path, table);
    const { size: bytes } = await stat(path);
    await storeInBucket(bucket, name, { path, bytes, digest: written.digest });
    return { ...written, bytes };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const folderAdvice = "Check that the folder is there, has room and may be written by the user Plaza runs as";
const bucketAdvice = "It is tried again every hour";

/**
 * Writes a file and reads it back. Rejects with StoreError `archive_failed` when it cannot, and with what
 * reading the rows rejects with. `what`: the rows, for the message.
 */
export async function writeArchive(
  archive: Archive,
  name: string,
  what: string,
  table: ArchiveTable,
): Promise<WrittenFile> {
  const { folder, bucket } = archive;
  try {
    if (bucket === undefined) return await writeInFolder(archive, name, table);
    return await writeInBucket(archive, bucket, name, table);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const [place, advice] = bucket === undefined ? [folder, folderAdvice] : [bucket.address, bucketAdvice];
    throw new StoreError(
      "archive_failed",
      `${what} cannot be archived in ${place}, so none are removed: ${reason}. ${advice}`,
      { cause: error },
    );
  }
}
