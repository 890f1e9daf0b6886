/** The checked list of names: public-names.txt beside this file. */
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("public-names.txt", import.meta.url);

/** The names as they stand in the file, a line each. */
export const readList = (): readonly string[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");

export const writeList = (names: readonly string[]): void => writeFileSync(file, `${names.join("\n")}\n`);
