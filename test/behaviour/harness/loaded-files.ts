/** Records which files processes load, in all their threads and child processes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const hook = `import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(process.env.LOADED_FILE, url + "\\n");
    return nextLoad(url, context);
  },
});
`;

export interface LoadedFiles {
  /** Makes a process record its files. */
  readonly env: Readonly<Record<string, string>>;
  /** URLs of the files loaded so far, each as often as it was loaded. */
  read(): string[];
}

/** Keeps the record in this folder. */
export function recordLoadedFiles(folder: string): LoadedFiles {
  const record = join(folder, "loaded.txt");
  const hookFile = join(folder, "hook.mjs");
  writeFileSync(hookFile, hook);
  writeFileSync(record, "");
  return {
    env: { NODE_OPTIONS: `--import ${pathToFileURL(hookFile).href}`, LOADED_FILE: record },
    read: () => readFileSync(record, "utf8").trimEnd().split("\n"),
  };
}
