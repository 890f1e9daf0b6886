/**
 * Which modules share a file of the build. Left alone, a bundler makes a file for every set of dynamic
 * imports that share modules: a start would then find, read and link some 125 files. Here modules share a
 * file when the same starts load them: those of a process and of each of its threads.
 */
import { join } from "node:path";
import type { OutputChunk, OutputOptions } from "rolldown";

type CodeSplitting = Exclude<NonNullable<OutputOptions["codeSplitting"]>, boolean>;

/** What is started, and the modules it loads at once, besides what they import. */
const starts: Readonly<Record<string, readonly string[]>> = {
  serve: ["server/src/main.ts"],
  storage: ["server/src/store/thread/store-thread.ts", "server/src/store/sqlite/core.ts"],
  postgres: ["server/src/store/postgres/core.ts"],
  translation: ["server/src/gateway/dispatch/threads/translation-thread.ts"],
  parquet: ["server/src/store/retention/files/parquet-thread.ts"],
  health: ["server/src/http/health/thread.ts"],
  catalog: ["server/src/start/catalog-process.ts"],
  command: ["server/src/cli/main.ts", "server/src/cli/run.ts"],
};

/** The starts that load many files; what only others load keeps the bundler's. */
const joined = ["serve", "storage"];

/** By module: the names of the starts that load it. `chunks`: as the bundler makes them. */
function startsOf(root: string, chunks: readonly OutputChunk[]): Map<string, string[]> {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const found = new Map<string, string[]>();
  for (const [start, files] of Object.entries(starts)) {
    const ids = files.map((file) => join(root, file));
    const open = chunks.filter(({ moduleIds }) => moduleIds.some((id) => ids.includes(id)));
    const loaded = new Set(open);
    // What is not a file of the build is Node's.
    for (const { imports } of loaded)
      for (const chunk of imports.map((file) => byFile.get(file))) if (chunk !== undefined) loaded.add(chunk);
    for (const { moduleIds } of loaded)
      for (const id of moduleIds) found.set(id, [...(found.get(id) ?? []), start]);
  }
  return found;
}

/** How to join the modules of chunks, as the bundler makes them, of the repository `root`. */
export function chunksByStart(root: string, chunks: readonly OutputChunk[]): CodeSplitting {
  const known = startsOf(root, chunks);
  /** What runs when it is loaded: it keeps a file that nothing else loads. */
  const entries = new Set(chunks.filter(({ isEntry }) => isEntry).map((chunk) => chunk.facadeModuleId));
  const nameOf = (id: string): string | null => {
    const names = entries.has(id) ? [] : (known.get(id) ?? []);
    return names.some((name) => joined.includes(name)) ? names.join("-") : null;
  };
  // What a module imports is loaded wherever it is, so that files never import each other in a circle.
  return { groups: [{ name: nameOf, debugName: "by start" }], includeDependenciesRecursively: false };
}
