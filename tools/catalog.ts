/**
 * `npm run catalog`: regenerates `catalog/` from the packages pinned in `catalog/packages.ts`. Run by
 * maintainers, who read the report and the diff before committing; servers never run it. With `--check` it
 * writes nothing and names the files that would change (exit 1).
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { catalogFiles } from "./catalog/files.ts";
import { withPackages } from "./catalog/packages.ts";

const folder = fileURLToPath(new URL("../catalog/", import.meta.url));

function current(path: string): string | undefined {
  try {
    return readFileSync(`${folder}${path}`, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Files of providers that are not in the table. */
function leftovers(files: ReadonlyMap<string, string>): string[] {
  const names = readdirSync(`${folder}models`).map((name) => `models/${name}`);
  return names.filter((path) => !files.has(path));
}

mkdirSync(`${folder}models`, { recursive: true });
const files = withPackages(catalogFiles);
const changed = [...files].filter(([path, text]) => current(path) !== text).map(([path]) => path);
const gone = leftovers(files);
if (process.argv.includes("--check")) {
  for (const path of [...changed, ...gone]) process.stdout.write(`catalog/${path} would change\n`);
  process.exitCode = changed.length + gone.length === 0 ? 0 : 1;
} else {
  for (const path of changed) {
    writeFileSync(`${folder}${path}`, files.get(path) ?? "");
    process.stdout.write(`wrote catalog/${path}\n`);
  }
  for (const path of gone) {
    rmSync(`${folder}${path}`);
    process.stdout.write(`removed catalog/${path}\n`);
  }
}
