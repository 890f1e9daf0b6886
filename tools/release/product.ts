/**
 * Makes the files that the npm package and the executable share: the bundled server, the console with its
 * compressed forms, and the model catalog. Their paths are those of a checkout, because the server finds them
 * by paths from its own.
 */
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { OutputChunk, Plugin } from "rolldown";
import { build } from "vite";
import { bundleServer } from "../build/server.ts";
import { root } from "./root.ts";

export type Files = ReadonlyMap<string, Buffer>;

export interface Part {
  /** By path from the root of the package. */
  readonly files: Files;
  /** The modules whose code is in it, by path. */
  readonly moduleIds: readonly string[];
}

/** As deep below the root as builds of a checkout are. */
const serverFolder = "server/dist/release/";

/** As the server has it: smaller files are sent as they are. */
const compressedBytesMin = 1_024;

/**
 * Gives the server its version, and names the command as users of the release type it: `npx plaza` would
 * fetch another package where Plaza is not installed in the folder.
 */
function named(version: string, command: string): Plugin {
  const manifest = join(root, "server/package.json");
  return {
    name: "release",
    load(id) {
      if (id !== manifest) return undefined;
      const written = JSON.parse(readFileSync(manifest, "utf8")) as object;
      return { code: JSON.stringify({ ...written, version }), moduleType: "json" };
    },
    transform(code, id) {
      if (!id.startsWith(`${root}server/`) || !code.includes("npx plaza")) return undefined;
      return code.replaceAll("npx plaza", command);
    },
  };
}

/** Modules that a chunk has code of; some were only read to find others. */
const modulesIn = ({ modules }: OutputChunk): string[] =>
  Object.keys(modules).filter((id) => (modules[id]?.renderedLength ?? 0) > 0);

/** Bundles the server; `command` is how users of this release call it. */
export async function makeServer(version: string, command: string): Promise<Part> {
  const input = { start: join(root, "tools/release/entry/start.ts") };
  const { chunks } = await bundleServer(input, [named(version, command)]);
  return {
    files: new Map(chunks.map(({ fileName, code }) => [`${serverFolder}${fileName}`, Buffer.from(code)])),
    moduleIds: chunks.flatMap(modulesIn),
  };
}

function compressed(plain: Buffer): [ending: string, bytes: Buffer][] {
  if (plain.length < compressedBytesMin) return [];
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  return [
    [".br", brotliCompressSync(plain, { params })],
    [".gz", gzipSync(plain, { level: 9 })],
  ];
}

/** Builds the console; files whose compressed form is smaller are in it in three forms. */
export async function makeConsole(): Promise<Part> {
  const folder = mkdtempSync(join(tmpdir(), "plaza-console-"));
  const moduleIds: string[] = [];
  const collect: Plugin = {
    name: "collect",
    generateBundle(_, bundle) {
      for (const part of Object.values(bundle)) if (part.type === "chunk") moduleIds.push(...modulesIn(part));
    },
  };
  try {
    await build({
      configFile: join(root, "web/vite.config.ts"),
      logLevel: "warn",
      build: { outDir: folder, emptyOutDir: true, manifest: false },
      plugins: [collect],
    });
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
    const files = new Map<string, Buffer>();
    for (const name of names) {
      const plain = readFileSync(join(folder, name));
      files.set(`web/dist/${name}`, plain);
      for (const [ending, bytes] of compressed(plain)) files.set(`web/dist/${name}${ending}`, bytes);
    }
    return { files, moduleIds };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Files of this repository as they are, by path. */
export function readFiles(...patterns: string[]): Files {
  return new Map(globSync(patterns, { cwd: root }).map((path) => [path, readFileSync(join(root, path))]));
}
