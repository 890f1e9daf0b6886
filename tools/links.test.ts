/**
 * Every relative link of a Markdown page leads to an existing file or folder and, with an anchor, to a
 * heading; every page of docs/ named in code exists.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";
import { filesEnding, headingsOf, root, textOf, withoutCode } from "./pages.ts";

/**
 * The anchors of a page's headings: lower case, without punctuation, spaces as hyphens, repeated ones
 * numbered.
 */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set([...page.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id));
  for (const heading of headingsOf(page)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = plain.replace(/[^\p{Letter}\p{Number}\s_-]/gu, "").replace(/\s/g, "-");
    let counted = anchor;
    for (let again = 1; anchors.has(counted); again += 1) counted = `${anchor}-${again}`;
    anchors.add(counted);
  }
  return anchors;
}

/** The relative targets of a page's links and images. Links inside code do not count. */
function targetsOf(page: string): string[] {
  const prose = withoutCode(page).replace(/(`+)[\s\S]*?\1/g, (code) => code.replace(/[[\]()]/g, " "));
  const targets = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)].map(([, to = ""]) => to);
  const defined = [...prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)].map(([, to = ""]) => to);
  return [...targets, ...defined].filter((to) => !/^[a-z][a-z+.-]*:/i.test(to));
}

/** Describes what is wrong with one link of the page at `path`; undefined when it is valid. */
function faultOf(path: string, target: string, readPage: (path: string) => string): string | undefined {
  const [file = "", anchor] = target.split("#");
  const to = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), decodeURI(file)));
  const isThere = file === "" || (!to.startsWith("..") && existsSync(`${root}${to}`));
  if (!isThere) return `${path}: no file at ${target}`;
  if (anchor === undefined || !to.endsWith(".md")) return undefined;
  return anchorsOf(readPage(to)).has(anchor) ? undefined : `${path}: no heading for ${target}`;
}

const pages = filesEnding([".md"]);

test("every relative link leads to a file, and every anchor to a heading", () => {
  let links = 0;
  const faults = pages.flatMap((path) =>
    targetsOf(textOf(path)).flatMap((target) => {
      links += 1;
      return faultOf(path, target, textOf) ?? [];
    }),
  );
  assert.deepEqual(faults, []);
  assert.ok(links > 150, `${links} links`);
});

test("a link that leads nowhere is found, and one inside code is none", () => {
  const page = [
    "# A `code` heading: twice",
    "# A `code` heading: twice",
    "[a](#a-code-heading-twice-1) [b](../README.md) [c](nowhere.md) [d](#no) [e](https://example.com/x.md)",
    "`[f](gone.md)`",
    "```",
    "[g](gone.md)",
    "```",
    "[h]: ../../../outside.md",
  ].join("\n");
  const read = (path: string): string => (path === "docs/page.md" ? page : textOf(path));
  const faults = targetsOf(page).flatMap((target) => faultOf("docs/page.md", target, read) ?? []);
  assert.deepEqual(faults, [
    "docs/page.md: no file at nowhere.md",
    "docs/page.md: no heading for #no",
    "docs/page.md: no file at ../../../outside.md",
  ]);
});

/** A page as named in code and prose, relative to the root or to the file: `../docs/README.md`. */
const named = /(?:^|[^\w/.-])(?:\.\.\/)*(docs\/[\w/-]+\.md)/gm;

/** The changelog uses the pages' names at the time; these two tests name pages that do not exist. */
const unread = new Set(["CHANGELOG.md", "tools/links.test.ts", "tools/wire.test.ts"]);

test("every page of docs/ that code, messages and pages name is there", () => {
  const files = filesEnding([".ts", ".tsx", ".mjs", ".md", ".yaml"]).filter((path) => !unread.has(path));
  const names = files.flatMap((path) =>
    [...textOf(path).matchAll(named)].map(([, page = ""]) => [path, page] as const),
  );
  assert.ok(names.length > 100, `${names.length} names`);
  const gone = names.filter(([, page]) => !existsSync(root + page));
  assert.deepEqual(
    gone.map(([path, page]) => `${path}: ${page}`),
    [],
  );
});

test("the index of the documentation names every page for users", () => {
  const index = textOf("docs/README.md");
  for (const path of pages.filter((page) => /^docs\/(start|call|operate)\/[^/]+\.md$/.test(page))) {
    assert.ok(index.includes(`](${path.replace("docs/", "")})`), path);
  }
});
