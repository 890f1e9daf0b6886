/** `plaza backup verify`: a backup, or a database that was restored by other means. */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { openBackup } from "../../backup/places/index.ts";
import { requireSound, unpackChecked } from "../../backup/verify.ts";
import { requireRoom, withWorkFolder } from "../../backup/work-folder.ts";
import { environmentName } from "../../config/config.ts";
import { reportLedger } from "../accounts/ledger-verify.ts";
import type { CommandIo } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";
import { counted, shortTime, writeJson } from "../output.ts";
import { readSettings } from "../settings-options.ts";
import { storeSettings } from "../with-store.ts";
import { type PassphraseFlags, readPassphrase } from "./passphrase.ts";
import { showProgress } from "./progress.ts";

export interface VerifyFlags {
  readonly database?: string;
  readonly json?: boolean;
}

async function verifyDatabase(io: CommandIo, flags: VerifyFlags): Promise<void> {
  const { database } = readSettings(io, flags, storeSettings);
  if (database.kind === "sqlite" && !existsSync(database.file))
    throw new CommandFailure("not_found", `${database.file}: no such file`);
  const { openStoreInProcess } = await import("../../store/open.ts");
  // Nothing is sealed or opened by a check, so any key does.
  const store = await openStoreInProcess({ database, secretKey: Buffer.alloc(32), clock: io.clock });
  try {
    const { missing, refusal } = await store.readMigrations();
    if (refusal !== null && missing.length === 0) throw new CommandFailure(refusal.code, refusal.message);
    if (missing.length > 0) {
      const message =
        "the database is empty or has an older schema: if it is the restored one, run plaza migrate on it first, then check it";
      throw new CommandFailure("older_schema", message);
    }
    await store.checkFile(Number.POSITIVE_INFINITY);
    reportLedger(io, await store.verifyLedger(), flags);
  } finally {
    await store.close();
  }
}

async function verifyBackup(
  io: CommandIo,
  file: string,
  flags: VerifyFlags & PassphraseFlags,
): Promise<void> {
  const passphrase = await readPassphrase(io, flags);
  const { source, bytes } = await openBackup(file, io.env);
  const { clock } = io;
  await requireRoom(tmpdir(), bytes, "verifying the backup (TMPDIR names another directory)");
  const { onProgress, end } = await showProgress(io);
  try {
    const { manifest, ledger, findings } = await withWorkFolder(tmpdir(), clock.wallMs(), (folder) =>
      unpackChecked({ source, sourceBytes: bytes, passphrase, folder, clock, onProgress }),
    );
    end();
    requireSound(findings);
    if (flags.json === true) {
      writeJson(io, { ok: true, bytes, manifest });
      return;
    }
    const { database, journal, createdAt } = manifest;
    io.out(
      `The backup is good. It is from ${shortTime(Date.parse(createdAt))} UTC, schema ${database.schema}, with ${counted(ledger.accounts, "account", "accounts")}, ${counted(ledger.entries, "ledger entry", "ledger entries")}, ${counted(database.requests, "request", "requests")} and ${counted(journal.settlements, "settlement", "settlements")} of the journal. All sums are correct.\n`,
    );
  } finally {
    end();
  }
}

export async function verify(
  io: CommandIo,
  file: string | undefined,
  flags: VerifyFlags & PassphraseFlags,
): Promise<void> {
  if (file !== undefined && flags.database !== undefined)
    throw new CommandFailure("usage_both", "give a backup or --database, not both", 2);
  if (file !== undefined) return verifyBackup(io, file, flags);
  const variable = environmentName("database");
  if (flags.database !== undefined || io.env[variable] !== undefined) return verifyDatabase(io, flags);
  const message = `name a backup, or a restored database with --database or ${variable}`;
  throw new CommandFailure("usage_none", message, 2);
}
