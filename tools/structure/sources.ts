/** This repository's sources for the structure checks: files, their imports and their comments. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Sorted paths, relative to the root, of all tracked files and new files that are not ignored. */
export function repositoryFiles(): readonly string[] {
  const options = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const listed = execFileSync("git", options, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return [...new Set(listed.split("\0"))]
    .filter((path) => path !== "" && existsSync(join(root, path)))
    .sort();
}

export interface Source {
  readonly path: string;
  /** Imported files of the repository, including types and dynamic imports. */
  readonly imports: readonly string[];
  /** Imported packages and Node modules: `node:fs`, `kysely`. */
  readonly packages: readonly string[];
  /** What is loaded with the file, files and packages: without types and dynamic imports. */
  readonly loads: readonly string[];
  readonly comments: readonly { readonly line: number; readonly text: string }[];
}

const contract = "@plaza/contract/";

/** Resolves a specifier to a path of the repository; undefined for a package. */
function targetOf(from: string, specifier: string): string | undefined {
  if (specifier.startsWith(contract)) return `contract/${specifier.slice(contract.length)}`;
  if (!specifier.startsWith(".")) return undefined;
  return normalize(join(dirname(from), specifier));
}

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), "utf8");
  const { module, comments } = parseSync(path, text);
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map((entry) => entry.moduleRequest?.value)),
    ...module.dynamicImports.map(
      ({ moduleRequest: { start, end } }) => /^["'](.*)["']$/.exec(text.slice(start, end))?.[1],
    ),
    // In types: `import("…").Name`.
    ...[...text.matchAll(/\bimport\("([^"\n]+)"\)/g)].map((match) => match[1]),
  ].filter((specifier) => specifier !== undefined);
  const loaded = [
    ...module.staticImports.filter(
      ({ entries }) => !(entries.length > 0 && entries.every(({ isType }) => isType)),
    ),
    ...module.staticExports.flatMap(({ entries }) => entries.filter(({ isType }) => !isType)),
  ].flatMap(({ moduleRequest }) => (moduleRequest === null ? [] : [moduleRequest.value]));
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  const targets = specifiers.map((specifier) => targetOf(path, specifier));
  return {
    path,
    imports: [...new Set(targets.filter((target) => target !== undefined && target !== path))] as string[],
    packages: [...new Set(specifiers.filter((_, index) => targets[index] === undefined))],
    loads: [...new Set(loaded.map((specifier) => targetOf(path, specifier) ?? specifier))],
    comments: comments.map(({ start, end }) => ({ line: lineAt(start), text: text.slice(start, end) })),
  };
}

/** All TypeScript files except declarations. */
export const readSources = (files: readonly string[]): readonly Source[] =>
  files.filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts")).map(readSource);

/** Groups of files that import each other in a cycle; empty when there is none. */
export function findCycles(sources: readonly Source[]): readonly (readonly string[])[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const found: string[][] = [];
  const state = new Map<string, "open" | "done">();
  const trail: string[] = [];
  const visit = (path: string): void => {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      found.push([...trail.slice(trail.indexOf(path)), path]);
      return;
    }
    const source = byPath.get(path);
    if (source === undefined) return;
    state.set(path, "open");
    trail.push(path);
    for (const target of source.imports) visit(target);
    trail.pop();
    state.set(path, "done");
  };
  for (const { path } of sources) visit(path);
  return found;
}
