/** `plaza backup`: the commands and their options. create.ts, verify.ts and restore.ts run them. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandIo } from "../command-io.ts";
import { addStoreSettings } from "../with-store.ts";
import type { CreateFlags } from "./create.ts";
import type { PassphraseFlags } from "./passphrase.ts";
import type { RestoreFlags } from "./restore.ts";
import type { VerifyFlags } from "./verify.ts";

const keptMax = 10_000;

function readCount(text: string): number {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > keptMax)
    throw new InvalidArgumentError(`Give a whole number from 1 to ${keptMax}.`);
  return count;
}

function addPassphrase(command: Command, purpose: string): Command {
  return command
    .option("--passphrase-file <file>", `${purpose}: the first line of this file`)
    .addOption(
      new Option("--passphrase-from <variable>", `${purpose}: the value of this variable`).conflicts(
        "passphraseFile",
      ),
    );
}

const createHelp = `
Works while servers run and does not hold them up. Needs twice the size of the database in DIRECTORY meanwhile. The sealing
key is not in a backup unless --with-key puts it there: then every reader of the backup can read the credentials
of all upstreams, so give a passphrase, too. PostgreSQL has its own tools: docs/operate/backup.md.

Examples:
  $ npx plaza backup create /var/backups/plaza
  $ npx plaza backup create /var/backups/plaza --passphrase-file /etc/plaza/backup-passphrase --keep 14
  $ npx plaza backup create s3://my-bucket/plaza --passphrase-from BACKUP_PASSPHRASE
`;

const verifyHelp = `
Reads the whole backup, opens a copy of its database, and checks it as plaza ledger verify does. Changes nothing. With
--database (or PLAZA_DATABASE) instead of a backup it checks a database that was restored by other means, such as
PostgreSQL's.
Exit status: 0 good, 1 not, with reasons.

Examples:
  $ npx plaza backup verify /var/backups/plaza/plaza-20261127T102008Z.plazabackup
  $ npx plaza backup verify --database postgres://plaza@db/restored
`;

const restoreHelp = `
Verifies the backup first. Restores into a data folder without a database; with --force, a database and journal that are
there get another name. Stop all servers of the data folder before. What was written after the backup is lost, and the
command says how much; docs/operate/backup.md says what to do about it.

Examples:
  $ npx plaza backup restore /var/backups/plaza/plaza-20261127T102008Z.plazabackup --data ./data
  $ npx plaza backup restore s3://my-bucket/plaza/plaza-20261127T102008Z.plazabackup --force
`;

export function addBackup(program: Command, io: CommandIo): void {
  const backup = program
    .command("backup")
    .description("Back up the database and the journal, check backups, restore one.");
  const create = backup
    .command("create")
    .description("Make a backup while servers run.")
    .argument("<directory>", "directory for backups, or s3://bucket/prefix")
    .option("--with-key", "put the sealing key into the backup, too")
    .option("--keep <number>", "verify the backup, then remove all but the newest ones", readCount)
    .option("--json", "print JSON")
    .addHelpText("after", createHelp);
  addStoreSettings(addPassphrase(create, "encrypt with a passphrase")).action(
    async (directory: string, flags: CreateFlags & PassphraseFlags) =>
      (await import("./create.ts")).create(io, directory, flags),
  );
  const verify = backup
    .command("verify")
    .description("Check a backup, or a restored database.")
    .argument("[backup]", "file of a backup, or s3://bucket/key")
    .option("--json", "print JSON")
    .addHelpText("after", verifyHelp);
  addStoreSettings(addPassphrase(verify, "passphrase")).action(
    async (file: string | undefined, flags: VerifyFlags & PassphraseFlags) =>
      (await import("./verify.ts")).verify(io, file, flags),
  );
  const restore = backup
    .command("restore")
    .description("Restore a backup.")
    .argument("<backup>", "file of a backup, or s3://bucket/key")
    .option("--force", "move aside the database and journal that are there")
    .option("--accept-findings", "restore a backup whose ledger does not balance")
    .option("--json", "print JSON")
    .addHelpText("after", restoreHelp);
  addStoreSettings(addPassphrase(restore, "passphrase")).action(
    async (file: string, flags: RestoreFlags & PassphraseFlags) =>
      (await import("./restore.ts")).restore(io, file, flags),
  );
}
