/**
 * Makes a backup while servers run. First the journals are copied, then the database: a settlement moves from
 * the one to the other, so whatever was acknowledged before is in one of them, or in both, which does no
 * harm.
 */
import { copyFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type DatabaseFacts, readDatabaseFacts } from "../store/backup/facts.ts";
import { copyJournals, type JournalCopy } from "../store/backup/journals.ts";
import { copySqlite } from "../store/backup/snapshot.ts";
import { plazaVersion } from "../store/migrations/index.ts";
import { databasePart, journalFolder, keyPart, writeParts } from "./container/parts.ts";
import { idsListedMax, type Manifest, type PartSeal } from "./manifest.ts";
import { type BackupPlace, backupName } from "./places/place.ts";
import { requireRoom, withWorkFolder } from "./work-folder.ts";

/** Reports how far a step is: its share done, from 0 to 1. */
export type OnProgress = (step: string, share: number) => void;

export interface CreateOptions {
  /** The SQLite file. */
  readonly database: string;
  readonly journal: string;
  /** The key file to put into the backup; undefined: none. */
  readonly keyFile: string | undefined;
  readonly passphrase: string | undefined;
  readonly place: BackupPlace;
  readonly wallMs: () => number;
  readonly onProgress: OnProgress;
}

export interface Created {
  readonly name: string;
  readonly bytes: number;
  readonly manifest: Manifest;
}

const bytesOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

const isoOrNull = (unixMs: number | null): string | null =>
  unixMs === null ? null : new Date(unixMs).toISOString();

function manifestOf(
  createdMs: number,
  facts: DatabaseFacts,
  journals: JournalCopy,
  isKeyIncluded: boolean,
  parts: readonly PartSeal[],
): Manifest {
  return {
    format: 1,
    createdAt: new Date(createdMs).toISOString(),
    plazaVersion,
    database: {
      kind: "sqlite",
      schema: facts.schema,
      requests: facts.requests,
      lastRequestAt: isoOrNull(facts.lastRequestAt),
    },
    ledger: {
      accounts: facts.accounts,
      entries: facts.entries,
      balances: facts.balances,
      entriesSum: facts.entriesSum,
    },
    journal: { files: journals.names.length, settlements: journals.settlements, ids: [...journals.ids] },
    sealingKey: { fingerprint: facts.sealingKey, isIncluded: isKeyIncluded },
    parts: [...parts],
  };
}

async function copyAll(options: CreateOptions, folder: string) {
  const { database, journal, keyFile, onProgress } = options;
  const createdMs = options.wallMs();
  const journals = await copyJournals(journal, join(folder, journalFolder), idsListedMax);
  const copy = join(folder, databasePart);
  await copySqlite(database, copy, (share) => onProgress("copying the database", share));
  if (keyFile !== undefined) await copyFile(keyFile, join(folder, keyPart));
  const names = [
    databasePart,
    ...journals.names.map((name) => `${journalFolder}/${name}`),
    ...(keyFile === undefined ? [] : [keyPart]),
  ];
  return { createdMs, journals, names, facts: readDatabaseFacts(copy) };
}

/**
 * Makes a backup under a name of its own. Rejects with BackupError, StoreError or the system's error, and
 * then nothing is left that looks like one.
 */
export async function createBackup(options: CreateOptions): Promise<Created> {
  const { database, passphrase, place, wallMs, onProgress } = options;
  const { workFolder } = place;
  const size = (await stat(database)).size + (await bytesOf(`${database}-wal`));
  const twice = place.isOnDisk ? 2 : 1;
  await requireRoom(workFolder, twice * size, "making the backup");
  return withWorkFolder(workFolder, wallMs(), async (folder) => {
    const { createdMs, journals, names, facts } = await copyAll(options, folder);
    const name = backupName(createdMs);
    const upload = await place.begin(name, folder, size);
    let bytes = 0;
    try {
      const manifest = await writeParts({
        folder,
        names,
        complete: (parts) => manifestOf(createdMs, facts, journals, options.keyFile !== undefined, parts),
        passphrase,
        out: async (some) => {
          bytes += some.length;
          await upload.write(some);
        },
        onBytes: (done) => onProgress("writing the backup", Math.min(1, done / size)),
      });
      // Makes room for what is checked next.
      await rm(join(folder, databasePart));
      await upload.commit();
      return { name, bytes, manifest };
    } catch (error) {
      await upload.abandon();
      throw error;
    }
  });
}

/**
 * Removes the backups that are older than the newest `count` up to `newest`; returns their names. Later names
 * than that, from a clock that was ahead, are left alone.
 */
export async function removeOlder(place: BackupPlace, newest: string, count: number): Promise<string[]> {
  const older = (await place.list()).filter((name) => name <= newest).slice(0, -count);
  for (const name of older) await place.remove(name);
  return older;
}
