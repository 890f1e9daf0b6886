/**
 * The sources of this repository as the checks of its structure see them: files,
 * what they import, and their comments.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Paths of all files that belong to the repository or are about to, from its root, sorted. */
export function repositoryFiles(): readonly string[] {
  const options = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const listed = execFileSync("git", options, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return [...new Set(listed.split("\0"))]
    .filter((path) => path !== "" && existsSync(join(root, path)))
    .sort();
}

export interface Source {
  readonly path: string;
  /** Files of the repository it imports, types and dynamic imports included. */
  readonly imports: readonly string[];
  /** Modules from elsewhere, as they are named: `node:fs`, `kysely`. */
  readonly packages: readonly string[];
  readonly comments: readonly { readonly line: number; readonly text: string }[];
}

const contract = "@plaza/contract/";

/** A specifier as a path of the repository; undefined for a package. */
function targetOf(from: string, specifier: string): string | undefined {
  if (specifier.startsWith(contract)) return `contract/${specifier.slice(contract.length)}`;
  if (!specifier.startsWith(".")) return undefined;
  return normalize(join(dirname(from), specifier));
}

/** Reads one file. */
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
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  const targets = specifiers.map((specifier) => targetOf(path, specifier));
  return {
    path,
    imports: [...new Set(targets.filter((target) => target !== undefined && target !== path))] as string[],
    packages: [...new Set(specifiers.filter((_, index) => targets[index] === undefined))],
    comments: comments.map(({ start, end }) => ({ line: lineAt(start), text: text.slice(start, end) })),
  };
}

/** Every TypeScript file but declarations. */
export const readSources = (files: readonly string[]): readonly Source[] =>
  files.filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts")).map(readSource);

/** Groups of files that import each other in a circle, each in the order found; empty when there is none. */
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
