/**
 * Checks the structure of the code: import directions, no cycles, small folders, files that are neither long
 * nor crumbs, comments that name existing files, columns of comments and of prose.
 */
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { textOf, withoutCode } from "../pages.ts";
import { rooms, sharedByProtocols } from "./rooms.ts";
import { findCycles, readSources, repositoryFiles, type Source } from "./sources.ts";

const files = repositoryFiles();
const sources = readSources(files);

/** Maximum number of files in a folder, including tests. */
const filesMax = 25;

const isForTests = (path: string): boolean => /\.test\.tsx?$|\/testing\/|\/fixtures[./]/.test(path);

/** The first folder or file of a path below `server/src/`; undefined elsewhere. */
const roomOf = (path: string): string | undefined =>
  /^server\/src\/([^/]+?)(?:\.ts)?(?:\/|$)/.exec(path)?.[1];

function strayImports({ path, imports, packages }: Source): string[] {
  const name = roomOf(path);
  const room = name === undefined ? undefined : rooms[name];
  if (name === undefined || room === undefined || isForTests(path)) return [];
  const allowed = new Set([name, "lib", ...room.imports]);
  const strays = imports.filter((target) => {
    const other = roomOf(target);
    if (other === undefined)
      return target.startsWith("contract/") && room.without?.includes("@plaza/") === true;
    return !allowed.has(other);
  });
  const foreign = packages.filter((used) => room.without?.some((prefix) => used.startsWith(prefix)) === true);
  return [...strays, ...foreign].map((target) => `${path} imports ${target}`);
}

test("every part of the server imports only what rooms.ts allows it", () => {
  assert.deepEqual(sources.flatMap(strayImports), []);
});

/**
 * The folder of `protocols/` that contains a file; undefined elsewhere, and for files directly in
 * `protocols/`.
 */
const protocolOf = (path: string): string | undefined => /^server\/src\/protocols\/([^/]+)\//.exec(path)?.[1];

function importsOfOtherProtocols({ path, imports }: Source): string[] {
  if (!path.startsWith("server/src/protocols/") || isForTests(path)) return [];
  const own = protocolOf(path);
  const others = imports.filter((target) => {
    const other = protocolOf(target);
    return other !== undefined && other !== own && !sharedByProtocols.includes(other);
  });
  return others.map((target) => `${path} imports ${target}`);
}

test("no wire format imports another: they meet in a conversation", () => {
  assert.deepEqual(sources.flatMap(importsOfOtherProtocols), []);
});

test("no files import each other in a circle, types included", () => {
  assert.deepEqual(findCycles(sources), []);
});

/** All that is loaded with these files, and what first loads each: files and packages. */
function loadedWith(...first: readonly string[]): ReadonlyMap<string, string> {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const found = new Map(first.map((path) => [path, ""]));
  for (const [path] of found) {
    for (const target of byPath.get(path)?.loads ?? []) if (!found.has(target)) found.set(target, path);
  }
  return found;
}

test("a serving process loads no library at its start", () => {
  const loaded = loadedWith("server/src/cli/main.ts", "server/src/main.ts");
  const libraries = [...loaded].filter(([name]) => !/^node:|\.(?:ts|cjs|json|wasm)$/.test(name));
  assert.deepEqual(libraries, []);
  assert.ok(loaded.has("server/src/app.ts") && loaded.size > 500, `only ${loaded.size} files were found`);
});

test(`no folder of sources holds more than ${filesMax} files`, () => {
  const counts = new Map<string, number>();
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  assert.deepEqual(
    [...counts].filter(([, count]) => count > filesMax),
    [],
  );
});

