/**
 * `plaza secret`: manages the key that encrypts upstream credentials. rotate.ts has the steps of a rotation.
 */
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { environmentName, secretKeyFile } from "../../config/config.ts";
import { key32 } from "../../config/values.ts";
import { audited } from "../audit.ts";
import type { CommandIo } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";
import { counted, writeJson } from "../output.ts";
import { readSettings } from "../settings-options.ts";
import { addStoreSettings, withStore } from "../with-store.ts";

interface RotateOptions {
  readonly catalog?: readonly string[];
  readonly keepOld?: boolean;
  /** Name of the variable with the new key, when the old one comes from the environment. */
  readonly newKeyFrom?: string;
  readonly json?: boolean;
}

interface ResetOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Returns the named files, or the one that `serve` and `connect` would use. */
function catalogFilesOf(io: CommandIo, { catalog }: RotateOptions): readonly string[] {
  if (catalog !== undefined) return catalog;
  const usual = io.env[environmentName("catalog")] ?? "plaza.yaml";
  return existsSync(usual) ? [usual] : [];
}

const secretKeyVariable = environmentName("secretKey");

/** Reads the key from the variable named by `--new-key-from`. */
function newKeyOf(io: CommandIo, { newKeyFrom }: RotateOptions): Buffer {
  if (newKeyFrom === undefined) {
    const message = `the key comes from ${secretKeyVariable}: put the new key into a variable and name the variable, for example: NEW_KEY="$(openssl rand -base64 32)" npx plaza secret rotate --new-key-from NEW_KEY`;
    throw new CommandFailure("key_from_environment", message);
  }
  const key = key32.parse(io.env[newKeyFrom] ?? "");
  if (key === undefined)
    throw new CommandFailure("invalid_key", `the variable ${newKeyFrom} must hold ${key32.allowed}`);
  return key;
}

/**
 * For a key the operator keeps in the environment: encrypts the database again. Each process gets the new key
 * by a restart.
 */
async function rotateEnvironment(io: CommandIo, options: RotateOptions, oldKey: Buffer): Promise<void> {
  const keys = Buffer.concat([newKeyOf(io, options), oldKey]);
  const { readCatalogText } = await import("../apply.ts");
  const { resealFiles } = await import("./rotate.ts");
  const catalogFiles = catalogFilesOf(io, options);
  const readCatalog = async (text: string, file: string) => (await readCatalogText(io, text, file)).catalog;
  const done = await withStore(io, options, async (store) => {
    const reseal = await resealFiles({ catalogFiles, readCatalog }, keys);
    const act = { action: "secret rotate" };
    const credentials = await audited(io, store, act, () => store.resealCredentials(keys));
    return { credentials, files: reseal() };
  });
  if (options.json === true) {
    writeJson(io, { ...done, oldKey: "replaced" });
    return;
  }
  io.out(
    `Encrypted ${counted(done.credentials, "credential", "credentials")} of the database with the new key${inFilesOf(done.files)}.\n`,
  );
  io.out(
    `Now set ${secretKeyVariable} to the new key for all processes and restart them one by one. A process with the old key keeps serving, but ignores catalog changes and cannot restart.\n`,
  );
}

const inFilesOf = (files: readonly string[]): string =>
  files.length === 0 ? "" : `, and those in ${files.join(", ")}`;

/** Gives up a lost key. Credentials encrypted with it must be entered again. */
async function reset(io: CommandIo, options: ResetOptions): Promise<void> {
  if (options.yes !== true) {
    const message =
      "this discards the key that encrypted the stored credentials: they become unreadable and must be entered again. If you still have the key, restore it instead (docs/operate/credentials.md). If it is lost, run it with --yes";
    throw new CommandFailure("not_confirmed", message);
  }
  await withStore(io, options, (store) =>
    audited(io, store, { action: "secret reset" }, () => store.resetSealingKey()),
  );
  if (options.json === true) {
    writeJson(io, { reset: true });
    return;
  }
  io.out(
    "This machine's key is now the installation's key. Copy it to the other machines that use this database.\n",
  );
  io.out(
    "Enter the upstream credentials again: run npx plaza apply plaza.yaml with them in the environment, or use the console. Users with two-factor sign in with a recovery code and set it up again.\n",
  );
}

