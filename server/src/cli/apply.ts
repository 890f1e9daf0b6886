/** `plaza apply`: makes what is stored equal to a file, or shows what would change. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Catalog } from "@plaza/contract/catalog.ts";
import type { Command } from "commander";
import type { ItemChange } from "../domain/configuration/difference.ts";
import type { Configuration } from "../domain/configuration/shapes.ts";
import { openSealedCredentials } from "../start/sealed-credentials.ts";
import type { CatalogDifference } from "../store/catalog/shapes.ts";
import type { Store } from "../store/store.ts";
import {
  catalogDetails,
  configurationDetails,
  type Detail,
  formatDetails,
  readCatalogBefore,
} from "./apply/details.ts";
import { audited } from "./audit.ts";
import type { CommandIo } from "./command-io.ts";
import { CommandFailure } from "./failure.ts";
import { writeJson } from "./output.ts";
import { addStoreSettings, withStore } from "./with-store.ts";

const more = `
Running servers take the new catalog within a second. Models that are not in the file are removed, but for
those that are managed in the console.
docs/operate/catalog.md describes the file. Nothing is stored when there is any fault in it.
A file may also have settings, accounts with their keys, and users (docs/operate/config-as-code.md). What it does
not list of these stays as it is; --prune suspends such accounts and disables such keys. Nothing of it is deleted.

Examples:
  $ npx plaza apply plaza.yaml --dry-run
  $ UPSTREAM_KEY=sk-… npx plaza apply plaza.yaml
  $ npx plaza export --out plaza.yaml && npx plaza apply plaza.yaml --adopt
`;

/** Parses a catalog file. Throws `invalid_catalog` with one fault per line. */
export async function readCatalogText(
  io: CommandIo,
  text: string,
  file: string,
): Promise<{ catalog: Catalog; configuration: Configuration; warnings: readonly string[] }> {
  const { readCatalogFile } = await import("../domain/catalog/file.ts");
  const { lacksOperation, providers } = await import("../providers/index.ts");
  const { presets } = await import("../providers/presets/presets.ts");
  const { readSecret } = await import("../start/secret-file.ts");
  const known = { providers, presets, lacksOperation, readSecret };
  const result = readCatalogFile(text, { env: io.env, fileName: file, ...known });
  if (!result.ok) throw new CommandFailure("invalid_catalog", result.faults.join("\n"));
  return result;
}

export function formatDifference({ added, changed, removed }: CatalogDifference): string {
  const lines = [
    ...added.map((id) => `+ ${id}`),
    ...changed.map((id) => `~ ${id}`),
    ...removed.map((id) => `- ${id}`),
  ];
  return `${lines.length === 0 ? "no change" : lines.join("\n")}\n`;
}

/** The number of changes; a list of names could have thousands. */
export const countsOf = ({ added, changed, removed }: CatalogDifference) => ({
  added: added.length,
  changed: changed.length,
  removed: removed.length,
});

interface ApplyFlags {
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly adopt?: boolean;
  readonly json?: boolean;
}

/** A file that was read. */
interface Wanted {
  readonly text: string;
  readonly file: string;
  readonly catalog: Catalog;
  readonly configuration: Configuration;
}

/** What changes, or changed. */
interface Outcome {
  readonly catalog: CatalogDifference;
  readonly details: readonly Detail[];
}

/** Most items named in the audit log. */
const namedMax = 100;

function auditDetail({ catalog, details }: Outcome) {
  const others = details.slice(catalog.added.length + catalog.changed.length + catalog.removed.length);
  const named = others.slice(0, namedMax).map(({ sign, name }) => `${sign} ${name}`);
  return { ...countsOf(catalog), ...(named.length === 0 ? {} : { items: named }) };
}

/** Compares everything first, so that a file with any fault changes nothing. */
async function compareOrApply(
  io: CommandIo,
  store: Store,
  { text, file, catalog, configuration }: Wanted,
  { dryRun = false, prune = false, adopt = false }: ApplyFlags,
): Promise<Outcome> {
  const before = await readCatalogBefore(store);
  const outcomeOf = (difference: CatalogDifference, changes: readonly ItemChange[]): Outcome => ({
    catalog: difference,
    details: [...catalogDetails(difference, before, catalog), ...configurationDetails(changes)],
  });
  const [adopts, prunes] = [{ adopts: adopt }, { prunes: prune }];
  const planned = await store.compareCatalog(catalog, adopts);
  const { changes, faults } = await store.compareConfiguration(configuration, prunes);
  if (faults.length > 0) {
    const { formatFoundLater } = await import("../domain/catalog/file.ts");
    throw new CommandFailure("invalid_catalog", formatFoundLater(text, faults, file).join("\n"));
  }
  if (dryRun) return outcomeOf(planned, changes);
  return await audited(
    io,
    store,
    { action: "apply", subject: basename(file) },
    async () => {
      const applied = await store.applyCatalog(catalog, adopts);
      const configured = await store.applyConfiguration(configuration, prunes);
      return outcomeOf(applied, configured.changes);
    },
    (made) => (made.details.length === 0 ? "unchanged" : { detail: auditDetail(made) }),
  );
}

async function apply(io: CommandIo, file: string, options: ApplyFlags) {
  const text = readFileSync(file, "utf8");
  const { catalog: sealed, configuration, warnings } = await readCatalogText(io, text, file);
  for (const warning of warnings) io.err(`warning: ${warning}\n`);
  const isDryRun = options.dryRun === true;
  const outcome = await withStore(io, options, (store, secretKey) => {
    const catalog = openSealedCredentials(sealed, () => secretKey);
    return compareOrApply(io, store, { text, file, catalog, configuration }, options);
  });
  if (options.json === true) {
    const { catalog, details } = outcome;
    writeJson(io, { ...catalog, changes: details, dryRun: isDryRun, warnings });
    return;
  }
  io.out(formatDetails(outcome.details, isDryRun));
  if (isDryRun) io.err("Dry run: nothing was saved.\n");
}

export function addApply(program: Command, io: CommandIo): void {
  const command = program
    .command("apply")
    .description(
      "Make catalog and configuration equal to a file. Prints what was added (+), changed (~) and removed (-).",
    )
    .argument("<file>", "catalog file, for example plaza.yaml")
    .option("--dry-run", "only print the difference, with the values of changed fields")
    .option("--prune", "suspend accounts and disable keys that the file does not list")
    .option("--adopt", "let the file take over upstreams, models and limits of the console")
    .option("--json", "print JSON")
    .addHelpText("after", more);
  addStoreSettings(command).action((file: string, options: object) => apply(io, file, options));
}
