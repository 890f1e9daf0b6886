/** Reads this repository's files and the headings of its Markdown pages, for tests of links and citations. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The root of the repository, with a trailing slash. */
export const root: string = fileURLToPath(new URL("..", import.meta.url));

/** Folders with installed, generated or measured files only. */
const madeHere = new Set(["node_modules", ".git", ".cache", "data", "dist", "results"]);

/** Sorted paths, relative to the root, of all files with one of these endings (such as `.md`). */
export function filesEnding(endings: readonly string[]): string[] {
  const paths = globSync("**/*", {
    cwd: root,
    exclude: (path) => madeHere.has(path.split(/[/\\]/).at(-1) ?? ""),
  });
  return paths
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .toSorted();
}

/** The text of a file of this repository, by its path relative to the root. */
export const textOf = (path: string): string => readFileSync(`${root}${path}`, "utf8");

/** A page without code blocks: their lines are empty. */
export function withoutCode(page: string): string {
  let fence = "";
  const lines = page.split("\n").map((line) => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1] ?? "";
    if (fence === "") {
      fence = mark;
      return mark === "" ? line : "";
    }
    if (mark.startsWith(fence)) fence = "";
    return "";
  });
  return lines.join("\n");
}

/** The headings of a page, without their number signs. */
export function headingsOf(page: string): string[] {
  return [...withoutCode(page).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, text = ""]) => text);
}
