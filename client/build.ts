/** The files of the npm package `@plaza/client`, but for its manifest: code, declarations, page, licence. */
import { readFileSync } from "node:fs";
import ts from "typescript";

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  declaration: true,
  isolatedDeclarations: true,
  verbatimModuleSyntax: true,
};

/** Names of this package's own modules as they are when it is installed. */
const installed = (text: string): string => text.replaceAll('"./schema.ts"', '"./schema.js"');

/** By path in the package. */
export function clientFiles(): ReadonlyMap<string, string> {
  const index = read("index.ts");
  const options = { compilerOptions, fileName: "index.ts" };
  return new Map([
    ["index.js", installed(ts.transpileModule(index, options).outputText)],
    ["index.d.ts", installed(ts.transpileDeclaration(index, options).outputText)],
    ["schema.d.ts", read("schema.ts")],
    ["README.md", read("README.md")],
    ["LICENSE", read("../LICENSE")],
  ]);
}
