/**
 * Copies the journals of a data folder while processes write them, and puts copies where a start finds them.
 * `journal/` has what a journal is.
 */
import { copyFile, mkdir, open, readdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import { openJournalFile } from "../journal/file.ts";
import { at, type RequestValue, valuesPerRequest } from "../requests/row.ts";

/** Settlements and refused lines; nothing else in the folder is kept. */
const journalName = /^(?:journal|rejected)-[\w-]+\.jsonl$/;
const isJournal = (name: string): boolean => journalName.test(name);
const rowsPerStep = 500;
/** A file is renamed when another process takes it over; then the folder is read again. */
const attemptsMax = 20;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

export interface JournalCopy {
  /** Names of the files in the copy. */
  readonly names: readonly string[];
  readonly settlements: number;
  /** Ids of the requests that are settled in them: the first `idsMax`. */
  readonly ids: readonly string[];
}

async function copyOnce(directory: string, target: string): Promise<readonly string[] | undefined> {
  const found = await readdir(directory).catch((error) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const names = found.filter(isJournal).sort();
  for (const name of names) {
    try {
      await copyFile(join(directory, name), join(target, name));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
  return names;
}

/** Adds the ids of a file's settlements; returns how many it has. Removes the file when it is empty. */
async function readSettlements(path: string, ids: string[], idsMax: number): Promise<number> {
  const file = await openJournalFile(path);
  const { bytes } = file;
  let count = 0;
  try {
    for (let offset = 0; offset < bytes; ) {
      const { values, strange, next } = await file.read(offset, rowsPerStep);
      if (next === offset) break;
      offset = next;
      count += values.length / valuesPerRequest + strange.length;
      for (let row = 0; row < values.length && ids.length < idsMax; row += valuesPerRequest)
        ids.push(String((values as RequestValue[])[row + at.id]));
    }
  } finally {
    await file.close();
  }
  // A line that was being written is not acknowledged yet.
  if (bytes > 0) await truncate(path, bytes);
  return count;
}

/**
 * Copies the journals of `directory` into the empty folder `target`. Everything acknowledged before the call
 * is in the copy, or in the database when the call returns: copy the database afterwards.
 */
export async function copyJournals(directory: string, target: string, idsMax: number): Promise<JournalCopy> {
  await mkdir(target, { recursive: true, mode: 0o700 });
  let names: readonly string[] | undefined;
  for (let attempt = 0; names === undefined; attempt += 1) {
    if (attempt === attemptsMax) throw new Error(`the journals in ${directory} keep changing; try again`);
    names = await copyOnce(directory, target);
  }
  return await readJournals(target, idsMax);
}

/** Reads what the journals of a folder hold that no process uses; removes empty ones. */
export async function readJournals(directory: string, idsMax: number): Promise<JournalCopy> {
  const ids: string[] = [];
  let settlements = 0;
  const found = (await readdir(directory)).filter(isJournal).sort();
  for (const name of found) {
    if (!name.startsWith("journal-")) continue;
    settlements += await readSettlements(join(directory, name), ids, idsMax);
  }
  const names = (await readdir(directory)).filter(isJournal).sort();
  return { names, settlements, ids };
}

/**
 * No process has this number: the largest on Linux is 2^22. So a start takes the file over, on whatever
 * machine.
 */
const nobody = 999_999_999;

/** Moves the journals of `from` into the folder `directory`, under names that the next start takes over. */
export async function placeJournals(from: readonly string[], directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  let number = 0;
  for (const folder of from) {
    const names = await readdir(folder).catch((error) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for (const name of names.filter(isJournal).sort()) {
      const kind = name.startsWith("journal-") ? `journal-${nobody}-0` : "rejected-restored";
      await copyFile(join(folder, name), join(directory, `${kind}-${number}.jsonl`));
      const copy = await open(join(directory, `${kind}-${number}.jsonl`), "r+");
      await copy.chmod(0o600);
      await copy.sync();
      await copy.close();
      number += 1;
    }
  }
}
