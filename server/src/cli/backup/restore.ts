/** `plaza backup restore`: restores, and says what is lost and what to do before the next start. */
import { openBackup } from "../../backup/places/index.ts";
import { type Restored, restoreBackup } from "../../backup/restore.ts";
import { type Config, environmentName, secretKeyFile } from "../../config/config.ts";
import type { CommandIo } from "../command-io.ts";
import { counted, shortTime, writeJson } from "../output.ts";
import { readSettings } from "../settings-options.ts";
import { repeatStoreSettings, storeSettings } from "../with-store.ts";
import { journalOf, sqliteFileOf } from "./create.ts";
import { type PassphraseFlags, readPassphrase } from "./passphrase.ts";
import { showProgress } from "./progress.ts";

export interface RestoreFlags {
  readonly force?: boolean;
  readonly acceptFindings?: boolean;
  readonly data?: string;
  readonly database?: string;
  readonly json?: boolean;
}

function keyText({ key, manifest }: Restored, config: Config): string {
  const { fingerprint } = manifest.sealingKey;
  const file = secretKeyFile(config);
  const other = `If the key is lost: npx plaza secret reset --yes, then enter the credentials of upstreams again (docs/operate/credentials.md).\n`;
  switch (key) {
    case "fits":
      return `The sealing key ${fingerprint} is there.\n`;
    case "restored":
      return `The sealing key ${fingerprint} was in the backup and is now ${file}.\n`;
    case "not_recorded":
      return "";
    case "missing":
      return `Before the start: copy the sealing key ${fingerprint} to ${file}, or set ${environmentName("secretKey")}. Without it no server starts. ${other}`;
    case "other":
      return `Before the start: the database belongs to the sealing key ${fingerprint}, and another one is there. Put the right one at ${file}, or set ${environmentName("secretKey")}; with another one no server starts. ${other}`;
  }
}

function lossText({ manifest, lostSeconds, lostRequests }: Restored): string {
  const { createdAt, database } = manifest;
  const last =
    database.lastRequestAt === null
      ? "It has no request."
      : `Its newest request is from ${shortTime(Date.parse(database.lastRequestAt))} UTC.`;
  const gone =
    lostRequests === undefined
      ? ""
      : ` The database that was here has ${counted(lostRequests, "request", "requests")} that it does not have; those in a journal are added at the start.`;
  return `The backup is from ${shortTime(Date.parse(createdAt))} UTC: what was written in the ${counted(lostSeconds, "second", "seconds")} since then is lost. ${last}${gone}\n`;
}

function textOf(restored: Restored, config: Config, flags: RestoreFlags): string {
  const { manifest, movedTo, isOlderSchema } = restored;
  const { settlements } = manifest.journal;
  return [
    `Restored ${counted(manifest.database.requests, "request", "requests")} and ${counted(manifest.ledger.accounts, "account", "accounts")}, with a balance of ${manifest.ledger.balances} USD in all.\n`,
    restored.findings.length === 0
      ? ""
      : `Its ledger does not balance: ${restored.findings[0]} (${counted(restored.findings.length, "finding", "findings")} in all)\n`,
    lossText(restored),
    settlements === 0
      ? ""
      : `The next start adds ${counted(settlements, "settlement", "settlements")} of the journal; those that are in the database are not charged again.\n`,
    isOlderSchema
      ? `Its schema is ${manifest.database.schema}: the next start of this Plaza migrates it.\n`
      : "",
    movedTo.length === 0 ? "" : `What was here is kept: ${movedTo.join(", ")}\n`,
    "All users are signed out of the console. Keys, tokens and passwords are as they were then: revoke again what was revoked since.\n",
    keyText(restored, config),
    `Check it after the start: npx plaza ledger verify${repeatStoreSettings(flags)}\n`,
  ].join("");
}

export async function restore(
  io: CommandIo,
  file: string,
  flags: RestoreFlags & PassphraseFlags,
): Promise<void> {
  const config = readSettings(io, flags, storeSettings);
  const database = sqliteFileOf(config, "restore");
  const passphrase = await readPassphrase(io, flags);
  const { source, bytes } = await openBackup(file, io.env);
  const { onProgress, end } = await showProgress(io);
  try {
    const restored = await restoreBackup({
      source,
      sourceBytes: bytes,
      passphrase,
      database,
      journal: journalOf(config),
      keyFile: secretKeyFile(config),
      givenKey: config.secretKey,
      acceptsFindings: flags.acceptFindings === true,
      isForced: flags.force === true,
      clock: io.clock,
      onProgress,
    });
    end();
    if (flags.json === true) writeJson(io, restored);
    else io.out(textOf(restored, config, flags));
  } finally {
    end();
  }
}