async function rotate(io: CommandIo, options: RotateOptions): Promise<void> {
  const config = readSettings(io, options, ["dataDir", "database"]);
  if (config.secretKey !== undefined) {
    await rotateEnvironment(io, options, config.secretKey);
    return;
  }
  if (options.newKeyFrom !== undefined) {
    const message = `--new-key-from is for a key that comes from ${secretKeyVariable}; this key is in the file ${secretKeyFile(config)}, which gets a new key automatically`;
    throw new CommandFailure("key_from_file", message);
  }
  const { rotateKeys } = await import("./rotate.ts");
  const { readCatalogText } = await import("../apply.ts");
  const catalogFiles = catalogFilesOf(io, options);
  const done = await withStore(io, options, async (store) => {
    // Fails when a credential cannot be opened, since it could not be encrypted again.
    await store.loadCatalog();
    let credentials = 0;
    const files: string[] = [];
    const steps = rotateKeys({
      keyFile: secretKeyFile(config),
      catalogFiles,
      readCatalog: async (text, file) => (await readCatalogText(io, text, file)).catalog,
      resealDatabase: (keys) =>
        audited(io, store, { action: "secret rotate" }, () => store.resealCredentials(keys)),
      keepsOld: options.keepOld === true,
    });
    for await (const step of steps) {
      if (step.step === "database_resealed") credentials = step.credentials;
      if (step.step === "file_resealed") files.push(step.file);
    }
    return { credentials, files };
  });
  if (options.json === true) {
    writeJson(io, { ...done, oldKey: options.keepOld === true ? "kept" : "removed" });
    return;
  }
  io.out(
    `Encrypted ${counted(done.credentials, "credential", "credentials")} of the database with a new key${inFilesOf(done.files)}.\n`,
  );
  io.out(
    options.keepOld === true
      ? "The old key stays in the file until you run this again without --keep-old.\n"
      : "The old key is removed. Older backups require the old key file.\n",
  );
}

const more = `
Everything stays readable at every moment, also when this is interrupted: run it again. Servers keep running and find the
new key by themselves. Sealed credentials in catalog files go along where the files are named. docs/operate/credentials.md tells more.

Examples:
  $ npx plaza secret rotate
  $ npx plaza secret rotate --catalog plaza.yaml --catalog staging.yaml
  $ NEW_KEY="$(openssl rand -base64 32)" npx plaza secret rotate --new-key-from NEW_KEY   (a key by PLAZA_SECRET_KEY)
`;

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  value,
];

export function addSecret(program: Command, io: CommandIo): void {
  const secret = program.command("secret").description("Manage the key that encrypts upstream credentials.");
  const command = secret
    .command("rotate")
    .description("Rotate the key: encrypt all stored credentials with a new one.")
    .option(
      "--catalog <file>",
      "catalog file with encrypted credentials (repeatable; default: ./plaza.yaml)",
      collect,
    )
    .option(
      "--new-key-from <variable>",
      `variable that holds the new key, if the current one is in ${secretKeyVariable}`,
    )
    .option("--keep-old", "also keep the old key, for data encrypted elsewhere")
    .option("--json", "print JSON")
    .addHelpText("after", more);
  addStoreSettings(command).action((options: RotateOptions) => rotate(io, options));
  const giveUp = secret
    .command("reset")
    .description("Replace a lost key with the key of this machine.")
    .option("--yes", "confirm: data encrypted with the lost key becomes unreadable")
    .option("--json", "print JSON");
  addStoreSettings(giveUp).action((options: ResetOptions) => reset(io, options));
}
