/** The npm package: a gzipped tar whose bytes depend on its files and the release's time alone. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packFiles } from "./pack.ts";
import type { Release } from "./preconditions.ts";
import { type Files, readFiles } from "./product.ts";
import { root } from "./root.ts";

export const packageName = "plaza-gateway";

/** How users of the package call the command: in any folder, also where the package is not installed. */
export const packageCommand = `npx ${packageName}`;

const commandFile = "server/bin/plaza.mjs";

function manifest(version: string): string {
  const { description, license, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const keywords = ["llm", "gateway", "openai", "anthropic", "gemini", "proxy"];
  const bin = { plaza: commandFile };
  const fields = { name: packageName, version, description, keywords, license, type: "module", bin, engines };
  return `${JSON.stringify(fields, undefined, 2)}\n`;
}

/** Pages for users, with the command as it is called here. */
function pages(): Files {
  const found = readFiles("docs/**/*.md");
  const text = (page: Buffer) => page.toString().replaceAll("npx plaza ", `${packageCommand} `);
  return new Map([...found].map(([path, page]) => [path, Buffer.from(text(page))]));
}

function readme(): string {
  const page = readFileSync(join(root, "tools/release/entry/package-readme.md"), "utf8");
  return page.replaceAll("](../../../", "](");
}

/** All files of the package; `product` are the server, the console and the catalog. */
export function packageFiles(version: string, product: Files, licences: string): Files {
  return new Map([
    ...product,
    ...pages(),
    ...readFiles("LICENSE", "CHANGELOG.md"),
    ["README.md", Buffer.from(readme())],
    [commandFile, readFileSync(join(root, "tools/release/entry/plaza.mjs"))],
    ["THIRD-PARTY-LICENSES", Buffer.from(licences)],
    ["package.json", Buffer.from(manifest(version))],
  ]);
}

/** Packs files as npm does, below `package/`. */
export const packPackage = (files: Files, { time }: Release): Promise<Buffer> =>
  packFiles(files, "package", time, [commandFile]);
