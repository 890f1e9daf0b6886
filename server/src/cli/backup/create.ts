/** `plaza backup create`. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Created, createBackup, type OnProgress, removeOlder } from "../../backup/create.ts";
import { BackupError } from "../../backup/error.ts";
import { openPlace } from "../../backup/places/index.ts";
import type { BackupPlace } from "../../backup/places/place.ts";
import { requireSound, unpackChecked } from "../../backup/verify.ts";
import { withWorkFolder } from "../../backup/work-folder.ts";
import { type Config, environmentName, secretKeyFile } from "../../config/config.ts";
import type { CommandIo } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";
import { counted, writeJson } from "../output.ts";
import { readSettings } from "../settings-options.ts";
import { storeSettings } from "../with-store.ts";
import { type PassphraseFlags, readPassphrase, requireStrong } from "./passphrase.ts";
import { shownBytes, showProgress } from "./progress.ts";

export interface CreateFlags {
  readonly withKey?: boolean;
  readonly keep?: number;
  readonly json?: boolean;
}

/** The SQLite file of the settings. Throws for PostgreSQL. */
export function sqliteFileOf({ database }: Config, what: "create" | "restore"): string {
  if (database.kind === "sqlite") return database.file;
  throw new CommandFailure(
    "postgres",
    what === "create"
      ? "this database is on PostgreSQL: back it up with pg_dump or pg_basebackup, and the folder data/journal with it, as docs/operate/backup.md says; check what you restored with: npx plaza backup verify --database postgres://…"
      : "plaza backup restore restores SQLite databases: give a file with --database sqlite:FILE; docs/operate/backup.md says how PostgreSQL is restored",
  );
}

export const journalOf = ({ dataDir }: Config): string => join(dataDir, "journal");

/** The key file that `--with-key` puts into the backup. */
function keyFileOf(config: Config, { withKey }: CreateFlags): string | undefined {
  if (withKey !== true) return undefined;
  const file = secretKeyFile(config);
  if (config.secretKey !== undefined) {
    const message = `the sealing key comes from ${environmentName("secretKey")}, not from a file: run it without --with-key, and keep the key where the variable comes from`;
    throw new CommandFailure("key_from_environment", message);
  }
  if (existsSync(file)) return file;
  throw new CommandFailure("not_found", `${file}: no such file; run it without --with-key`);
}

/**
 * Checks the new backup as `plaza backup verify` does, and throws if it is not good. One that is damaged is
 * removed; one with an unsound ledger is kept, since the live database has the same fault.
 */
async function verifyNew(
  io: CommandIo,
  place: BackupPlace,
  { name, bytes }: Created,
  passphrase: string | undefined,
  onProgress: OnProgress,
): Promise<void> {
  const { clock } = io;
  try {
    const { findings } = await withWorkFolder(place.workFolder, clock.wallMs(), (folder) => {
      const source = place.read(name);
      return unpackChecked({ source, sourceBytes: bytes, passphrase, folder, clock, onProgress });
    });
    requireSound(findings);
  } catch (error) {
    const isKept = error instanceof BackupError && error.code === "unsound";
    if (!isKept) await place.remove(name);
    const fate = isKept ? "stays, and no older one was removed" : "was removed; older ones stay";
    io.err(`error: the new backup ${name} is not good; it ${fate}\n`);
    throw error;
  }
}

export async function create(
  io: CommandIo,
  directory: string,
  flags: CreateFlags & PassphraseFlags,
): Promise<void> {
  const config = readSettings(io, flags, storeSettings);
  const database = sqliteFileOf(config, "create");
  if (!existsSync(database)) throw new CommandFailure("not_found", `${database}: no such file`);
  const passphrase = await readPassphrase(io, flags);
  requireStrong(passphrase);
  const keyFile = keyFileOf(config, flags);
  const place = await openPlace(directory, io.env);
  const { onProgress, end } = await showProgress(io);
  try {
    const { clock } = io;
    const journal = journalOf(config);
    const startedMs = clock.elapsedMs();
    const wallMs = () => clock.wallMs();
    const made = await createBackup({ database, journal, keyFile, passphrase, place, wallMs, onProgress });
    const { name, bytes, manifest } = made;
    let removed: string[] = [];
    if (flags.keep !== undefined) {
      await verifyNew(io, place, made, passphrase, onProgress);
      removed = await removeOlder(place, name, flags.keep);
    }
    end();
    const ms = Math.round(clock.elapsedMs() - startedMs);
    const path = place.isOnDisk ? join(place.shown, name) : `${place.shown}/${name}`;
    if (keyFile !== undefined && passphrase === undefined)
      io.err(
        "warning: this backup has the sealing key and no passphrase: every reader of it can read the credentials of all upstreams\n",
      );
    if (flags.json === true) {
      writeJson(io, { backup: path, bytes, ms, isEncrypted: passphrase !== undefined, removed, manifest });
      return;
    }
    io.out(`Made ${path}: ${shownBytes(bytes)} in ${(ms / 1_000).toFixed(1)} s.\n`);
    io.out(
      `It has ${counted(manifest.database.requests, "request", "requests")} and ${counted(manifest.journal.settlements, "settlement", "settlements")} of the journal.\n`,
    );
    if (removed.length > 0) io.out(`Removed ${counted(removed.length, "older one", "older ones")}.\n`);
    if (keyFile === undefined && config.secretKey === undefined && manifest.sealingKey.fingerprint !== null)
      io.out(
        `Not in it: the sealing key ${manifest.sealingKey.fingerprint}. Keep a copy of ${secretKeyFile(config)} elsewhere.\n`,
      );
  } finally {
    end();
  }
}
