/** `plaza export`: writes the whole configuration of an installation as a file that `plaza apply` reads. */
import { type Command, Option } from "commander";
import { sealCredential } from "../../start/sealed-credentials.ts";
import type { ShownCatalog } from "../../store/catalog/edit.ts";
import type { Store } from "../../store/store.ts";
import { readCatalogText } from "../apply.ts";
import type { CommandIo } from "../command-io.ts";
import { readText, replaceText } from "../connect/file.ts";
import { counted, writeJson } from "../output.ts";
import { addStoreSettings, withStore } from "../with-store.ts";
import { type ExportedUpstream, fileText } from "./file-text.ts";
import { type CredentialVariable, variablesOf } from "./variables.ts";

interface ExportFlags {
  readonly out?: string;
  readonly credentials: "sealed" | "variables";
  readonly users: boolean;
  readonly json?: boolean;
}

interface Made {
  readonly text: string;
  readonly variables: readonly CredentialVariable[];
  readonly counts: Readonly<Record<"upstreams" | "models" | "accounts" | "keys" | "users", number>>;
}

/** Credentials sealed for this installation. Throws when one cannot be opened. */
async function sealedUpstreams(
  store: Store,
  { upstreams }: ShownCatalog,
  secretKey: Buffer,
): Promise<ExportedUpstream[]> {
  const opened = await store.loadCatalog();
  const byId = new Map(opened?.upstreams.map((one) => [one.id, one]));
  return upstreams.map((upstream) => {
    const { credentials = [], headers = {} } = byId.get(upstream.id) ?? {};
    const sealed = (secret: string): string => sealCredential(secret, upstream, secretKey);
    return {
      upstream,
      credentials: credentials.map(sealed),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, sealed(value)])),
    };
  });
}

function variableUpstreams(
  { upstreams }: ShownCatalog,
  variables: readonly CredentialVariable[],
): ExportedUpstream[] {
  return upstreams.map((upstream) => {
    const own = variables.filter((one) => one.upstream === upstream.id);
    const written = ({ variable }: CredentialVariable): string => `\${${variable}}`;
    return {
      upstream,
      credentials: own.filter(({ header }) => header === undefined).map(written),
      headers: Object.fromEntries(
        own.flatMap((one) => (one.header === undefined ? [] : [[one.header, written(one)]])),
      ),
    };
  });
}

async function make(store: Store, secretKey: Buffer, options: ExportFlags): Promise<Made> {
  const shown = await store.showCatalog();
  const stored = await store.readConfiguration();
  const isSealed = options.credentials === "sealed";
  const variables = isSealed ? [] : variablesOf(shown.upstreams);
  const upstreams = isSealed
    ? await sealedUpstreams(store, shown, secretKey)
    : variableUpstreams(shown, variables);
  const keys = stored.keys.filter(({ status }) => status !== "revoked").length;
  return {
    text: fileText({ upstreams, catalog: shown, stored, hasUsers: options.users }),
    variables,
    counts: {
      upstreams: shown.upstreams.length,
      models: shown.models.length,
      accounts: stored.accounts.filter(({ status }) => status !== "closed").length,
      keys,
      users: options.users ? stored.users.length : 0,
    },
  };
}

/** Reads the text as `plaza apply` will, so that no file is written that it refuses. */
async function requireReadable(io: CommandIo, { text, variables }: Made): Promise<void> {
  const given = Object.fromEntries(variables.map(({ variable }) => [variable, "given"]));
  await readCatalogText({ ...io, env: { ...io.env, ...given } }, text, "the new file");
}

function report(io: CommandIo, { counts, variables }: Made, out: string | undefined): void {
  const parts = [
    counted(counts.upstreams, "upstream", "upstreams"),
    counted(counts.models, "model", "models"),
    counted(counts.accounts, "account", "accounts"),
    counted(counts.keys, "key", "keys"),
    counted(counts.users, "user", "users"),
  ];
  io.err(`${parts.join(", ")}${out === undefined ? "" : ` are in ${out}`}.\n`);
  if (variables.length > 0) {
    const lines = variables.map(({ variable, upstream }) => `  ${variable}  (upstream ${upstream})\n`);
    io.err(`Set these variables where the file is applied:\n${lines.join("")}`);
  }
  if (out !== undefined) io.err(`Next: look at it, then  npx plaza apply ${out} --adopt --dry-run\n`);
}

async function exportAll(io: CommandIo, options: ExportFlags): Promise<void> {
  const made = await withStore(io, options, (store, secretKey) => make(store, secretKey, options));
  await requireReadable(io, made);
  const { text, variables, counts } = made;
  if (options.out !== undefined) replaceText(options.out, readText(options.out), text);
  if (options.json === true) {
    const place = options.out === undefined ? { text } : { file: options.out };
    writeJson(io, { ...counts, variables, ...place });
    return;
  }
  if (options.out === undefined) io.out(text);
  report(io, made, options.out);
}

const more = `
Writes upstreams, models, prices, limits, settings, accounts with their keys, and users. Balances, the ledger, passwords,
closed accounts and revoked keys are not in it. Credentials are sealed, so that only this installation can read them. The
same configuration gives the same file, so that a file kept in version control changes only where the configuration did.

Examples:
  $ npx plaza export --out plaza.yaml
  $ npx plaza export --credentials variables --no-users > plaza.yaml
`;

export function addExport(program: Command, io: CommandIo): void {
  const command = program
    .command("export")
    .description("Write the whole configuration as a file for plaza apply.")
    .option("--out <file>", "write it there, in place of what is there (default: print it)")
    .addOption(
      new Option("--credentials <form>", "sealed for this installation, or as variables to set")
        .choices(["sealed", "variables"])
        .default("sealed"),
    )
    .option("--no-users", "leave the users out, for an installation that does not have them")
    .option("--json", "print JSON")
    .addHelpText("after", more);
  addStoreSettings(command).action((options: ExportFlags) => exportAll(io, options));
}
