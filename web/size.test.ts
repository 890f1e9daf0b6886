/**
 * What the built console weighs and that its page holds under the strict CSP. Reads `web/dist`;
 * without a build it says so and is skipped.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const dist = fileURLToPath(new URL("dist/", import.meta.url));
const manifestFile = `${dist}.vite/manifest.json`;
const skip = existsSync(manifestFile) ? false : "the console is not built (web/dist is missing)";

/** Most script, gzipped, before lazy parts. */
const firstLoadBytesMax = 170 * 1024;

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
}

type Manifest = Readonly<Record<string, Chunk>>;

function readManifest(): Manifest {
  return JSON.parse(readFileSync(manifestFile, "utf8")) as Manifest;
}

/** The files of a chunk and of all it imports statically. */
function filesOf(manifest: Manifest, name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (chunk === undefined || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const next of chunk.imports ?? []) filesOf(manifest, next, seen);
  return seen;
}

function gzippedBytes(files: Iterable<string>): number {
  let sum = 0;
  for (const file of files)
    if (file.endsWith(".js")) sum += gzipSync(readFileSync(dist + file), { level: 9 }).length;
  return sum;
}

const inKb = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;

test("the first load is at most 170 KB of gzipped script", { skip }, (context) => {
  const manifest = readManifest();
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry === true) ?? "";
  const shell = filesOf(manifest, entry);
  const bytes = gzippedBytes(shell);
  context.diagnostic(`before any page: ${inKb(bytes)}`);
  const pages = Object.keys(manifest)
    .filter((name) => name.endsWith("-page.tsx"))
    .map((name) => ({ name, bytes: gzippedBytes(filesOf(manifest, name, new Set(shell))) }))
    .sort((left, right) => right.bytes - left.bytes);
  for (const page of pages.slice(0, 5)) context.diagnostic(`with ${page.name}: ${inKb(page.bytes)}`);
  for (const page of pages)
    assert.ok(page.bytes <= firstLoadBytesMax, `${inKb(page.bytes)} with ${page.name}`);
  assert.ok(bytes > 0 && bytes <= firstLoadBytesMax, `${inKb(bytes)} before any page`);
});

test("the page has no script or style of its own, and asks nobody else", { skip }, () => {
  const html = readFileSync(`${dist}index.html`, "utf8");
  for (const [, attributes, body] of html.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)) {
    assert.match(attributes ?? "", /\bsrc="\//);
    assert.equal((body ?? "").trim(), "");
  }
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|https?:|=\s*"\/\//);
});
