/** THIRD-PARTY-LICENSES: the licence of everything in the bundle that is not of this repository. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mitText } from "../catalog/notice.ts";
import type { BundledPackage } from "./packages.ts";
import { root } from "./root.ts";

const line = "=".repeat(100);

function textOf({ name, license, author, licenseTexts }: BundledPackage): string {
  if (licenseTexts.length > 0) return licenseTexts.join("\n\n");
  if (license !== "MIT") throw new Error(`${name} (${license}) encloses no licence, and its text is unknown`);
  const owner = author ?? `the authors of ${name}`;
  return `The package encloses no licence file; its package.json names the MIT licence.\n\nCopyright (c) ${owner}\n\n${mitText}`;
}

/** Throws when a package has no licence text. */
export function licencesFile(packages: readonly BundledPackage[]): string {
  const sections = packages.map((one) => {
    const where = one.isRuntime ? ", in the executables only" : "";
    return `${line}\n${one.name} ${one.version} (${one.license}${where})\n${line}\n\n${textOf(one)}\n`;
  });
  const catalog = readFileSync(join(root, "catalog/NOTICE.md"), "utf8");
  return [
    "Plaza contains the software below, each part under its own licence. Plaza itself: LICENSE.\n",
    ...sections,
    `${line}\nThe model catalog\n${line}\n\n${catalog}`,
  ].join("\n");
}
