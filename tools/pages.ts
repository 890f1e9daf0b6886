/**
 * Reads this repository's files and the headings of its Markdown pages, for the tests that hold links
 * and citations. Knows no page by name.
 */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The root of the repository, with a slash at its end. */
export const root: string = fileURLToPath(new URL("..", import.meta.url));

/** Folders that hold what is installed, made or measured here, and nothing that was written. */
const madeHere = new Set(["node_modules", ".git", ".cache", "data", "dist", "results"]);

/** Paths from the root of all files with one of these endings (such as `.md`), sorted. */
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

/** The text of a file of this repository, by its path from the root. */
export const textOf = (path: string): string => readFileSync(`${root}${path}`, "utf8");

/** A page without its blocks of code: every line of them is empty. */
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

/** The headings of a page as they are written, without their number signs. */
export function headingsOf(page: string): string[] {
  return [...withoutCode(page).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, text = ""]) => text);
}
