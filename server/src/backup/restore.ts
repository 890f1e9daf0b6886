/**
 * Restores a backup into a data folder that has no database, or moves aside what is there. The database gets
 * its name last: until then, nothing is restored.
 */
import { copyFile, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fingerprintsOf } from "../lib/secret.ts";
import type { Clock } from "../lib/time/clock.ts";
import { countLost, countServers } from "../store/backup/facts.ts";
import { placeJournals } from "../store/backup/journals.ts";
import { endSessions } from "../store/backup/restored.ts";
import { newestSchema } from "../store/migrations/index.ts";
import { databasePart, journalFolder, keyPart } from "./container/parts.ts";
import type { OnProgress } from "./create.ts";
import { BackupError } from "./error.ts";
import type { Manifest } from "./manifest.ts";
import { syncDirectory, syncFile } from "./places/directory.ts";
import { requireSound, unpackChecked } from "./verify.ts";
import { requireRoom, withWorkFolder } from "./work-folder.ts";

export interface RestoreOptions {
  readonly source: AsyncIterable<Buffer>;
  readonly sourceBytes: number;
  readonly passphrase: string | undefined;
  /** The SQLite file to restore; its directory is created. */
  readonly database: string;
  readonly journal: string;
  readonly keyFile: string;
  /** The key by setting, which is used instead of the file. */
  readonly givenKey: Uint8Array | undefined;
  /** Restores also what the check of the ledger finds fault with. */
  readonly acceptsFindings: boolean;
  /** Moves a database and journals that are there aside, instead of refusing. */
  readonly isForced: boolean;
  readonly clock: Clock;
  readonly onProgress: OnProgress;
}

export interface Restored {
  readonly manifest: Manifest;
  /** Seconds between the backup and now. */
  readonly lostSeconds: number;
  /**
   * Requests of the database that was there which are not in the backup; undefined when none was readable.
   */
  readonly lostRequests: number | undefined;
  /** What was there before, under its new names. */
  readonly movedTo: readonly string[];
  /**
   * `restored`: it was in the backup. `other` and `missing`: credentials cannot be opened with what is there.
   */
  readonly key: "fits" | "restored" | "missing" | "other" | "not_recorded";
  /** What the check of the ledger found, if that was accepted. */
  readonly findings: readonly string[];
  readonly isOlderSchema: boolean;
}

const databaseEnds = ["", "-wal", "-shm", "-journal"];

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** The database's files and the journals that a restore would replace. */
async function findPresent({ database, journal }: RestoreOptions): Promise<string[]> {
  const present: string[] = [];
  for (const end of databaseEnds) if (await isThere(database + end)) present.push(database + end);
  const journals = await readdir(journal).catch(() => []);
  if (journals.length > 0) present.push(journal);
  return present;
}

function requireUnused({ database, clock }: RestoreOptions): void {
  let servers = 0;
  try {
    servers = countServers(database, clock.wallMs());
  } catch {
    // Not readable: it is damaged, which may be why a backup is restored.
  }
  if (servers === 0) return;
  throw new BackupError(
    "in_use",
    `a server uses ${database}, or did less than 45 seconds ago: stop it, or wait if it was killed, then run the command again`,
  );
}

/** Throws unless the restore may begin; returns what has to be moved aside. */
async function requireEmpty(options: RestoreOptions): Promise<readonly string[]> {
  const present = await findPresent(options);
  if (present.length === 0) return present;
  if (!options.isForced) {
    throw new BackupError(
      "not_empty",
      `${present[0]} is there already: give an empty data folder with --data, or run it with --force, which keeps what is there under another name`,
    );
  }
  if (present.includes(options.database)) requireUnused(options);
  return present;
}

/** Puts the key into place if it was in the backup and none is there, and compares it with the database's. */
async function restoreKey(
  options: RestoreOptions,
  folder: string,
  manifest: Manifest,
): Promise<Restored["key"]> {
  const { keyFile, givenKey } = options;
  const { fingerprint, isIncluded } = manifest.sealingKey;
  const hasFile = await isThere(keyFile);
  const isRestored = isIncluded && givenKey === undefined && !hasFile;
  if (isRestored) {
    await mkdir(dirname(keyFile), { recursive: true, mode: 0o700 });
    await copyFile(join(folder, keyPart), keyFile);
    await syncFile(keyFile);
    await syncDirectory(dirname(keyFile));
  }
  if (fingerprint === null) return "not_recorded";
  if (givenKey === undefined && !hasFile && !isRestored) return "missing";
  const keys = givenKey ?? (await readFile(keyFile));
  if (!fingerprintsOf(keys).includes(fingerprint)) return "other";
  return isRestored ? "restored" : "fits";
}

const stampOf = (unixMs: number): string => new Date(unixMs).toISOString().slice(0, 19).replace(/[-:]/g, "");

/** How many requests of the database that was there are gone; undefined when it cannot be read. */
function countGone(before: string | undefined, restored: string): number | undefined {
  if (before === undefined) return undefined;
  try {
    return countLost(before, restored);
  } catch {
    return undefined;
  }
}

/** Moves everything into place: what was there first, then the journals, and the database last. */
async function place(
  options: RestoreOptions,
  present: readonly string[],
  folder: string,
): Promise<readonly string[]> {
  const { database, journal, clock } = options;
  const aside = `.replaced-${stampOf(clock.wallMs())}Z`;
  // SQLite finds the log of a database by the database's name.
  const movedOf = (path: string): string => {
    const end = databaseEnds.find((one) => path === database + one);
    return end === undefined ? path + aside : database + aside + end;
  };
  for (const path of present) await rename(path, movedOf(path));
  const before = present.includes(journal) ? [movedOf(journal)] : [];
  // Settlements of the folder that was there are earned as well; those that the backup has are skipped.
  await placeJournals([join(folder, journalFolder), ...before], `${journal}.restoring`);
  await rename(`${journal}.restoring`, journal);
  await syncDirectory(dirname(journal));
  await rename(join(folder, databasePart), database);
  await syncDirectory(dirname(database));
  return present.map(movedOf);
}

/**
 * Verifies a backup and restores it. Throws BackupError before anything is changed when it cannot be; a
 * restore that is killed leaves no database under the right name.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { source, sourceBytes, passphrase, database, journal, clock, onProgress } = options;
  const present = await requireEmpty(options);
  const home = dirname(database);
  for (const directory of [home, dirname(journal)]) await mkdir(directory, { recursive: true, mode: 0o700 });
  await requireRoom(home, sourceBytes, "restoring the backup");
  return withWorkFolder(home, clock.wallMs(), async (folder) => {
    const unpack = { source, sourceBytes, passphrase, folder, clock, onProgress };
    const { manifest, findings } = await unpackChecked(unpack);
    if (!options.acceptsFindings) requireSound(findings);
    const restored = join(folder, databasePart);
    const lostRequests = countGone(present.includes(database) ? database : undefined, restored);
    endSessions(restored);
    await syncFile(restored);
    const key = await restoreKey(options, folder, manifest);
    // What a restore that was killed had begun.
    await rm(`${journal}.restoring`, { recursive: true, force: true });
    const movedTo = await place(options, present, folder);
    return {
      manifest,
      lostSeconds: Math.max(0, Math.round((clock.wallMs() - Date.parse(manifest.createdAt)) / 1_000)),
      lostRequests,
      movedTo,
      key,
      findings,
      isOlderSchema: manifest.database.schema < newestSchema(),
    };
  });
}