/** Paths in comments: with or without a folder, and with one of these endings. */
const mention = /(?<![\w@./*{-])((?:[\w.-]+\/)*[\w-][\w.-]*\.(?:tsx?|mjs|md))(?![\w*{])/g;

test("every file that a comment names exists", () => {
  const tails = new Set(
    files.flatMap((path) => path.split("/").map((_, at, parts) => parts.slice(at).join("/"))),
  );
  const missing = sources.flatMap(({ path, comments }) =>
    comments.flatMap(({ line, text }) =>
      [...text.matchAll(mention)]
        .map((match) => (match[1] as string).replace(/^(?:\.\.?\/)+/, ""))
        .filter((named) => !tails.has(named))
        .map((named) => `${path}:${line} names ${named}`),
    ),
  );
  assert.deepEqual(missing, []);
});

/** Maximum number of lines of a product file. */
const linesMax = 400;

const productFiles = files.filter(
  (path) => /^(?:contract|server\/src|web\/src)\/.*\.tsx?$/.test(path) && !isForTests(path),
);
const linesOf = (path: string): number =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8").split("\n").length - 1;

test(`no file of the product is longer than ${linesMax} lines`, () => {
  assert.deepEqual(
    productFiles.filter((path) => linesOf(path) > linesMax),
    [],
  );
});

/** A product file with fewer lines is a crumb, unless it is of these kinds or in these lists. */
const linesMin = 20;

/** Files that may be small: each is an entry of a table, or stands where a tool looks for it. */
const smallKinds: readonly RegExp[] = [
  // Sentences, and words of the console.
  /^contract\/messages\//,
  /^web\/src\/i18n\//,
  /^server\/src\/store\/migrations\//,
  /^server\/src\/providers\/presets\//,
  // The same files in each folder.
  /^server\/src\/providers\/([^/]+)\/(?:descriptor|listing|embeddings|\1)\.ts$/,
  /^server\/src\/protocols\/[^/]+\/(?:format|usage|answers\/count-protocol)\.ts$/,
  // Handlers of the file of the same name in the contract.
  /^server\/src\/control\/handlers\//,
  /\.d\.ts$/,
];

/** Why these are files of their own. */
const smallFiles: ReadonlyMap<string, string> = new Map([
  ["contract/formats.ts", "the catalog, the server and the console share the ids of formats"],
  ["contract/labels.ts", "commands and files read it without the contract's schemas"],
  ["contract/read-limits.ts", "the console reads it without the contract's schemas"],
  ["contract/responses-kept.ts", "the storage thread reads it without the contract's schemas"],
  ["server/src/app/installation-keys.ts", "two parts of the composition root make the keys"],
  ["server/src/gateway/dispatch/attempt/media-type.ts", "both kinds of attempts read it"],
  ["server/src/http/operator/metrics.ts", "a route; what it gathers knows no HTTP"],
  ["server/src/lib/json/text-stop-code.ts", "made by a tool"],
  ["server/src/lib/invariant.ts", "used in every room where money is"],
  ["server/src/lib/time/clock.ts", "the only reader of the system's clocks"],
  ["server/src/process/command-file.ts", "as many folders below the server as the files of a build"],
  ["server/src/protocols/format.ts", "what the folder of every format declares"],
  ["server/src/start/secret-file.ts", "the catalog is read in a process of its own and by commands"],
  ["server/src/store/sql/row-integers.ts", "both dialects read rows with it"],
  ["web/src/features/accounts/status.tsx", "pages of other folders show it, without the acts"],
  ["web/src/forms/conflict-note.tsx", "loads what it shows when there is a conflict"],
  ["web/src/features/upstreams/standing.ts", "tested without a component"],
  ["web/src/pages/account/explore-page.tsx", "the explorer is one for accounts and operators"],
  ["web/src/pages/operator/explore-page.tsx", "the explorer is one for accounts and operators"],
  ["web/src/forms/zod-without-eval.ts", "set before any schema is made, so imported first"],
  [
    "web/src/features/playground/code/sample-operations.ts",
    "a page needs the operations, and the samples load later",
  ],
  ["web/src/features/plaza/playground-link.tsx", "in the head of a page whose tabs load later"],
  ["web/src/ui/class-names.ts", "used by most components"],
  ["web/src/ui/document-title.ts", "the shell sets the name, pages the title"],
  ["web/src/ui/idle.ts", "used by the shell and by dialogs"],
  ["web/src/ui/markdown.tsx", "loads the parser when it is needed"],
]);

test(`a file of the product with fewer than ${linesMin} lines has a reason`, () => {
  const small = productFiles.filter((path) => linesOf(path) < linesMin);
  const crumbs = small.filter((path) => !smallFiles.has(path) && !smallKinds.some((kind) => kind.test(path)));
  assert.deepEqual(crumbs, [], "Merge them into what imports them, or say in smallFiles why not.");
  const gone = [...smallFiles.keys()].filter((path) => !small.includes(path));
  assert.deepEqual(gone, [], "No longer small, or no longer there.");
});

/** A linter directive must be on one line, whatever its length. */
const columnsMax = 110;
const isComment = /^\s*(?:\/?\*|\/\/)(?! biome-ignore)/;

test(`no line of a comment is longer than ${columnsMax} columns`, () => {
  const long = files
    .filter((path) => /\.(?:tsx?|mjs)$/.test(path) && !/(?:^|\/)fixtures\//.test(path))
    // Generated, with the contract's sentences.
    .filter((path) => path !== "client/schema.ts")
    .flatMap((path) =>
      readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")
        .split("\n")
        .flatMap((line, index) =>
          line.length > columnsMax && isComment.test(line) ? [`${path}:${index + 1}`] : [],
        ),
    );
  assert.deepEqual(long, []);
});

/** Maximum columns of prose in pages. */
const proseColumnsMax = 100;

/**
 * Pages that do not wrap: an entry of the changelog is written once and read as a whole, and the report is
 * generated, with a line for each model.
 */
const unwrapped = new Set(["CHANGELOG.md", "catalog/report.md"]);

/**
 * Numbers of the lines of prose that are too long. Tables, headings, comments and code blocks may be longer,
 * and so may what cannot be broken: a span of code, the target of a link.
 */
function longProse(page: string): number[] {
  let isIndentedCode = false;
  let before = "";
  return withoutCode(page)
    .split("\n")
    .flatMap((line, index) => {
      if (before.trim() === "") isIndentedCode = /^ {4,}(?![-*+] |\d+[.)] )/.test(line);
      before = line;
      const shown = line.replace(/`[^`]+`/g, (code) => "x".repeat(code.length)).replace(/\]\([^)]*\)/g, "]");
      const isProse = !isIndentedCode && !/^\s*(?:[|<#]|\[[^\]]+\]: )/.test(line);
      const isBreakable = /\S\s+\S/.test(shown.replace(/^\s*(?:[-*+] |\d+[.)] )?/, ""));
      return isProse && isBreakable && shown.length > proseColumnsMax ? [index + 1] : [];
    });
}

test(`no line of prose in a page is longer than ${proseColumnsMax} columns`, () => {
  const wrapped = files.filter((path) => path.endsWith(".md") && !unwrapped.has(path));
  assert.ok(wrapped.length > 50, `${wrapped.length} pages`);
  assert.deepEqual(
    wrapped.flatMap((path) => longProse(textOf(path)).map((line) => `${path}:${line}`)),
    [],
  );
});

test("long prose is found; code, tables and the targets of links may be longer", () => {
  const words = "a word and ".repeat(10);
  const page = [
    words,
    `- ${words}`,
    "```",
    words,
    "```",
    `| ${words} |`,
    `[a link](https://example.com/${"x".repeat(100)})`,
    `- \`${words}\``,
    "",
    `    ${words}`,
  ];
  assert.deepEqual(longProse(page.join("\n")), [1, 2]);
});

/** Pictures are for the documentation; all others are made on demand (`npm run screenshots`). */
const picturesMax = 10;
const pictureBytesMax = 1_000_000;

test("the repository holds at most ten pictures, of 1 MB together", () => {
  const pictures = files.filter((path) => /\.(?:png|jpe?g|gif|webp|avif)$/.test(path));
  assert.ok(pictures.length <= picturesMax, `${pictures.length} pictures`);
  const bytes = pictures.reduce(
    (sum, path) => sum + statSync(new URL(`../../${path}`, import.meta.url)).size,
    0,
  );
  assert.ok(bytes <= pictureBytesMax, `${bytes} bytes of pictures`);
});
