/**
 * The `plaza` command: builds all commands, runs one and turns its result into messages and an exit status (0
 * done, 1 failed, 2 not understood). Must not end the process; main.ts does.
 */
import { Command } from "commander";
import { addAccount } from "./accounts/account.ts";
import { addLedger } from "./accounts/ledger.ts";
import { addPeople } from "./accounts/people.ts";
import { addTopup } from "./accounts/topup.ts";
import { addApply } from "./apply.ts";
import { addBackup } from "./backup/backup.ts";
import type { CommandIo } from "./command-io.ts";
import { addConnect } from "./connect/connect.ts";
import { addDoctor } from "./doctor/doctor.ts";
import { addExport } from "./export/export.ts";
import { reportFailure } from "./failure.ts";
import { addImport } from "./import/import.ts";
import { addKey } from "./keys/key.ts";
import { addMigrate } from "./migrate/migrate.ts";
import { addModel } from "./model-state.ts";
import { addModels } from "./models.ts";
import { addReady } from "./ready/command.ts";
import { addRequests } from "./requests.ts";
import { addSecret } from "./secret/secret.ts";
import { addServe } from "./serve.ts";
import { addSupportBundle } from "./support/support.ts";
import { addUpstreams } from "./upstreams.ts";

const more = `
All commands but serve and ready work on the database directly, also while a server runs on it. With --json, standard output is
exactly one JSON document; an error is {"error":{"code","message"}}. Exit status: 0 done, 1 failed, 2 not understood.

Examples:
  $ npx plaza serve
  $ npx plaza connect openai --credential-env OPENAI_API_KEY
  $ npx plaza apply plaza.yaml
  $ npx plaza account create "Team Blue" --balance 5.00
  $ npx plaza key create --account acc_01
  $ npx plaza topup acc_01 25.00
  $ npx plaza ledger verify
`;

/** Creates the program with all commands and options. */
export function createProgram(io: CommandIo, version: string): Command {
  const program = new Command("plaza");
  program
    .description(
      "Plaza, a self-hosted model gateway: one OpenAI-compatible endpoint for every model you connect.",
    )
    .version(version, "--version", "print the version")
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    // Set before the commands are added, because they inherit it.
    .exitOverride()
    .showHelpAfterError("Run the command with --help to see its usage.")
    .addHelpText("after", more);
  addServe(program, io);
  addConnect(program, io);
  addApply(program, io);
  addAccount(program, io);
  addKey(program, io);
  addTopup(program, io);
  addLedger(program, io);
  addRequests(program, io);
  addModels(program, io);
  addModel(program, io);
  addUpstreams(program, io);
  addReady(program, io);
  addSecret(program, io);
  addMigrate(program, io);
  addBackup(program, io);
  addPeople(program, io);
  addImport(program, io);
  addExport(program, io);
  addDoctor(program, io, version);
  addSupportBundle(program, io, version);
  return program;
}

/**
 * Runs the command in `words` (without `node` and the script). Resolves with the exit status; never rejects.
 */
export async function runCommand(
  words: readonly string[],
  io: CommandIo,
  version: string,
): Promise<0 | 1 | 2> {
  try {
    await createProgram(io, version).parseAsync(words, { from: "user" });
    return 0;
  } catch (thrown) {
    return reportFailure(thrown, words, io);
  }
}
