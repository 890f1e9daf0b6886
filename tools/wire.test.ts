/** Every section of a docs/wire/ page that code cites exists. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { filesEnding, headingsOf, textOf } from "./pages.ts";

/** A page, and the sections after it: `docs/wire/gemini.md sections 2 to 4 and 8`. */
const citation =
  /(?<before>\S*)wire\/(?<page>[a-z-]+\.md)(?:,? \(?sections? (?<sections>\d+(?:(?:, | and | to |, and )\d+)*))?/g;

/** The section numbers of a citation; `2 to 4` is three. */
function numbersOf(sections: string): number[] {
  return [...sections.matchAll(/(\d+)(?: to (\d+))?/g)].flatMap(([, first, last]) => {
    const from = Number(first);
    return Array.from({ length: Number(last ?? first) - from + 1 }, (_, index) => from + index);
  });
}

/** A source file as one line, without the asterisks of its comments. */
const flat = (text: string): string => text.replace(/\s*\n\s*(\*|\/\/)?\s*/g, " ");

/** The invalid citations of a text: pages or sections that do not exist. */
function faultsOf(text: string, sectionsOf: ReadonlyMap<string, ReadonlySet<number>>): string[] {
  return [...flat(text).matchAll(citation)].flatMap(({ groups = {} }) => {
    const { before = "", page = "", sections = "" } = groups;
    const known = sectionsOf.get(page);
    if (!before.endsWith("docs/") || known === undefined) return [`${before}wire/${page}`];
    return numbersOf(sections)
      .filter((number) => !known.has(number))
      .map((number) => `${page} section ${number}`);
  });
}

const pages = filesEnding([".md"]).filter((path) => path.startsWith("docs/wire/"));
const sectionsOf = new Map(
  pages.map((path) => {
    const numbers = headingsOf(textOf(path)).map((heading) => Number(/^(\d+)\. /.exec(heading)?.[1]));
    return [path.replace("docs/wire/", ""), new Set(numbers)];
  }),
);

test("every section of docs/wire/ that code cites exists", () => {
  const sources = filesEnding([".ts", ".tsx", ".mjs"]).filter((path) => path !== "tools/wire.test.ts");
  const texts = sources.map((path) => [path, textOf(path)] as const);
  assert.ok(texts.filter(([, text]) => text.includes("docs/wire/")).length > 50);
  const faults = texts.flatMap(([path, text]) =>
    faultsOf(text, sectionsOf).map((fault) => `${path}: ${fault}`),
  );
  assert.deepEqual(faults, []);
});

test("a citation of what does not exist is found", () => {
  const text =
    "/**\n * Built from docs/wire/gemini.md sections 2 to 4 and\n * 99, and wire/gemini.md, docs/wire/none.md. */";
  assert.deepEqual(faultsOf(text, sectionsOf), [
    "gemini.md section 99",
    "wire/gemini.md",
    "docs/wire/none.md",
  ]);
});

test("the index names every page, and every page numbers its sections without a gap", () => {
  const index = textOf("docs/wire/README.md");
  for (const [page, numbers] of sectionsOf) {
    if (page === "README.md") continue;
    assert.ok(index.includes(`](${page})`), page);
    const counted = [...numbers].filter((number) => !Number.isNaN(number));
    assert.deepEqual(
      counted,
      counted.map((_, at) => at + 1),
      page,
    );
  }
});
