/**
 * The first script of the executable and of each of its threads: makes the modules inside it loadable. Their
 * paths go on after the executable's own (`/opt/plaza/server/dist/…`), so no file on disk can stand for one.
 * Like `node FILE …`, the executable runs the module that its first word names; processes that it forks and
 * threads that it starts come here so. Otherwise it runs the `plaza` command.
 */
import module from "node:module";
import { getAsset, getAssetKeys } from "node:sea";
import { fileURLToPath, pathToFileURL } from "node:url";
import threads, { Worker, type WorkerOptions } from "node:worker_threads";

const folder = `${process.execPath}/`;
const folderUrl = pathToFileURL(folder).href;
const keys = new Set(getAssetKeys());

/** The name of a module inside, by its URL. */
const keyOf = (url: string): string | undefined =>
  url.startsWith(folderUrl) ? decodeURIComponent(url.slice(folderUrl.length)) : undefined;

module.registerHooks({
  resolve(specifier, context, next) {
    const isRelative = context.parentURL?.startsWith(folderUrl) && /^\.{1,2}\//.test(specifier);
    const url = isRelative ? new URL(specifier, context.parentURL).href : specifier;
    if (!keys.has(keyOf(url) ?? "")) return next(specifier, context);
    return { url, format: "module", shortCircuit: true };
  },
  load(url, context, next) {
    const key = keyOf(url);
    if (key === undefined || !keys.has(key)) return next(url, context);
    return { format: "module", source: getAsset(key, "utf8"), shortCircuit: true };
  },
});

/** Starts a thread whose file is inside the executable with this script, and the file as its first word. */
class EmbeddedWorker extends Worker {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    if (!(file instanceof URL) || keyOf(file.href) === undefined) super(file, options);
    else super(getAsset("loader.cjs", "utf8"), { ...options, eval: true, argv: [fileURLToPath(file)] });
  }
}
threads.Worker = EmbeddedWorker;

// The executable carries its own flags; a forked one would read them as words.
process.execArgv = [];
const words = process.argv.slice(2);
const isInside = words[0]?.startsWith(folder) === true;
const script = isInside ? (words.shift() as string) : `${folder}server/bin/plaza.mjs`;
process.argv = [process.execPath, script, ...words];
import(pathToFileURL(script).href);
