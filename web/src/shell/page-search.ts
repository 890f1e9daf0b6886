/** Reads what stands behind `?` in a page's address, and writes addresses. Knows no page. */
import type { SearchedPath, SearchOf } from "../searches.ts";
import { writeSearch } from "./search-text.ts";

type Search = Readonly<Record<string, unknown>>;

let check: ((path: string, search: Search) => Search) | undefined;

/**
 * Loads what an address may say: only for the first one, since the console writes all others itself. Never
 * fails: without it pages read an address as it is.
 */
export async function loadSearches(): Promise<void> {
  if (location.search === "") return;
  await import("../searches.ts").then(
    (file) => {
      check = file.checkedSearch;
    },
    () => undefined,
  );
}

/** For `validateSearch` of a route: a wrong value counts as none. */
export const readSearch =
  (path: string) =>
  (search: Search): Search =>
    check?.(path, search) ?? search;

/** `pageTo("/keys", { new: "1" })`: the address of a page. */
export function pageTo<Path extends SearchedPath>(path: Path, search: SearchOf<Path>): string {
  return path + writeSearch(search);
}
