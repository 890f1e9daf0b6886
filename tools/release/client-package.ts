/** The npm package `@plaza/client`: a typed client of the control plane, for programs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clientFiles } from "../../client/build.ts";
import type { Files } from "./product.ts";
import { root } from "./root.ts";

/** The file name that `npm pack` would give it. */
export const clientArchive = (version: string): string => `plaza-client-${version}.tgz`;

function manifest(version: string): string {
  const written = readFileSync(join(root, "client/package.json"), "utf8");
  const { name, license, type, dependencies } = JSON.parse(written) as Record<string, unknown>;
  const description = "A typed client of Plaza's control plane, for programs.";
  const exports = { ".": { types: "./index.d.ts", default: "./index.js" } };
  const engines = { node: ">=20" };
  const fields = { name, version, description, license, type, exports, engines, dependencies };
  return `${JSON.stringify(fields, undefined, 2)}\n`;
}

/** All files of the package. */
export function clientPackageFiles(version: string): Files {
  const files = [...clientFiles(), ["package.json", manifest(version)] as const];
  return new Map(files.map(([path, text]) => [path, Buffer.from(text)]));
}
