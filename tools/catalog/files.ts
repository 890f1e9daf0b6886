/** All generated files of `catalog/` as texts, from the texts of the packages. Pure. */
import type { CatalogRow } from "../../server/src/domain/catalog/model-catalog.ts";
import { assembleRows, type Lists } from "./assemble.ts";
import { fieldsOf, readLiteral } from "./literal.ts";
import { noticePage } from "./notice.ts";
import { type PackageFiles, type SourceName, sourcePackages, specifierOf } from "./packages.ts";
import { applyPages } from "./pages.ts";
import { type CatalogProvider, catalogProviders } from "./providers.ts";
import { readGenaiPrices } from "./read-genai-prices.ts";
import { readPiAi, readPiCatalog } from "./read-pi.ts";
import { reportPage } from "./report.ts";
import type { Finding, SourceLabels } from "./said.ts";
import { longWriteRules, pageSayings } from "./vendor-pages.ts";

const pages = { sayings: pageSayings, rules: longWriteRules };

const labels = Object.fromEntries(
  sourcePackages.map((source) => [source.name, { source: specifierOf(source), date: source.date }]),
) as SourceLabels;

/** One row per line: a changed price is one changed line. */
function rowsFile(provider: string, rows: readonly CatalogRow[]): string {
  const lines = rows.map((row) => `    ${JSON.stringify(row)}`);
  return `{\n  "provider": ${JSON.stringify(provider)},\n  "models": [\n${lines.join(",\n")}\n  ]\n}\n`;
}

/** The newest date of the packages: prices that begin later are not yet in force. */
const today =
  sourcePackages
    .map(({ date }) => date)
    .sort()
    .at(-1) ?? "";

function listReader(filesOf: (name: SourceName) => PackageFiles): (provider: CatalogProvider) => Lists {
  const catalog = fieldsOf(readLiteral(filesOf("pi-catalog")("src/models.json")).value);
  const prices = readGenaiPrices(filesOf("genai-prices")("dist/index.js"), today);
  return ({ piAi, piCatalog, genaiPrices }) => ({
    piAi:
      piAi === undefined
        ? []
        : readPiAi(readLiteral(filesOf("pi-ai")(`dist/providers/data/${piAi}.json`)).value),
    piCatalog: (piCatalog ?? []).flatMap((name) => readPiCatalog(catalog[name] ?? null)),
    genaiPrices: genaiPrices === undefined ? [] : (prices.get(genaiPrices) ?? []),
  });
}

/**
 * Text by path within `catalog/`. Throws when a provider has no rows, because a package's format must have
 * changed.
 */
export function catalogFiles(filesOf: (name: SourceName) => PackageFiles): ReadonlyMap<string, string> {
  const read = listReader(filesOf);
  const findings: Finding[] = [];
  const all = catalogProviders.map((provider) => {
    const listed = assembleRows(provider, read(provider), labels, findings);
    const rows = applyPages(provider.id, listed, pages, findings);
    if (rows.length === 0) throw new Error(`no package lists a model of ${provider.id} any more`);
    return [provider, rows] as const;
  });
  const notice = noticePage(sourcePackages, ({ name, licenceFile }) =>
    licenceFile === undefined ? undefined : filesOf(name)(licenceFile),
  );
  return new Map([
    ...all.map(([{ id }, rows]) => [`models/${id}.json`, rowsFile(id, rows)] as const),
    ["report.md", reportPage(sourcePackages, all, findings)],
    ["NOTICE.md", notice],
  ]);
}
