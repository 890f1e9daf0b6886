/**
 * Builds the rows of one provider from all packages' lists: decides which entries describe the same model,
 * and its id. Pure.
 */
import type { CatalogRow } from "../../server/src/domain/catalog/model-catalog.ts";
import { canonicalName, readingsOf } from "../../server/src/domain/catalog/model-names.ts";
import type { Listed } from "./listed.ts";
import type { SourceName } from "./packages.ts";
import type { CatalogProvider } from "./providers.ts";
import type { GenaiEntry } from "./read-genai-prices.ts";
import type { Finding, Said, SourceLabels } from "./said.ts";
import { mergeRow } from "./union.ts";

/** The packages' lists for one provider. */
export interface Lists {
  readonly piAi: readonly Listed[];
  readonly piCatalog: readonly Listed[];
  readonly genaiPrices: readonly GenaiEntry[];
}

/** Names for groups of models, or that cannot be called. */
const patternForm = /^ft:|[-.:*]$|\s/;

const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

interface Gathered {
  readonly id: string;
  readonly listed: Map<"piAi" | "piCatalog" | "genaiPrices", Listed>;
}

/** One entry per model; for a duplicate id the package's chat model, otherwise the first. */
function gather(provider: CatalogProvider, lists: Lists, findings: Finding[]): Map<string, Gathered> {
  const models = new Map<string, Gathered>();
  const put = (source: "piAi" | "piCatalog" | "genaiPrices", id: string, listed: Listed): void => {
    const key = canonicalName(provider.id, id).name;
    const model = models.get(key) ?? { id, listed: new Map() };
    models.set(key, model);
    const other = model.listed.get(source);
    const isBetter = other === undefined || (other.kind !== "chat" && listed.kind === "chat");
    if (other !== undefined) {
      const [kept, left] = isBetter ? [listed, other] : [other, listed];
      const text = `${listed.source} has it twice: kept the ${kept.kind} ${kept.id}, left the ${left.kind} ${left.id}`;
      findings.push({ provider: provider.id, id, what: "duplicate", text });
    }
    if (isBetter) model.listed.set(source, listed);
  };
  for (const listed of lists.piAi) put("piAi", listed.id, listed);
  for (const listed of lists.piCatalog) {
    const id = provider.renamePiCatalog === undefined ? listed.id : provider.renamePiCatalog(listed.id);
    if (id !== undefined) put("piCatalog", id, listed);
  }
  for (const { listed } of lists.genaiPrices) {
    // Paid per page, per hour or free: the price does not tell whether it is a chat model.
    if (listed.kind === "other") continue;
    const id = provider.renameGenaiPrices === undefined ? listed.id : provider.renameGenaiPrices(listed.id);
    if (id !== undefined && !patternForm.test(id)) put("genaiPrices", id, listed);
  }
  return models;
}

/** The first entry that matches the id, as in genai-prices itself. */
function entryOf(
  entries: readonly GenaiEntry[],
  provider: string,
  id: string,
): Pick<Said, "genaiPrices" | "genaiGroup" | "isSnapshot"> {
  const naming = entries.find((entry) => entry.names(id));
  if (naming !== undefined) return { genaiPrices: naming.listed };
  const group = entries.find((entry) => entry.matches(id));
  const undated = readingsOf(provider, id).find(({ rules }) => rules.includes("date"))?.name;
  const isSnapshot = undated !== undefined && group?.names(undated) === true;
  return { genaiGroup: group?.listed, isSnapshot };
}

/** Packages without a tier for any of these models. */
function tierlessOf(models: Iterable<Gathered>): Set<SourceName> {
  const tierless = new Set<SourceName>(["pi-ai", "pi-catalog", "genai-prices"]);
  for (const { listed } of models) {
    for (const { source, price } of listed.values()) if (price?.tiers !== undefined) tierless.delete(source);
  }
  return tierless;
}

/** Other names that genai-prices gives for a row, unless they are rows themselves. */
function aliasesOf(
  provider: string,
  id: string,
  entry: Listed | undefined,
  taken: ReadonlySet<string>,
): readonly string[] {
  const own = canonicalName(provider, id).name;
  return (entry?.aliases ?? []).filter((alias) => {
    const { name } = canonicalName(provider, alias);
    return name !== own && !taken.has(name) && !patternForm.test(alias);
  });
}

/** All rows of a provider, sorted by id. */
export function assembleRows(
  provider: CatalogProvider,
  lists: Lists,
  labels: SourceLabels,
  findings: Finding[],
): CatalogRow[] {
  const models = gather(provider, lists, findings);
  const taken = new Set(models.keys());
  const tierless = tierlessOf(models.values());
  const { id: name, free, priceless, isSizeless } = provider;
  const rows = [...models.values()].map(({ id, listed }) => {
    const entry = entryOf(lists.genaiPrices, name, id);
    const said: Said = {
      provider: name,
      piAi: listed.get("piAi"),
      piCatalog: listed.get("piCatalog"),
      ...entry,
      genaiPrices: listed.get("genaiPrices") ?? entry.genaiPrices,
      ...{ tierless, free, priceless, isSizeless },
    };
    const row = mergeRow(said, id, labels, findings);
    const aliases = row.kind === undefined ? aliasesOf(name, id, listed.get("genaiPrices"), taken) : [];
    const { id: rowId, name: rowName, ...rest } = row;
    return aliases.length === 0 ? row : { id: rowId, name: rowName, aliases, ...rest };
  });
  return rows.sort((a, b) => byCode(a.id, b.id));
}
