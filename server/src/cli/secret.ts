/** `plaza secret`: the key that seals upstream credentials. What happens in which order: secret-rotate.ts. */
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { environmentName, secretKeyFile } from "../config.ts";
import { audited } from "./audit.ts";
import type { CommandIo } from "./command-io.ts";
import { CommandFailure } from "./failure.ts";
import { counted, writeJson } from "./output.ts";
import { readSettings } from "./settings-options.ts";
import { addStoreSettings, withStore } from "./with-store.ts";

interface RotateOptions {
  readonly catalog?: readonly string[];
  readonly keepOld?: boolean;
  readonly json?: boolean;
}

/** Those named, else the one that serve and connect would take. */
function catalogFilesOf(io: CommandIo, { catalog }: RotateOptions): readonly string[] {
  if (catalog !== undefined) return catalog;
  const usual = io.env[environmentName("catalog")] ?? "plaza.yaml";
  return existsSync(usual) ? [usual] : [];
}

async function rotate(io: CommandIo, options: RotateOptions): Promise<void> {
  const config = readSettings(io, options, ["dataDir", "database"]);
  const variable = environmentName("secretKey");
  if (config.secretKey !== undefined) {
    const message = `the key comes from ${variable} and cannot be exchanged from here: docs/credentials.md says how it is done`;
    throw new CommandFailure("key_from_environment", message);
  }
  const { rotateKeys } = await import("./secret-rotate.ts");
  const { readCatalogText } = await import("./apply.ts");
  const catalogFiles = catalogFilesOf(io, options);
  const done = await withStore(io, options, async (store) => {
    // What cannot be opened now could not be sealed anew.
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
  const inFiles = done.files.length === 0 ? "" : `, and those in ${done.files.join(", ")}`;
  io.out(
    `Sealed ${counted(done.credentials, "credential", "credentials")} of the database with a new key${inFiles}.\n`,
  );
  io.out(
    options.keepOld === true
      ? "The old key stays behind the new one until this is run again without --keep-old.\n"
      : "The old key is gone; backups made before need the old key file.\n",
  );
}

const more = `
Everything stays readable at every moment, also when this is interrupted: run it again. Servers keep running and find the
new key by themselves. Sealed credentials in catalog files go along where the files are named. docs/credentials.md tells more.

Examples:
  $ npx plaza secret rotate
  $ npx plaza secret rotate --catalog plaza.yaml --catalog staging.yaml
`;

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  value,
];

export function addSecret(program: Command, io: CommandIo): void {
  const secret = program.command("secret").description("Look after the key that seals upstream credentials.");
  const command = secret
    .command("rotate")
    .description("Exchange the key: seal every stored credential with a new one.")
    .option(
      "--catalog <file>",
      "catalog file with sealed credentials (again for more; default: plaza.yaml here)",
      collect,
    )
    .option("--keep-old", "keep the old key too, for what is sealed somewhere else")
    .option("--json", "answer as one JSON document")
    .addHelpText("after", more);
  addStoreSettings(command).action((options: RotateOptions) => rotate(io, options));
}
