/** `plaza apply`: makes the stored catalog equal to a file, or shows what would change. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Catalog } from "@plaza/contract/catalog.ts";
import type { Command } from "commander";
import { openSealedCredentials } from "../start/sealed-credentials.ts";
import type { CatalogDifference } from "../store/catalog/shapes.ts";
import { audited } from "./audit.ts";
import type { CommandIo } from "./command-io.ts";
import { CommandFailure } from "./failure.ts";
import { writeJson } from "./output.ts";
import { addStoreSettings, withStore } from "./with-store.ts";

const more = `
Running servers take the new catalog within a second. Models that are not in the file are removed, but for
those that are managed in the console.
docs/operate/catalog.md describes the file. Nothing is stored when there is any fault in it.

Examples:
  $ npx plaza apply plaza.yaml --dry-run
  $ UPSTREAM_KEY=sk-… npx plaza apply plaza.yaml
`;

/** Parses a catalog file. Throws `invalid_catalog` with one fault per line. */
export async function readCatalogText(
  io: CommandIo,
  text: string,
  file: string,
): Promise<{ catalog: Catalog; warnings: readonly string[] }> {
  const { readCatalogFile } = await import("../domain/catalog/file.ts");
  const { lacksOperation, providers } = await import("../providers/index.ts");
  const { presets } = await import("../providers/presets/presets.ts");
  const known = { providers, presets, lacksOperation };
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

const isUnchanged = ({ added, changed, removed }: CatalogDifference): boolean =>
  added.length + changed.length + removed.length === 0;

async function apply(io: CommandIo, file: string, options: { dryRun?: boolean; json?: boolean }) {
  const { catalog: sealed, warnings } = await readCatalogText(io, readFileSync(file, "utf8"), file);
  for (const warning of warnings) io.err(`warning: ${warning}\n`);
  const isDryRun = options.dryRun === true;
  const difference = await withStore(io, options, (store, secretKey) => {
    const catalog = openSealedCredentials(sealed, () => secretKey);
    if (isDryRun) return store.compareCatalog(catalog);
    const act = { action: "apply", subject: basename(file) };
    return audited(
      io,
      store,
      act,
      () => store.applyCatalog(catalog),
      (made) => (isUnchanged(made) ? "unchanged" : { detail: countsOf(made) }),
    );
  });
  if (options.json === true) {
    writeJson(io, { ...difference, dryRun: isDryRun, warnings });
    return;
  }
  io.out(formatDifference(difference));
  if (isDryRun) io.err("Dry run: nothing was saved.\n");
}

export function addApply(program: Command, io: CommandIo): void {
  const command = program
    .command("apply")
    .description(
      "Replace the stored catalog with a file. Prints what was added (+), changed (~) and removed (-).",
    )
    .argument("<file>", "catalog file, for example plaza.yaml")
    .option("--dry-run", "only print the difference")
    .option("--json", "print JSON")
    .addHelpText("after", more);
  addStoreSettings(command).action((file: string, options: object) => apply(io, file, options));
}
