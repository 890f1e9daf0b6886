/**
 * The generated parts of hand-written pages. Between `<!-- file: PATH -->` and `<!-- end -->` is the source
 * of that file, between `<!-- table: NAME -->` and `<!-- end -->` a table; `tools/docs.ts` inserts them.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { textOf } from "@plaza/contract/messages/message.ts";
import { operationNames, operationPaths } from "@plaza/contract/operations.ts";
import type { ProviderDescriptor } from "../server/src/providers/descriptor.ts";
import { providers } from "../server/src/providers/index.ts";
import { alertRows } from "./monitoring/alerts.ts";

const root = new URL("../", import.meta.url);

const part = /(<!-- (file|table): (\S+) -->\n)[\s\S]*?(<!-- end -->)/g;

const linesMax = 200;

function sourceOf(path: string): string {
  const text = readFileSync(fileURLToPath(new URL(path, root)), "utf8").trimEnd();
  if (text.split("\n").length > linesMax) throw new RangeError(`${path} is too long for a page`);
  return `\`\`\`ts\n// ${path}\n${text}\n\`\`\`\n`;
}

const code = (text: string): string => `\`${text}\``;

/** Missing features, as listed in the descriptor. */
function lacksOf({ lacks = [], listing, transport }: ProviderDescriptor): string {
  const words = [
    ...lacks,
    ...(listing === undefined && transport === "http" ? ["a list of its models"] : []),
  ];
  return words.join(", ");
}

function providersTable(table: Table): string {
  const rows = providers.map((provider) => {
    const { id, docs } = provider;
    const page = docs.page === undefined ? "" : `[${docs.page.replace(/^.*\/|#.*$/g, "")}](${docs.page})`;
    return [code(id), docs.speaks, lacksOf(provider), page];
  });
  return table(["provider", "speaks", "lacks", "page"], rows);
}

function optionsTable(table: Table): string {
  const rows = providers.flatMap(({ id, needs }) =>
    Object.entries(needs.options ?? {}).map(([name, { help }]) => [code(id), code(name), textOf(help)]),
  );
  return table(["provider", "option", "what it says"], rows);
}

/** All operations with their paths, linked to their page of docs/call if there is one. */
function operationsTable(table: Table): string {
  const rows = operationNames.map((name) => {
    const { path, isServed } = operationPaths[name];
    const called = code(`POST ${path}`);
    // Pages are named after their path.
    const page = path.slice("/v1/".length);
    const hasPage = existsSync(new URL(`docs/call/${page}.md`, root));
    return [
      code(name),
      `${hasPage ? `[${called}](../call/${page}.md)` : called}${isServed ? "" : ", not served yet"}`,
    ];
  });
  return table(["operation", "path"], rows);
}

type Table = (headings: readonly string[], rows: readonly (readonly string[])[]) => string;

const tables: Readonly<Record<string, (table: Table) => string>> = {
  providers: providersTable,
  options: optionsTable,
  operations: operationsTable,
  alarms: (table) => table(["alarm", "when", "how urgent"], alertRows()),
};

/** Pages with generated parts, relative to the repository root. */
export const partPages: readonly string[] = [
  "docs/extend/add-a-provider.md",
  "docs/operate/catalog.md",
  "docs/operate/operations.md",
  "docs/operate/providers/README.md",
];

/** The page with its parts inserted. Throws for an unknown table. */
export function withParts(path: string, table: Table): string {
  const text = readFileSync(fileURLToPath(new URL(path, root)), "utf8");
  return text.replace(part, (_, begin: string, kind: string, name: string, end: string) => {
    if (kind === "file") return `${begin}\n${sourceOf(name)}\n${end}`;
    const make = tables[name];
    if (make === undefined) throw new RangeError(`${path}: no table "${name}"`);
    return `${begin}\n${make(table)}\n\n${end}`;
  });
}
