/** Alarms and dashboard name metrics that there are, and every alarm has its place in the page. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { repositoryFiles } from "../structure/sources.ts";
import { alerts } from "./alerts.ts";
import { dashboardFile, dashboardQueries } from "./dashboard.ts";

const root = new URL("../../", import.meta.url);

/** Every metric that the server declares, with the names of a histogram's series. */
function declared(): ReadonlySet<string> {
  const names = new Set<string>();
  for (const path of repositoryFiles()) {
    if (!/^server\/src\/.*(?<!\.test)\.ts$/.test(path)) continue;
    const text = readFileSync(new URL(path, root), "utf8");
    for (const [, name = ""] of text.matchAll(/name: "((?:plaza|process|gen_ai)_[a-z_]+)"/g)) {
      for (const ending of ["", "_bucket", "_sum", "_count"]) names.add(`${name}${ending}`);
    }
  }
  return names;
}

const metricsIn = (expr: string): string[] =>
  [...expr.matchAll(/\b(?:plaza|process|gen_ai)_[a-z_]+/g)].map(([name]) => name);

/** True when every bracket is closed by one of its kind. */
function isBalanced(expr: string): boolean {
  const open: string[] = [];
  const pairs: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
  for (const letter of expr.replace(/"[^"]*"/g, "")) {
    if ("([{".includes(letter)) open.push(letter);
    else if (letter in pairs && open.pop() !== pairs[letter]) return false;
  }
  return open.length === 0;
}

test("every metric that an alarm or a panel names is one of the server's", () => {
  const known = declared();
  const queries = [...alerts.map(({ expr }) => expr), ...dashboardQueries()];
  assert.ok(known.size > 200 && queries.length > 50);
  assert.deepEqual(
    queries.flatMap(metricsIn).filter((name) => !known.has(name)),
    [],
  );
  assert.deepEqual(
    queries.filter((query) => !isBalanced(query)),
    [],
  );
});

test("what to do about each alarm is in the page, below its name", () => {
  const page = readFileSync(new URL("docs/operate/operations.md", root), "utf8");
  const headings: readonly string[] = page.match(/^### .*$/gm) ?? [];
  assert.deepEqual(
    alerts.filter(({ name }) => !headings.includes(`### ${name}`)).map(({ name }) => name),
    [],
  );
});

test("panels have ids of their own and do not cover each other", () => {
  const { panels } = JSON.parse(dashboardFile()) as {
    panels: { id: number; gridPos: { x: number; y: number; w: number; h: number } }[];
  };
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  );
  assert.equal(new Set(cells).size, cells.length);
  assert.ok(panels.every(({ gridPos: { x, w } }) => x + w <= 24));
});
