/**
 * The usual start: `plaza serve` with valid options. It avoids the command library, which would cost a
 * serving process 11 MB. Everything else, including help and errors, is left to run.ts.
 */
import cluster from "node:cluster";
import { parseArgs } from "node:util";
import { readConfig, type SettingName } from "../config/config.ts";
import type { Setting } from "../config/setting.ts";
import { settings } from "../config/settings.ts";
import { catalogProcessAhead } from "../start/catalog-process.ts";
import { threadAhead } from "../store/thread/start.ts";
import type { CommandIo } from "./command-io.ts";
import { reportFailure } from "./failure.ts";

/** The settings that are options of `plaza serve`. */
export const serveSettings: readonly SettingName[] = [
  "host",
  "port",
  "tlsCert",
  "tlsKey",
  "dataDir",
  "database",
  "catalog",
  "workers",
  "consoleListen",
  "healthListen",
  "logRequests",
];

/** `--data <dir>` → `data`. */
function optionName(name: SettingName): string {
  const { flag }: Setting = settings[name];
  return flag?.slice(2).split(" ")[0] ?? name;
}

function readWords(words: readonly string[]): Record<string, string | undefined> | undefined {
  const options = Object.fromEntries(
    serveSettings.map((name) => [optionName(name), { type: "string" }] as const),
  );
  try {
    const { values } = parseArgs({ args: [...words], options, strict: true, allowPositionals: false });
    return Object.fromEntries(serveSettings.map((name) => [name, values[optionName(name)]]));
  } catch {
    return undefined;
  }
}

/** Starts the server and resolves with the exit status; undefined when the command library is needed. */
export async function servePlainly(words: readonly string[], io: CommandIo): Promise<0 | 1 | 2 | undefined> {
  const flags = words[0] === "serve" ? readWords(words.slice(1)) : undefined;
  const result = flags === undefined ? undefined : readConfig({ env: io.env, flags });
  if (!result?.ok) return undefined;
  const { database, catalog } = result.config;
  const threads = threadAhead(database.kind);
  // Workers of a cluster read no catalog file.
  const readCatalog = catalog === undefined || cluster.isWorker ? undefined : catalogProcessAhead();
  const { startServer } = await import("../main.ts");
  try {
    await startServer(result.config, { threads, readCatalog });
    return 0;
  } catch (thrown) {
    return reportFailure(thrown, words, io);
  }
}
